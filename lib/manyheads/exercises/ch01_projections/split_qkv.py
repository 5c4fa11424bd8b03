"""split-qkv: queries, keys and values out of one product, in the three layouts in use."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch01_projections.split_qkv_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _case(rng, about, layout, n_heads, n_kv_heads):
    """All sizes different and more than one."""
    taken = {n_heads, n_kv_heads, n_heads // n_kv_heads}
    batch, seq, head_dim = (int(i) for i in rng.permutation([i for i in range(2, 15) if i not in taken])[:3])
    head_dim += head_dim % 2  # even, so that thirds of the width can be taken for heads
    while head_dim in taken | {batch, seq}:
        head_dim += 2
    return Case(about, _inputs(rng, layout, (batch, seq), (n_heads, n_kv_heads), head_dim, "float32"))


def _one_of_each(rng, layout, n_heads):
    """Every axis that can be 1 is 1: none of them may be lost. And the dtype is another."""
    head_dim = 2 * int(rng.integers(2, 5))
    inputs = _inputs(rng, layout, (1, 1), (n_heads, 1), head_dim, "float64")
    heads = "one head" if n_heads == 1 else "one K/V head"
    return Case(f"{layout}, float64: one sequence of one token, {heads}", inputs)


def _inputs(rng, layout, batch_and_seq, heads, head_dim, dtype):
    n_heads, n_kv_heads = heads
    width = (n_heads + 2 * n_kv_heads) * head_dim
    return {
        "qkv": sizes.normal(rng, *batch_and_seq, width, dtype=dtype),
        "n_heads": n_heads,
        "n_kv_heads": n_kv_heads,
        "layout": layout,
    }


def _concatenated(rng):
    n_heads = int(rng.integers(3, 7))
    return [
        _case(rng, "concatenated, a K/V head for every query head", "concatenated", n_heads, n_heads),
        # 8 + 2 * 2 blocks: what np.split(qkv, 3) makes of them can still be split into heads.
        _case(rng, "concatenated, fewer K/V heads than query heads", "concatenated", 8, 2),
        _one_of_each(rng, "concatenated", 4),
    ]


def _per_head(rng):
    n_heads = int(rng.integers(3, 7))
    return [
        _case(rng, "per_head, a K/V head for every query head", "per_head", n_heads, n_heads),
        _one_of_each(rng, "per_head", 1),
    ]


def _per_group(rng):
    small = [(6, 2), (8, 2), (12, 3)][int(rng.integers(3))]
    pairs = int(rng.integers(3, 6))
    return [
        _case(rng, "per_group, three query heads or more to a K/V head", "per_group", *small),
        _case(rng, "per_group, two query heads to a K/V head", "per_group", 2 * pairs, pairs),
        _one_of_each(rng, "per_group", 5),
    ]


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
        Aspect("per_head", 1, "q, k, v of one head after the other", _per_head),
        Aspect("per_group", 2, "the q of a group, its k, its v, group after group", _per_group),
    ),
    alternatives={"lists of blocks": _block_lists, "boolean choice of blocks": _take_blocks, "loops": _loops},
    example=""">>> qkv = np.arange(1, 37).reshape(1, 3, 12)  # three tokens; the row of the first holds 1 to 12
>>> q, k, v = split_qkv(qkv, 2, 2, "per_head")
>>> q.shape
(1, 2, 3, 2)
>>> q[0, 1].tolist()  # head 1, a row for each token
[[7, 8], [19, 20], [31, 32]]
>>> q, k, v = split_qkv(qkv, 2, 2, "concatenated")
>>> q[0, 1].tolist()
[[3, 4], [15, 16], [27, 28]]
>>> [part.ravel().tolist() for part in split_qkv(np.arange(1, 11).reshape(1, 1, 10), 6, 2, "per_group")]
[[1, 2, 3, 6, 7, 8], [4, 9], [5, 10]]""",
    hints=(
        "Start with head_dim: how many blocks of that width does a row hold, counting queries, keys and values?",
        "concatenated: where do the queries end, and where the keys, counted in blocks? With fewer key/value heads the "
        "three parts are not equally wide.",
        "per_head and per_group: cut the row into as many pieces as there are key/value heads first. A piece holds "
        "group + 2 blocks, with group = n_heads // n_kv_heads. Which of them are queries?",
        "per_head is per_group with a single query in every group, so that one piece of code can serve both.",
    ),
    given=("split_heads",),
    mistakes=MISTAKES,
)
