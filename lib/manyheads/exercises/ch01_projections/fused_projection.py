"""fused-projection: one product for all heads, then the split."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _inputs(rng, dtype="float64", square=False, **ranges):
    ranges = {"batch": (2, 3), "seq": (4, 9), "n_heads": (3, 5), "head_dim": (2, 7), "d_model": (5, 11), **ranges}
    s = sizes.draw_with_width(rng, **ranges)
    # Not square: so narrow that d_model // n_heads is not head_dim, and that the first d_model columns are not all.
    while not square and s["d_model"] > s["width"] - s["n_heads"]:
        s = sizes.draw_with_width(rng, **ranges)
    d_model = s["width"] if square else s["d_model"]
    return {
        "x": sizes.normal(rng, s["batch"], s["seq"], d_model, dtype=dtype),
        "w": sizes.normal(rng, d_model, s["width"], dtype=dtype),
        "n_heads": s["n_heads"],
    }


def _values(rng):
    return [
        Case("a square weight, as in most models", _inputs(rng, square=True)),
        Case("d_model smaller than n_heads * head_dim", _inputs(rng)),
        Case("a single sequence, more heads than tokens", _inputs(rng, batch=(1, 1), n_heads=(7, 8), seq=(4, 6))),
    ]


def _float32(rng):
    return [
        Case("float32 tokens and weights, d_model smaller than n_heads * head_dim", _inputs(rng, "float32")),
        Case("float32, a single sequence and a square weight", _inputs(rng, "float32", square=True, batch=(1, 1))),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _columns_of_each_head(x, w, n_heads):
    d = w.shape[1] // n_heads
    return np.stack([x @ w[:, h * d : (h + 1) * d] for h in range(n_heads)], axis=1)


def _einsum(x, w, n_heads):
    return np.einsum("bni,ihj->bhnj", x, w.reshape(w.shape[0], n_heads, -1))


def _split_and_stack(x, w, n_heads):
    return np.stack(np.split(x @ w, n_heads, axis=-1), axis=1)


# -- known mistakes ------------------------------------------------------------------------------------


def _bare_reshape(x, w, n_heads):
    y = x @ w
    return y.reshape(y.shape[0], n_heads, y.shape[1], y.shape[2] // n_heads)


def _d_before_h(x, w, n_heads):
    y = x @ w
    return y.reshape(y.shape[0], y.shape[1], y.shape[2] // n_heads, n_heads).transpose(0, 3, 1, 2)


def _transpose_before_reshape(x, w, n_heads):
    y = (x @ w).transpose(0, 2, 1)
    return y.reshape(y.shape[0], n_heads, y.shape[2], y.shape[1] // n_heads)


def _transposed_weight(x, w, n_heads):
    y = x @ w.T
    return y.reshape(y.shape[0], y.shape[1], n_heads, y.shape[2] // n_heads).transpose(0, 2, 1, 3)


def _no_transpose(x, w, n_heads):
    y = x @ w
    return y.reshape(y.shape[0], y.shape[1], n_heads, y.shape[2] // n_heads)


def _heads_before_batch(x, w, n_heads):
    return np.stack(np.split(x @ w, n_heads, axis=-1))


def _heads_first_then_reshaped(x, w, n_heads):
    y = np.array(np.split(x @ w, n_heads, axis=-1))
    return y.reshape(x.shape[0], n_heads, x.shape[1], w.shape[1] // n_heads)


def _weight_reshaped_first(x, w, n_heads):
    heads = w.reshape(n_heads, w.shape[0], w.shape[1] // n_heads)
    return np.stack([x @ head for head in heads], axis=1)


def _float64_inside(x, w, n_heads):
    y = np.dot(x.astype(np.float64), w.astype(np.float64))
    return y.reshape(y.shape[0], y.shape[1], n_heads, -1).transpose(0, 2, 1, 3)


EXERCISE = Exercise(
    name="fused-projection",
    title="One product for all heads",
    chapter="01-projections",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, seq, d_model)"),
        Parameter("w", "float array (d_model, n_heads * head_dim), the heads' matrices side by side"),
        Parameter("n_heads", "whole number"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "n_heads", "seq", "head_dim"),
            about="an array (batch, n_heads, seq, head_dim) of the dtype of `x`",
        ),
    ),
    reference=reference.fused_projection,
    tolerance=ONE_PRODUCT,
    aspects=(
        Aspect("values", 3, "the right numbers in the right places", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "a product for the columns of each head": _columns_of_each_head,
        "einsum": _einsum,
        "split and stack": _split_and_stack,
    },
    example=""">>> x = np.array([[[1.0, 0.0], [0.0, 10.0]]])
