"""split-qkv: queries, keys and values out of one product, in the three layouts in use."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(rng, about, layout, n_heads, n_kv_heads):
    taken = {n_heads, n_kv_heads, n_heads // n_kv_heads}
    batch, seq, head_dim = (int(i) for i in rng.permutation([i for i in range(2, 15) if i not in taken])[:3])
    head_dim += head_dim % 2  # even, so that thirds of the width can be taken for heads
    while head_dim in taken | {batch, seq}:
        head_dim += 2
    width = (n_heads + 2 * n_kv_heads) * head_dim
    inputs = {
        "qkv": sizes.normal(rng, batch, seq, width, dtype="float32"),
        "n_heads": n_heads,
        "n_kv_heads": n_kv_heads,
        "layout": layout,
    }
    return Case(about, inputs)


def _one_kv_head_each(layout):
    def cases(rng):
        n_heads = int(rng.integers(3, 7))
        return [_case(rng, f"{layout}, a K/V head for every query head", layout, n_heads, n_heads)]

    return cases


def _concatenated(rng):
    # 8 + 2 * 2 blocks: what np.split(qkv, 3) makes of them can still be split into heads.
    return [
        *_one_kv_head_each("concatenated")(rng),
        _case(rng, "concatenated, fewer K/V heads than query heads", "concatenated", 8, 2),
    ]


def _per_group(rng):
    n_heads, n_kv_heads = [(6, 2), (6, 3), (8, 2), (12, 3)][int(rng.integers(4))]
    return [_case(rng, "per_group, fewer K/V heads than query heads", "per_group", n_heads, n_kv_heads)]


# -- right answers by other techniques -----------------------------------------------------------------


def _block_lists(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    if layout == "concatenated":
        q = range(n_heads)
        k = range(n_heads, n_heads + n_kv_heads)
        v = range(n_heads + n_kv_heads, blocks)
    else:
        step = group + 2
        q = [j * step + i for j in range(n_kv_heads) for i in range(group)]
        k = [j * step + group for j in range(n_kv_heads)]
        v = [j * step + group + 1 for j in range(n_kv_heads)]
    parts = np.split(qkv, blocks, axis=-1)
    return tuple(np.stack([parts[i] for i in chosen], axis=1) for chosen in (q, k, v))


def _take_blocks(qkv, n_heads, n_kv_heads, layout):
    x = qkv.reshape(*qkv.shape[:2], n_heads + 2 * n_kv_heads, -1).swapaxes(1, 2)
    if layout == "concatenated":
        return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]
    step = n_heads // n_kv_heads + 2
    place = np.arange(x.shape[1]) % step
    return x[:, place < step - 2], x[:, place == step - 2], x[:, place == step - 1]


def _loops(qkv, n_heads, n_kv_heads, layout):
    batch, seq, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    q = np.empty((batch, n_heads, seq, d), qkv.dtype)
    k = np.empty((batch, n_kv_heads, seq, d), qkv.dtype)
    v = np.empty((batch, n_kv_heads, seq, d), qkv.dtype)
    if layout == "concatenated":
        order = [(q, h) for h in range(n_heads)] + [(p, h) for p in (k, v) for h in range(n_kv_heads)]
    else:
        order = []
        for j in range(n_kv_heads):
            order += [(q, j * group + i) for i in range(group)] + [(k, j), (v, j)]
    for i, (part, h) in enumerate(order):
        part[:, h] = qkv[:, :, i * d : (i + 1) * d]
    return q, k, v


# -- known mistakes ------------------------------------------------------------------------------------


def _layout_ignored(qkv, n_heads, n_kv_heads, layout):
    x = qkv.reshape(*qkv.shape[:2], n_heads + 2 * n_kv_heads, -1).swapaxes(1, 2)
    return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]


def _equal_thirds(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    if layout == "concatenated":
        q, k, v = np.split(qkv, 3, axis=-1)
        q = q.reshape(b, n, n_heads, -1).swapaxes(1, 2)
        return q, k.reshape(b, n, n_kv_heads, -1).swapaxes(1, 2), v.reshape(b, n, n_kv_heads, -1).swapaxes(1, 2)
    group = n_heads // n_kv_heads
    x = qkv.reshape(b, n, n_kv_heads, group + 2, -1)
    q = x[..., :group, :].reshape(b, n, n_heads, -1)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _bare_reshape(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        q, k, v = np.split(qkv, [n_heads * d, (n_heads + n_kv_heads) * d], axis=-1)
    else:
        x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
        q, k, v = x[..., :group, :], x[..., group, :], x[..., group + 1, :]
    return q.reshape(b, n_heads, n, d), k.reshape(b, n_kv_heads, n, d), v.reshape(b, n_kv_heads, n, d)


def _parts_innermost(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "per_head":
        x = qkv.reshape(b, n, n_heads, d, 3).swapaxes(1, 2)
        return x[..., 0], x[..., 1], x[..., 2]
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _groups_dealt_out(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads : n_heads + n_kv_heads], x[:, n_heads + n_kv_heads :]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].swapaxes(2, 3).reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group, :].swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2)


def _value_before_key(qkv, n_heads, n_kv_heads, layout):
    b, n, width = qkv.shape
    group, d = n_heads // n_kv_heads, width // (n_heads + 2 * n_kv_heads)
    if layout == "concatenated":
        x = qkv.reshape(b, n, -1, d).swapaxes(1, 2)
        return x[:, :n_heads], x[:, n_heads + n_kv_heads :], x[:, n_heads : n_heads + n_kv_heads]
    x = qkv.reshape(b, n, n_kv_heads, group + 2, d)
    q = x[..., :group, :].reshape(b, n, n_heads, d)
    return q.swapaxes(1, 2), x[..., group + 1, :].swapaxes(1, 2), x[..., group, :].swapaxes(1, 2)


def _float64_buffers(qkv, n_heads, n_kv_heads, layout):
    group, blocks = n_heads // n_kv_heads, n_heads + 2 * n_kv_heads
    place = np.arange(blocks) % (group + 2)
    part = np.where(place < group, 0, place - group + 1)
    if layout == "concatenated":
        part = np.repeat([0, 1, 2], [n_heads, n_kv_heads, n_kv_heads])
    x = qkv.reshape(*qkv.shape[:2], blocks, -1)
    result = []
    for which in range(3):
        out = np.zeros((x.shape[0], (part == which).sum(), x.shape[1], x.shape[3]))
        out[:] = x[:, :, part == which].swapaxes(1, 2)
        result.append(out)
    return tuple(result)


EXERCISE = Exercise(
    name="split-qkv",
    title="Three layouts of one fused product",
    chapter="01-projections",
    version=1,
    parameters=(
        Parameter("qkv", "array (batch, seq, (n_heads + 2 * n_kv_heads) * head_dim)"),
        Parameter("n_heads", "whole number: query heads"),
        Parameter("n_kv_heads", "whole number: key/value heads; divides n_heads"),
        Parameter("layout", '"concatenated", "per_head" or "per_group"'),
    ),
    returns=(
        Output("q", ("batch", "n_heads", "seq", "head_dim")),
        Output("k", ("batch", "n_kv_heads", "seq", "head_dim")),
        Output("v", ("batch", "n_kv_heads", "seq", "head_dim")),
    ),
    reference=reference.split_qkv,
    tolerance=EXACT,
    aspects=(
        Aspect("concatenated", 2, "all q, then all k, then all v", _concatenated),
        Aspect("per_head", 1, "q, k, v of one head after the other", _one_kv_head_each("per_head")),
        Aspect("per_group", 2, "the q of a group, its k, its v, group after group", _per_group),
    ),
    alternatives={"lists of blocks": _block_lists, "boolean choice of blocks": _take_blocks, "loops": _loops},
    example=""">>> row = np.array([[[10, 20, 30, 40, 50, 60]]])
