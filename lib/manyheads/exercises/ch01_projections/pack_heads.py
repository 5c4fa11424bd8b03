"""pack-heads: the per-head matrices laid side by side."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _inputs(rng, dtype="float64"):
    s = sizes.draw_with_width(rng, n_heads=(3, 5), d_model=(4, 9), head_dim=(2, 7))
    return {"w": sizes.normal(rng, s["n_heads"], s["d_model"], s["head_dim"], dtype=dtype)}


def _values(rng):
    one_head = sizes.draw(rng, d_model=(5, 9), head_dim=(2, 4))
    return [
        Case("every size different", _inputs(rng)),
        Case("a single head", {"w": sizes.normal(rng, 1, one_head["d_model"], one_head["head_dim"])}),
    ]


def _float32(rng):
    return [Case("float32 weights", _inputs(rng, "float32"))]


# -- right answers by other techniques -----------------------------------------------------------------


def _concatenate(w):
    return np.concatenate(list(w), axis=1)


def _hstack(w):
    return np.hstack(list(w))


def _loops(w):
    n_heads, d_model, head_dim = w.shape
    out = np.empty((d_model, n_heads * head_dim), w.dtype)
    for h in range(n_heads):
        out[:, h * head_dim : (h + 1) * head_dim] = w[h]
    return out


def _move_the_head_axis(w):
    n_heads, d_model, head_dim = w.shape
    return w.transpose(1, 0, 2).reshape(d_model, n_heads * head_dim)


# -- known mistakes ------------------------------------------------------------------------------------


def _bare_reshape(w):
    return w.reshape(w.shape[1], w.shape[0] * w.shape[2])


def _d_before_h(w):
    return w.transpose(1, 2, 0).reshape(w.shape[1], -1)


def _each_transposed(w):
    return w.transpose(0, 2, 1).reshape(w.shape[1], -1)


def _column_major(w):
    return w.reshape(w.shape[1], -1, order="F")


def _first_head_tiled(w):
    return np.tile(w[0], (1, w.shape[0]))


def _heads_reversed(w):
    return np.concatenate(list(w[::-1]), axis=1)


def _stacked_rows(w):
    return np.concatenate(list(w), axis=0)


def _float64_buffer(w):
    out = np.zeros((w.shape[1], w.shape[0] * w.shape[2]))
    for h, head in enumerate(w):
        out[:, h * w.shape[2] : (h + 1) * w.shape[2]] = head
    return out


EXERCISE = Exercise(
    name="pack-heads",
    title="From a matrix for each head to one matrix",
    chapter="01-projections",
    version=1,
    parameters=(Parameter("w", "float array (n_heads, d_model, head_dim); w[h] is head h's matrix"),),
    returns=(Output("result", ("d_model", "n_heads * head_dim")),),
    reference=reference.pack_heads,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "every weight in its place", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "concatenate": _concatenate,
        "hstack": _hstack,
        "loop over column blocks": _loops,
        "move the head axis": _move_the_head_axis,
    },
    example=""">>> pack_heads(np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])).tolist()
[[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 7.0, 8.0]]""",
    hints=(
        "Write the example's two matrices on paper, side by side. Which axis grows, and which stays as it is?",
        "A row of the result belongs to one of the d_model inputs and runs through all heads. In w the heads come "
        "first; either join the matrices along their columns, or bring the head axis next to the columns before you "
        "flatten.",
    ),
    mistakes=(
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "You reshaped without moving the head axis, so a row of the result runs through several rows of one "
            "head's matrix. Transpose to (d_model, n_heads, head_dim) first, or concatenate along axis 1.",
            "Packing the weights",
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "The columns of the heads alternate, as they do where (head_dim, n_heads) is flattened. The heads lie side "
            "by side: all columns of head 0, then all of head 1, and so on, which is (n_heads, head_dim) flattened.",
            "Packing the weights",
        ),
        Mistake(
            "each-transposed",
            _each_transposed,
            "Each head's matrix went in transposed. Weights act as x @ w here, so w[h] keeps its d_model rows.",
            "Packing the weights",
        ),
        Mistake(
            "column-major",
            _column_major,
            "You reshaped in column-major order (order='F'), in which the first axis, here the heads, runs fastest: "
            "the heads' weights come out shuffled together. Keep NumPy's own order, and move the head axis first.",
            "Packing the weights",
        ),
        Mistake(
            "first-head-tiled",
            _first_head_tiled,
            "The matrix of head 0 stands there once for every head. Block h of the columns is w[h].",
            "Packing the weights",
        ),
        Mistake(
            "heads-reversed",
            _heads_reversed,
            "The heads stand in the reverse order. Block h of the columns is w[h], and head 0 comes first.",
            "Packing the weights",
        ),
        Mistake(
            "stacked-rows",
            _stacked_rows,
            "You laid the matrices below each other (axis 0). Side by side is axis 1: the result has d_model rows.",
            "Packing the weights",
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. np.zeros and np.empty make that unless told otherwise, and so does computing "
            "with a float64 array. The result must have the dtype of w.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
