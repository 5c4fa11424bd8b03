"""Defects to plant in the library, each a mistake that people make with attention; all must be caught by the tests.

A defect is a list of edits: a file of the library, a text that stands in it once, and what is put in its place.
"""

from typing import NamedTuple


class Edit(NamedTuple):
    file: str
    old: str
    new: str


class Defect(NamedTuple):
    kind: str
    path: str  # whose tests have to catch it: "numpy", "torch", "both", "graders", "probes"
    edits: list[Edit]
    tests: tuple[str, ...] = ()  # those among them that are about it


def _both(kind: str, *edits: tuple[str, str, str, str, str]) -> list[Defect]:
    """The same mistake on each path: file, then old and new for NumPy, then for torch."""
    return [
        Defect(kind, "numpy", [Edit(f"reference/{file}", old, new) for file, old, new, _, _ in edits]),
        Defect(kind, "torch", [Edit(f"torch_path/{file}", old, new) for file, _, _, old, new in edits]),
    ]


TILED = """    batch, heads, length, dim = x.shape
    x = x.reshape(batch, heads // kv_heads, kv_heads, length, dim).swapaxes(1, 2)
    return x.reshape(batch, kv_heads, heads // kv_heads * length, dim)


def unstack_group(x, heads: int):
    batch, kv_heads, stacked, dim = x.shape
    length = stacked * kv_heads // heads if heads else 0
    x = x.reshape(batch, kv_heads, heads // kv_heads, length, dim).swapaxes(1, 2)
    return x.reshape(batch, heads, length, dim)


def _unused_stack(x, kv_heads: int):
    batch, heads, length, dim = x.shape
"""

CAP_LATE = """    if call.bias is not None:
        scores = scores + call.bias.{cast}
    if allowed is not None:
        scores = {lib}.where(allowed, scores, -{lib}.inf)
    if call.softcap is not None:
        scores = call.softcap * {lib}.tanh(scores / call.softcap)
    return scores if stage == "masked" else softmax(scores)
    if call.bias is not None:
"""