>>> w = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
>>> fused_projection(x, w, n_heads=2).tolist()
[[[[1.0, 2.0], [50.0, 60.0]], [[3.0, 4.0], [70.0, 80.0]]]]""",
    hints=(
        "Do it for the eight numbers of the example: after the product, where do the numbers of head 1 stand in each "
        "row?",
        "Cut the last axis in two, so that one of the new axes counts heads and the other the numbers in a head. Which "
        "of the two comes first, if a head's columns stand together?",
        "After the cut the axes are (batch, seq, n_heads, head_dim). Moving an axis is a transpose; a second reshape "
        "would deal out the numbers anew.",
    ),
    mistakes=(
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "You reshaped straight to (batch, n_heads, seq, head_dim). That has the right shape, but it deals the "
            "tokens out to the heads. Reshape to (batch, seq, n_heads, head_dim), then transpose.",
            "Reshape, then transpose",
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "Your columns are dealt out to the heads one at a time, as a split into (head_dim, n_heads) or order='F' "
            "does. A head's columns stand together, so the split is (n_heads, head_dim), in NumPy's own order.",
            "Reshape, then transpose",
        ),
        Mistake(
            "transpose-before-reshape",
            _transpose_before_reshape,
            "The tokens were moved behind the width, and then a reshape was made, so one row mixes several tokens. "
            "Split the width into (n_heads, head_dim) first, then move the head axis, and reshape no more.",
            "Reshape, then transpose",
        ),
        Mistake(
            "transposed-weight",
            _transposed_weight,
            "You multiplied by w.T. In this course weights act as x @ w with w (d_model, n_heads * head_dim); "
            "torch's nn.Linear stores the transpose.",
            "The fused view",
        ),
        Mistake(
            "no-transpose",
            _no_transpose,
            "The split is right, but the heads still stand behind the tokens. Transpose (batch, seq, n_heads, "
            "head_dim) to (batch, n_heads, seq, head_dim).",
            "Reshape, then transpose",
        ),
        Mistake(
            "heads-before-batch",
            _heads_before_batch,
            "The heads stand in front of the batch, as np.stack puts them unless told otherwise. This course keeps "
            "(batch, n_heads, seq, head_dim): the head axis comes second.",
            "Reshape, then transpose",
        ),
        Mistake(
            "heads-first-then-reshaped",
            _heads_first_then_reshaped,
            "The heads were collected in front of the batch, and then reshaped into the right shape instead of moved. "
            "A reshape deals the numbers out anew, in reading order, so heads and sequences are mixed. Move the head "
            "axis to the second place.",
            "Reshape, then transpose",
        ),
        Mistake(
            "weight-reshaped-first",
            _weight_reshaped_first,
            "You reshaped w from (d_model, n_heads * head_dim) straight to (n_heads, d_model, head_dim). That cuts "
            "its rows into heads. A head owns columns: reshape to (d_model, n_heads, head_dim), then transpose.",
            "Packing the weights",
        ),
        Mistake(
            "float64-inside",
            _float64_inside,
            "You computed in float64 and returned that. Computing so is fine; the result must have the dtype of x.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