>>> [part.ravel().tolist() for part in split_qkv(row, 2, 2, "concatenated")]
[[10, 20], [30, 40], [50, 60]]
>>> [part.ravel().tolist() for part in split_qkv(row, 2, 2, "per_head")]
[[10, 40], [20, 50], [30, 60]]
>>> [part.ravel().tolist() for part in split_qkv(np.array([[[10, 20, 30, 40, 50, 60, 70, 80]]]), 4, 2, "per_group")]
[[10, 20, 50, 60], [30, 70], [40, 80]]""",
    hints=(
        "Start with head_dim: how many blocks of that width does a row hold, counting queries, keys and values?",
        "For the two other layouts, cut the row into K/V heads first. What does each piece hold, and in which order?",
        "per_head is per_group with a single query in every group, so that one piece of code can serve both.",
    ),
    given=("split_heads",),
    mistakes=(
        Mistake(
            "layout-ignored",
            _layout_ignored,
            "You read this layout as concatenated: all q, all k, all v. The first queries are right all the same, which is "
            "why it is easily missed. Look at the order of the blocks.",
            "One product, three layouts",
            loses=("per_head", "per_group"),
        ),
        Mistake(
            "equal-thirds",
            _equal_thirds,
            "You cut the width into three equal parts. With fewer K/V heads, k and v are narrower than q: "
            "n_kv_heads * head_dim columns each.",
            "One product, three layouts",
            loses=("concatenated",),
        ),
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "The blocks are right, but a reshape straight to (batch, heads, seq, head_dim) deals the tokens out to "
            "the heads. Reshape to (batch, seq, heads, head_dim), then transpose.",
            "Reshape, then transpose",
        ),
        Mistake(
            "parts-innermost",
            _parts_innermost,
            "You read per_head as (n_heads, head_dim, 3): q, k and v one number at a time. They come a block of "
            "head_dim at a time: (n_heads, 3, head_dim).",
            "One product, three layouts",
            loses=("per_head",),
        ),
        Mistake(
            "groups-dealt-out",
            _groups_dealt_out,
            "Your query heads go round the groups. The queries of one group stand together: query head h belongs to "
            "group h // (n_heads // n_kv_heads).",
            "One product, three layouts",
            loses=("per_group",),
        ),
        Mistake(
            "value-before-key",
            _value_before_key,
            "Keys and values are swapped. In every layout the key block comes before the value block.",
            "One product, three layouts",
        ),
        Mistake(
            "float64-buffers",
            _float64_buffers,
            "Your results are float64. np.zeros and np.empty make that unless told otherwise, and so does computing "
            "with a float64 array. The results must have the dtype of qkv.",
            "What goes wrong and does not crash",
        ),
    ),
)
