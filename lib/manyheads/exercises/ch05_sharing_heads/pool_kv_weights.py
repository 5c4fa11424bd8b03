"""pool-kv-weights: the K/V heads of a trained model averaged, so that groups can share them."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter


def _inputs(rng, dtype="float64", **ranges):
    usual = {"n_kv_heads": (2, 4), "group": (2, 5), "d_model": (6, 11), "head_dim": (3, 8)}
    while True:
        s = sizes.draw(rng, **{**usual, **ranges})
        n_kv_heads, group, d_model, head_dim = s.values()
        # The rows cannot be dealt out to the heads of a group, and are not as many as the columns of the result.
        if (group == 1 or d_model % group) and d_model != n_kv_heads * head_dim:
            break
    n_heads = n_kv_heads * group
    w = sizes.normal(rng, d_model, n_heads * head_dim, dtype=dtype)
    return {"w": w, "n_heads": n_heads, "n_kv_heads": n_kv_heads}


def _values(rng):
    return [
        Case("several groups", _inputs(rng)),
        Case("several groups, d_model as wide as the heads", _square(rng)),
    ]


def _square(rng):
    n_kv_heads, group, head_dim = (int(i) for i in rng.permutation([2, 3, 4, 5])[:3])
    n_heads = n_kv_heads * group
    w = sizes.normal(rng, n_heads * head_dim, n_heads * head_dim)
    return {"w": w, "n_heads": n_heads, "n_kv_heads": n_kv_heads}


def _ends(rng):
    return [
        Case("a single K/V head to keep", _inputs(rng, n_kv_heads=(1, 1))),
        Case("every K/V head to keep", _inputs(rng, group=(1, 1))),
        Case("several groups", _inputs(rng), probe=True),  # tells the first head of a group from the first columns
    ]


def _float32(rng):
    return [Case("float32 weights", _inputs(rng, "float32"))]


# -- right answers by other techniques -----------------------------------------------------------------


def _loop_over_groups(w, n_heads, n_kv_heads):
    heads = np.split(w, n_heads, axis=1)
    group = n_heads // n_kv_heads
    pooled = [sum(heads[j * group : (j + 1) * group]) / group for j in range(n_kv_heads)]
    return np.concatenate(pooled, axis=1)


def _einsum(w, n_heads, n_kv_heads):
    group, head_dim = n_heads // n_kv_heads, w.shape[1] // n_heads
    return np.einsum("mgd->md", w.reshape(-1, group, head_dim)).reshape(w.shape[0], -1) / group


def _averaging_matrix(w, n_heads, n_kv_heads):
    group, head_dim = n_heads // n_kv_heads, w.shape[1] // n_heads
    share = np.repeat(np.eye(n_kv_heads, dtype=w.dtype), group, axis=0) / group
    return w @ np.kron(share, np.eye(head_dim, dtype=w.dtype))


def _strided_sums(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    heads = w.reshape(w.shape[0], n_heads, -1)
    total = sum(heads[:, i::group] for i in range(group))
    return np.divide(total, group).reshape(w.shape[0], -1)


def _added_in_place(w, n_heads, n_kv_heads):
    group, d = n_heads // n_kv_heads, w.shape[1] // n_heads
    out = np.zeros((w.shape[0], n_kv_heads * d), w.dtype)
    for h in range(n_heads):
        j = h // group
        out[:, j * d : (j + 1) * d] += w[:, h * d : (h + 1) * d]
    return out / group


# -- known mistakes ------------------------------------------------------------------------------------


def _summed(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_kv_heads, group, -1).sum(2).reshape(w.shape[0], -1)


def _first_of_the_group(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_heads, -1)[:, ::group].reshape(w.shape[0], -1)


def _last_of_the_group(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_heads, -1)[:, group - 1 :: group].reshape(w.shape[0], -1)


def _first_columns(w, n_heads, n_kv_heads):
    return w[:, : n_kv_heads * (w.shape[1] // n_heads)]


def _tiled_groups(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], group, n_kv_heads, -1).mean(1).reshape(w.shape[0], -1)


def _neighbouring_columns(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], -1, group).mean(-1)


def _d_before_h(w, n_heads, n_kv_heads):
    group, head_dim = n_heads // n_kv_heads, w.shape[1] // n_heads
    pooled = w.reshape(w.shape[0], head_dim, n_kv_heads, group).mean(3)
    return pooled.transpose(0, 2, 1).reshape(w.shape[0], n_kv_heads * head_dim)


def _rows_cut_into_heads(w, n_heads, n_kv_heads):
    group, head_dim = n_heads // n_kv_heads, w.shape[1] // n_heads
    pooled = w.reshape(n_kv_heads, group, w.shape[0], head_dim).mean(1)
    return pooled.transpose(1, 0, 2).reshape(w.shape[0], n_kv_heads * head_dim)


def _rows_cut_and_laid_side_by_side(w, n_heads, n_kv_heads):
    group, head_dim = n_heads // n_kv_heads, w.shape[1] // n_heads
    pooled = w.reshape(n_kv_heads, group, w.shape[0], head_dim).mean(1)
    return pooled.reshape(w.shape[0], n_kv_heads * head_dim)


def _divided_by_n_kv_heads(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_kv_heads, group, -1).sum(2).reshape(w.shape[0], -1) / n_kv_heads


def _divided_by_n_heads(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_kv_heads, group, -1).sum(2).reshape(w.shape[0], -1) / n_heads


def _largest(w, n_heads, n_kv_heads):
    group = n_heads // n_kv_heads
    return w.reshape(w.shape[0], n_kv_heads, group, -1).max(2).reshape(w.shape[0], -1)


def _float64_buffer(w, n_heads, n_kv_heads):
    group, d = n_heads // n_kv_heads, w.shape[1] // n_heads
    out = np.zeros((w.shape[0], n_kv_heads * d))
    for h in range(n_heads):
        out[:, h // group * d : (h // group + 1) * d] += w[:, h * d : (h + 1) * d] / group
    return out


EXERCISE = Exercise(
    name="pool-kv-weights",
    title="From many key/value heads to few",
    chapter="05-sharing-heads",
    version=1,
    parameters=(
        Parameter("w", "float array (d_model, n_heads * head_dim): W_K or W_V, one head beside the other"),
        Parameter("n_heads", "whole number: heads in w"),
        Parameter("n_kv_heads", "whole number: heads to keep; divides n_heads"),
    ),
    returns=(Output("result", ("d_model", "n_kv_heads * head_dim")),),
    reference=reference.pool_kv_heads,
    tolerance={"float64": 4e-15, "float32": 2e-6},  # the mean of a few numbers
    example="""
