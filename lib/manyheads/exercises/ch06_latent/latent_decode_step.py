"""latent-decode-step: one new token for each sequence, against caches of latents and rotary keys."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch06_latent import inputs
from manyheads.exercises.ch06_latent.latent_decode_step_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, rope, past = q.shape[1], key_cache.shape[2], latent_cache.shape[1]
    q, key = (np.concatenate([x[..., :-rope], reference.apply_rotary(x[..., -rope:], [past])], axis=-1)
              for x in (q, down[:, None]))  # fmt: skip
    keys = np.concatenate([key_cache, key[:, 0, :, -rope:]], axis=1)
    latents = np.concatenate([latent_cache, reference.rms_norm(down[..., :-rope], norm)], axis=1)
    content = reference.split_heads(latents @ w_uk, heads)
    shared = np.broadcast_to(keys[:, None], (*content.shape[:3], rope))
    k = np.concatenate([content, shared], axis=-1)
    return reference.attention(q, k, reference.split_heads(latents @ w_uv, heads)), latents, keys


def _inputs(rng, dtype="float64", past=(4, 9), **ranges):
    """Sizes all different. The cached latents are normed; about the cached keys nobody can tell."""
    usual = {
        "batch": (2, 4), "heads": (2, 6), "head_dim": (3, 9), "v_head_dim": (3, 10), "latent_rank": (7, 14),
    }  # fmt: skip
    while True:
        s = inputs.with_rope(rng, ["head_dim", "latent_rank"], widths=(4, 6, 8), **{**usual, "past": past, **ranges})
        rope = s["rope"]
        if s["past"] + 1 not in (*s.values(), rope + s["head_dim"], rope + s["latent_rank"]):
            break
    norm = 0.5 + rng.random(s["latent_rank"])
    shrink = s["latent_rank"] ** -0.5
    arrays = {
        "q": sizes.normal(rng, s["batch"], s["heads"], 1, s["head_dim"] + rope),
        "down": 2 * sizes.normal(rng, s["batch"], 1, s["latent_rank"] + rope),
        "norm": norm,
        "w_uk": shrink * sizes.normal(rng, s["latent_rank"], s["heads"] * s["head_dim"]),
        "w_uv": shrink * sizes.normal(rng, s["latent_rank"], s["heads"] * s["v_head_dim"]),
        "latent_cache": reference.rms_norm(sizes.normal(rng, s["batch"], s["past"], s["latent_rank"]), norm),
        "key_cache": sizes.normal(rng, s["batch"], s["past"], rope),
    }
    return {name: array.astype(dtype) for name, array in arrays.items()}


def _a_step(rng):
    return [
        Case("several tokens in the caches", _inputs(rng)),
        Case("one sequence", _inputs(rng, batch=(1, 1))),
        Case("a single head", _inputs(rng, heads=(1, 1), head_dim=(6, 6))),
        Case("a longer past", _inputs(rng, past=(20, 30))),
    ]


def _first_token(rng):
    return [
        Case("the very first token, empty caches", _inputs(rng, past=(0, 0), head_dim=(6, 6))),
        # Tells mistakes apart that need a past to show.
        Case("several tokens in the caches", _inputs(rng), probe=True),
    ]


def _float32(rng):
    return [Case("float32 throughout", _inputs(rng, "float32", head_dim=(6, 6)))]


# -- right answers by other techniques -----------------------------------------------------------------


def _absorbed(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    (heads, width), (_, past, rank) = q.shape[1::2], latent_cache.shape
    latent, key = down[..., :rank], down[..., rank:]
    key = reference.apply_rotary(key[:, None], [past]).reshape(key.shape)
    latents = np.concatenate([latent_cache, reference.rms_norm(latent, norm)], axis=1)
    keys = np.concatenate([key_cache, key], axis=1)
    up_k, up_v = w_uk.reshape(rank, heads, -1), w_uv.reshape(rank, heads, -1)
    content, turned = q[..., : up_k.shape[2]], reference.apply_rotary(q[..., up_k.shape[2] :], [past])
    scores = np.einsum("bhqd,rhd,bkr->bhqk", content, up_k, latents) + np.einsum("bhqe,bke->bhqk", turned, keys)
    mixed = np.einsum("bhqk,bkr->bhqr", reference.softmax(scores / width**0.5), latents)
    return np.einsum("bhqr,rhd->bhqd", mixed, up_v), latents, keys


def _loop_over_heads(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    at = np.array([key_cache.shape[1]])
    latent, key = np.split(down, [norm.size], axis=2)
    key = reference.apply_rotary(key[:, None], at).reshape(key.shape)
    latents = np.append(latent_cache, reference.rms_norm(latent, norm), axis=1)
    keys = np.append(key_cache, key, axis=1)
    to_keys, to_values = np.split(w_uk, q.shape[1], axis=1), np.split(w_uv, q.shape[1], axis=1)
    out = []
    for h in range(q.shape[1]):
        content, rope = np.split(q[:, h], [to_keys[h].shape[1]], axis=2)
        turned = reference.apply_rotary(rope[:, None], at).reshape(rope.shape)
        query = np.concatenate([content, turned], axis=2)
        k = np.concatenate([latents @ to_keys[h], keys], axis=2)
        scores = np.einsum("bqd,bkd->bqk", query, k) * query.shape[2] ** -0.5
        out.append(reference.softmax(scores) @ (latents @ to_values[h]))
    return np.stack(out, axis=1), latents, keys


def _own_norm_and_turn(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    past, rope = key_cache.shape[1:]
    turn = np.exp(1j * past * 10_000 ** (-np.arange(0, rope, 2) / rope))
    latent, key, turned = down[..., :-rope], down[..., -rope:], q[..., -rope:]
    latent = latent / (np.square(latent).mean(axis=2, keepdims=True) + 1e-6) ** 0.5 * norm
    both = [(x[..., ::2] + 1j * x[..., 1::2]) * turn for x in (key, turned)]
    key, turned = (
        np.stack([z.real, z.imag], axis=-1).reshape(x.shape).astype(x.dtype)
        for z, x in zip(both, (key, turned))  # noqa: B905
    )
    latents, keys = np.hstack([latent_cache, latent]), np.hstack([key_cache, key])
    content = reference.split_heads(latents @ w_uk, q.shape[1])
    scores = q[..., :-rope] @ content.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    weights = reference.softmax(scores / q.shape[3] ** 0.5)
    return weights @ reference.split_heads(latents @ w_uv, q.shape[1]), latents, keys


def _filled_arrays(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    _, past, rank = latent_cache.shape
    latents, keys = (np.pad(cache, ((0, 0), (0, 1), (0, 0))) for cache in (latent_cache, key_cache))
    latents[:, past:] = reference.rms_norm(down[..., :rank], norm)
    keys[:, past:] = reference.apply_rotary(down[:, None, :, rank:], [past]).reshape(keys[:, past:].shape)
    k, v = reference.split_heads(latents @ w_uk, q.shape[1]), reference.split_heads(latents @ w_uv, q.shape[1])
    scores = (q[..., : k.shape[3]] * k).sum(axis=3)
    scores += (reference.apply_rotary(q[..., k.shape[3] :], [past]) * keys[:, None]).sum(axis=3)
    weights = reference.softmax(scores * q.shape[3] ** -0.5)
    return (weights[..., None] * v).sum(axis=2, keepdims=True), latents, keys


EXERCISE = Exercise(
    name="latent-decode-step",
    title="A decode step",
    chapter="06-latent",
    version=1,
    parameters=(
        Parameter(
            "q",
            "float array (batch, heads, 1, head_dim + rope_head_dim): the new token's queries, content part first; the "
            "rotary part is not turned yet",
        ),
        Parameter(
            "down",
            "float array (batch, 1, latent_rank + rope_head_dim): `x @ w_down` of the new token, the latent first; not "
            "normed and not turned yet",
        ),
        Parameter("norm", "float array (latent_rank,): the weight of the latent's RMSNorm"),
        Parameter("w_uk", "float array (latent_rank, heads * head_dim)"),
        Parameter("w_uv", "float array (latent_rank, heads * v_head_dim)"),
        Parameter("latent_cache", "float array (batch, past, latent_rank): latents, normed; past may be 0"),
        Parameter("key_cache", "float array (batch, past, rope_head_dim): rotary keys, turned"),
    ),
    returns=(
        Output("result", ("batch", "heads", "1", "v_head_dim")),
        Output(
            "latent_cache",
            ("batch", "seq", "latent_rank"),
            about="an array (batch, past + 1, latent_rank) of the input's dtype",
        ),
        Output(
            "key_cache",
            ("batch", "seq", "rope_head_dim"),
            about="an array (batch, past + 1, rope_head_dim) of the input's dtype",
        ),
    ),
    reference=_reference,
    given=("softmax", "split_heads", "rms_norm", "apply_rotary"),
    tolerance=ATTENTION,
    example="""