DEFECTS = [
    Defect(
        "tiled K/V heads", "both", [Edit("reference/_grouping.py", "    batch, heads, length, dim = x.shape\n", TILED)]
    ),
    Defect(
        "tiled K/V heads, in tiles",
        "numpy",
        [
            Edit(
                "reference/blocked.py",
                "for h in range(j * group, (j + 1) * group):",
                "for h in range(j, heads, call.sizes.kv_heads):",
            )
        ],
    ),
    *_both(
        "top-left causal",
        (
            "masks.py",
            "position = np.arange(q_len)[:, None] + (k_len - q_len)",
            "position = np.arange(q_len)[:, None]",
            "torch.arange(q_len, device=device)[:, None] + (k_len - q_len)",
            "torch.arange(q_len, device=device)[:, None]",
        ),
    ),
    Defect(
        "top-left causal, in tiles",
        "numpy",
        [
            Edit(
                "reference/blocked.py",
                "band, shift = call.band, call.sizes.k_len - call.sizes.q_len",
                "band, shift = call.band, 0",
            )
        ],
    ),
    *_both(
        "NaN on an empty row",
        ("softmax.py", "np.where(total == 0, 1, total)", "total", "torch.where(total == 0, 1.0, total)", "total"),
    ),
    *_both(
        "NaN on an empty row, in tiles",
        (
            "blocked.py",
            "shift = np.where(np.isneginf(now), 0, now)",
            "shift = now",
            "shift = torch.where(torch.isneginf(now), 0.0, now)",
            "shift = now",
        ),
    ),
    *_both(
        "-1e9 in fp16",
        (
            "mask_conversions.py",
            "np.where(allowed, zero, -np.inf)",
            "np.where(allowed, zero, np.float64(-1e9))",
            "masked_fill(forbidden, -torch.inf)",
            "masked_fill(forbidden, -1e9)",
        ),
    ),
    *_both(
        "-1e9 instead of minus infinity",
        (
            "scores.py",
            "np.where(allowed, scores, -np.inf)",
            "np.where(allowed, scores, -1e9)",
            "torch.where(allowed, scores, -torch.inf)",
            "torch.where(allowed, scores, -1e9)",
        ),
    ),
    Defect(
        "scale by d_model",
        "both",
        [
            Edit(
                "_arguments.py",
                "return Sizes(batch, heads, kv_heads, q_len, k_len, head_dim)",
                "return Sizes(batch, heads, kv_heads, q_len, k_len, heads * head_dim)",
            )
        ],
    ),
    Defect(
        "(d h)",
        "both",
        [
            Edit(
                "reference/heads.py",
                "return x.reshape(batch, seq, n_heads, head_dim).swapaxes(1, 2)",
                "return x.reshape(batch, seq, head_dim, n_heads).swapaxes(2, 3).swapaxes(1, 2)",
            )
        ],
    ),
    Defect(
        "reshape without transpose",
        "both",
        [
            Edit(
                "reference/heads.py",
                "return x.reshape(batch, seq, n_heads, head_dim).swapaxes(1, 2)",
                "return x.reshape(batch, n_heads, seq, head_dim)",
            )
        ],
    ),
    *_both(
        "softcap after the mask",
        (
            "scores.py",
            "    if call.bias is not None:\n",
            CAP_LATE.format(lib="np", cast="astype(wide, copy=False)"),
            "    if call.bias is not None:\n",
            CAP_LATE.format(lib="torch", cast="to(wide)"),
        ),
        (
            "scores.py",
            '    if call.softcap is not None:\n        scores = call.softcap * np.tanh(scores / call.softcap)\n    if stage == "capped":',
            '    if stage == "capped":',
            '    if call.softcap is not None:\n        scores = call.softcap * torch.tanh(scores / call.softcap)\n    if stage == "capped":',
            '    if stage == "capped":',
        ),
    ),
    Defect(
        "window off by one", "both", [Edit("_arguments.py", "return Band(window - 1, 0)", "return Band(window, 0)")]
    ),
    *_both(
        "window off by one, in the mask",
        (
            "masks.py",
            "_arguments.Band(width - 1, 0)",
            "_arguments.Band(width, 0)",
            "_arguments.causal_window(window) - 1",
            "_arguments.causal_window(window)",
        ),
    ),
    Defect(
        "window off by one, in the cache", "both", [Edit("_slots.py", "key > query - window", "key >= query - window")]
    ),
    Defect(
        "past ignored, by the cache",
        "both",
        [
            Edit(
                "reference/cache.py",
                "seen = held[:, :, : place.used]",
                "seen = held[:, :, : place.used] * 1\n        seen[:, :, : max(0, place.used - new.shape[2])] = 0",
            )
        ],
    ),
    Defect(
        "past ignored, by the positions",
        "numpy",
        [
            Edit("reference/multi_head.py", "cache.lengths[:, None]", "0 * cache.lengths[:, None]"),
            Edit("reference/latent.py", "cache.lengths[:, None]", "0 * cache.lengths[:, None]"),
        ],
    ),
    Defect(
        "past ignored, by the positions",
        "torch",
        [
            Edit(
                "torch_path/multi_head.py",
                "torch.from_numpy(cache.lengths)[:, None]",
                "0 * torch.from_numpy(cache.lengths)[:, None]",
            )
        ],
    ),
    *_both(
        "mask after softmax",
        (
            "scores.py",
            'return scores if stage == "masked" else softmax(scores)',
            'return scores if stage == "masked" else np.where(np.isneginf(scores), 0, softmax(np.where(np.isneginf(scores), 0, scores)))',
            'return scores if stage == "masked" else softmax(scores)',
            'return scores if stage == "masked" else torch.where(torch.isneginf(scores), 0.0, softmax(torch.where(torch.isneginf(scores), 0.0, scores)))',
        ),
    ),
    Defect(
        "dK not summed over the group",
        "numpy",
        [
            Edit(
                "reference/backward.py",
                "d_k = d_products.swapaxes(-1, -2) @ queries",
                "d_k = (unstack_group(d_products, heads).swapaxes(-1, -2) @ unstack_group(queries, heads))[:, :: heads // kv_heads]",
            )
        ],
    ),
    Defect(
        "dV not summed over the group",
        "numpy",
        [
            Edit(
                "reference/backward.py",
                "d_v = stack_group(weights, kv_heads).swapaxes(-1, -2) @ d_stacked",
                "d_v = (weights.swapaxes(-1, -2) @ d_out)[:, :: heads // kv_heads]",
            )
        ],
    ),
    *_both(
        "float32 promoted to float64",
        (
            "attention.py",
            "out = out.astype(q.dtype, copy=False)",
            'out = out.astype("float64")',
            "out = unstack_group(stacked, call.sizes.heads).to(q.dtype)",
            "out = unstack_group(stacked, call.sizes.heads).double()",
        ),
    ),
    *_both(
        "float32 promoted to float64, by the angles",
        (
            "rotary.py",
            "return turned.reshape(x.shape).astype(x.dtype, copy=False)",
            "return turned.reshape(x.shape) * np.ones(1)",
            "return turned.reshape(x.shape).to(x.dtype)",
            "return turned.reshape(x.shape).double()",
        ),
    ),
    Defect(
        "NaN leaking from a padded slot",
        "numpy",
        [Edit("reference/_visibility.py", "return x if seen is None else np.where(seen, x, 0)", "return x")],
    ),
    Defect(
        "NaN leaking from a padded slot",
        "torch",
        [Edit("torch_path/_call.py", "return x if seen is None else torch.where(seen, x, 0.0)", "return x")],
    ),
]

#: Each of these kinds must be among the planted ones.
KINDS = {
    "tiled K/V heads", "top-left causal", "NaN on an empty row", "-1e9 in fp16", "scale by d_model", "(d h)",
    "reshape without transpose", "softcap after the mask", "window off by one", "past ignored", "mask after softmax",
    "dK not summed over the group", "float32 promoted to float64", "NaN leaking from a padded slot",
}  # fmt: skip