>>> pool_kv_weights(np.array([[1.0, 3.0, 10.0, 20.0]]), 4, 2)
array([[ 2., 15.]])
""",
    hints=(
        "Begin with the columns: which columns of w belong to head 0, and which heads make up group 0?",
        "Give the columns three axes instead of one: the group, the head in its group, the number in the head. Think "
        "about which of the three changes slowest from column to column.",
        "One of these three axes is averaged away. Then lay the remaining two side by side again.",
    ),
    aspects=(
        Aspect("values", 2, "each kept head is the mean of its group", _values),
        Aspect("the ends", 1, "one K/V head to keep, and all of them", _ends),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "loop over groups": _loop_over_groups,
        "einsum": _einsum,
        "product with an averaging matrix": _averaging_matrix,
        "strided sums": _strided_sums,
        "added in place": _added_in_place,
    },
    mistakes=(
        Mistake(
            "summed",
            _summed,
            "You added the heads of a group up. Their mean is wanted: with the sum, keys and values become as many "
            "times too large as a group has heads, and the scores with them.",
            "From many heads to few",
        ),
        Mistake(
            "first-of-the-group",
            _first_of_the_group,
            "You kept the first head of each group and threw the others away. Average all of the group: what the "
            "other heads have learnt counts too.",
            "From many heads to few",
        ),
        Mistake(
            "last-of-the-group",
            _last_of_the_group,
            "You kept the last head of each group. Average all of the group; in a loop, add each head to what the "
            "group has so far instead of writing over it.",
            "From many heads to few",
        ),
        Mistake(
            "first-columns",
            _first_columns,
            "You kept the first columns of w and dropped the others. The new heads are means: the columns of all "
            "heads count.",
            "From many heads to few",
        ),
        Mistake(
            "tiled-groups",
            _tiled_groups,
            "You averaged heads h, h + n_kv_heads, and so on. The heads of a group stand together: head h belongs to "
            "group h // group. The query heads that read the new head are exactly these.",
            "Which key/value head a query head reads",
            loses=("values", "float32"),
        ),
        Mistake(
            "neighbouring-columns",
            _neighbouring_columns,
            "You averaged neighbouring columns, which belong to one and the same head. A head is head_dim columns "
            "wide: average column j of one head with column j of the other heads.",
            "From many heads to few",
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "You read the columns as (head_dim, heads). The heads lie side by side, so it is (heads, head_dim): the "
            "number of the column within its head changes fastest.",
            "From many heads to few",
        ),
        Mistake(
            "rows-cut-into-heads",
            _rows_cut_into_heads,
            "Your reshape put the heads in front of the d_model rows, which cuts rows into heads. A head owns "
            "columns: keep d_model as the first axis, and split the second.",
            "From many heads to few",
        ),
        Mistake(
            "rows-cut-and-laid-side-by-side",
            _rows_cut_and_laid_side_by_side,
            "Your reshape put the heads in front of the d_model rows, which cuts rows into heads. A head owns "
            "columns: keep d_model as the first axis, and split the second.",
            "From many heads to few",
        ),
        Mistake(
            "divided-by-n-kv-heads",
            _divided_by_n_kv_heads,
            "You divided each group's sum by the number of K/V heads to keep. A mean divides by how many were added: "
            "the heads of one group.",
            "From many heads to few",
        ),
        Mistake(
            "divided-by-n-heads",
            _divided_by_n_heads,
            "You divided each group's sum by the number of all heads. A mean divides by how many were added: the "
            "heads of one group.",
            "From many heads to few",
        ),
        Mistake(
            "largest",
            _largest,
            "You took the largest weight of each group, as pooling of images often does. Key and value heads are "
            "averaged: with the largest of each, all weights would drift upward.",
            "From many heads to few",
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. For example, np.zeros and np.empty make that unless told otherwise, and a sum "
            "with a float64 array becomes float64. The result must have the dtype of w.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