>>> q = np.array([np.log(3) / 3, 0.0, 0.0, 0.0]).reshape(1, 1, 1, 4)
>>> down = np.array([[[7.0, 1.0, 0.0]]])
>>> norm, w_uk, w_uv = np.array([5.0]), np.array([[1.0, 0.0]]), np.array([[10.0]])
>>> latent_cache, key_cache = np.array([[[-1.0]]]), np.array([[[1.0, 0.0]]])
>>> step = latent_decode_step(q, down, norm, w_uk, w_uv, latent_cache, key_cache)
>>> [array.round(4) for array in step]
[array([[[[35.]]]]), array([[[-1.],
        [ 5.]]]), array([[[1.    , 0.    ],
        [0.5403, 0.8415]]])]
""",
    hints=(
        "First what enters the caches: take down apart, norm the one part, turn the other. Then append both, behind "
        "what is there. What is in the caches needs nothing more.",
        "With past tokens in the caches, at positions 0 to past - 1, which position has the new token? The given "
        "apply_rotary takes four axes: down[:, None] has an axis of one head.",
        "The query's rotary part is turned by the same position. Its content part is not.",
        "What is left is the attention of one query over past + 1 tokens, without a mask; with or without keys and "
        "values, as you like. The last axis of q tells the scale.",
    ),
    aspects=(
        Aspect("a step", 3, "a new token behind several others: the result and both caches", _a_step),
        Aspect("first token", 1, "the very first token, with empty caches", _first_token),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "absorbed": _absorbed,
        "loop over heads": _loop_over_heads,
        "a norm and a turn of its own": _own_norm_and_turn,
        "filled arrays": _filled_arrays,
    },
    mistakes=MISTAKES,
)
