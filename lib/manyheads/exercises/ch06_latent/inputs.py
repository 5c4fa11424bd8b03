"""What latent-attention and absorbed-latent-attention are given, and widths of rotary parts."""

from manyheads.exercises import sizes

#: At least two more keys than queries: with one more, a mask from the top left and one that is too strict are the same.
_USUAL = {
    "batch": (2, 4), "heads": (2, 6), "q_len": (3, 6), "k_len": (8, 11), "head_dim": (3, 9), "v_head_dim": (3, 10),
    "latent_rank": (7, 14),
}  # fmt: skip


def with_rope(rng, beside, widths=(2, 4, 6), **ranges):
    """Sizes all different, and an even `rope`: it, and its sums with the sizes in `beside`, are none of them."""
    while True:
        s = sizes.draw(rng, **ranges)
        rope = int(rng.choice(widths))
        if not {rope, *(rope + s[name] for name in beside)} & set(s.values()):
            return {**s, "rope": rope}


def latent_attention(rng, dtype="float64", **ranges):
    """The five arguments, of sizes that are all different."""
    return of_sizes(rng, with_rope(rng, ["head_dim"], **{**_USUAL, **ranges}), dtype)


def of_sizes(rng, s, dtype="float64"):
    """The five arguments, of these sizes; the weights are small, so that the scores are not large."""
    shrink = s["latent_rank"] ** -0.5
    w_uk = shrink * sizes.normal(rng, s["latent_rank"], s["heads"] * s["head_dim"])
    w_uv = shrink * sizes.normal(rng, s["latent_rank"], s["heads"] * s["v_head_dim"])
    return {
        "q": sizes.normal(rng, s["batch"], s["heads"], s["q_len"], s["head_dim"] + s["rope"], dtype=dtype),
        "latent": sizes.normal(rng, s["batch"], s["k_len"], s["latent_rank"], dtype=dtype),
        "rotary_key": sizes.normal(rng, s["batch"], s["k_len"], s["rope"], dtype=dtype),
        "w_uk": w_uk.astype(dtype),
        "w_uv": w_uv.astype(dtype),
    }
