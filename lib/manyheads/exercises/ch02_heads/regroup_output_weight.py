"""regroup-output-weight: W_O for heads merged as (h d), from one trained with heads merged as (d h)."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(rows // n_heads, n_heads, d_model).swapaxes(0, 1).reshape(rows, d_model)


def _case(about, rng, dtype="float64", square=False, **ranges):
    s = sizes.draw_with_width(rng, **{"n_heads": (3, 5), "head_dim": (2, 7), **ranges})
    # d_model is a multiple of n_heads: so the columns could be regrouped as well, by mistake.
    free = [k * s["n_heads"] for k in (2, 3, 4, 5, 6) if k * s["n_heads"] not in s.values()]
    d_model = s["width"] if square else int(rng.choice(free))
    return Case(about, {"w_o": sizes.normal(rng, s["width"], d_model, dtype=dtype), "n_heads": s["n_heads"]})


def _values(rng):
    return [
        _case("a square W_O, as in most models", rng, square=True),
        _case("a W_O that is not square", rng),
        _case("more heads than numbers in a head", rng, n_heads=(6, 8), head_dim=(2, 3)),
        _case("fewer heads than numbers in a head", rng, n_heads=(2, 3), head_dim=(5, 8)),
    ]


def _float32(rng):
    return [_case("float32 weights", rng, "float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _every_n_heads_th_row(w_o, n_heads):
    return np.concatenate([w_o[h::n_heads] for h in range(n_heads)])


def _row_by_row(w_o, n_heads):
    d = len(w_o) // n_heads
    out = np.empty_like(w_o)
    for row in range(len(w_o)):
        dim, head = divmod(row, n_heads)
        out[head * d + dim] = w_o[row]
    return out


def _rows_by_index(w_o, n_heads):
    row = np.arange(len(w_o))
    d = len(w_o) // n_heads
    return w_o[row % d * n_heads + row // d]


def _stable_sort(w_o, n_heads):
    head = np.arange(w_o.shape[0]) % n_heads
    return w_o[np.argsort(head, kind="stable")]


def _column_major(w_o, n_heads):
    heads = w_o.reshape((n_heads, -1, w_o.shape[1]), order="F")
    return heads.reshape(w_o.shape)


# -- known mistakes ------------------------------------------------------------------------------------


def _as_it_is(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(n_heads, rows // n_heads, d_model).reshape(rows, d_model)


def _other_way(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(n_heads, rows // n_heads, d_model).swapaxes(0, 1).reshape(rows, d_model)


def _columns_regrouped(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(rows, d_model // n_heads, n_heads).swapaxes(1, 2).reshape(rows, d_model)


def _columns_too(w_o, n_heads):
    rows, d_model = w_o.shape
    w_o = w_o.reshape(rows // n_heads, n_heads, d_model).swapaxes(0, 1).reshape(rows, d_model)
    return w_o.reshape(rows, d_model // n_heads, n_heads).swapaxes(1, 2).reshape(rows, d_model)


def _heads_reversed(w_o, n_heads):
    return np.concatenate([w_o[h::n_heads] for h in range(n_heads)][::-1])


def _rows_cut_by_reshape(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(rows // n_heads, d_model, n_heads).transpose(2, 0, 1).reshape(rows, d_model)


def _transposed(w_o, n_heads):
    rows, d_model = w_o.shape
    return w_o.reshape(rows // n_heads, n_heads, d_model).swapaxes(0, 1).reshape(rows, d_model).T


def _float64_buffer(w_o, n_heads):
    out = np.zeros(w_o.shape)
    d = w_o.shape[0] // n_heads
    for h in range(n_heads):
        out[h * d : (h + 1) * d] = w_o[h::n_heads]
    return out


_ORDER = "The order of heads and dims"

EXERCISE = Exercise(
    name="regroup-output-weight",
    title="Weights trained in the other order",
    chapter="02-heads",
    version=1,
    parameters=(
        Parameter(
            "w_o",
            "float array (n_heads * head_dim, d_model); row `j * n_heads + h` belongs to number `j` of head `h`",
        ),
        Parameter("n_heads", "whole number; divides the rows of w_o"),
    ),
    returns=(Output("result", ("n_heads * head_dim", "d_model")),),
    reference=_reference,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "every row in its place, whatever n_heads and head_dim", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "every n_heads-th row": _every_n_heads_th_row,
        "row by row": _row_by_row,
        "rows by index": _rows_by_index,
        "stable sort": _stable_sort,
        "column-major": _column_major,
    },
    example=""">>> w_o = np.array([[7.0], [3.0], [5.0], [9.0], [2.0], [4.0]])
>>> regroup_output_weight(w_o, 2).ravel().tolist()
[7.0, 5.0, 2.0, 3.0, 9.0, 4.0]""",
    hints=(
        "Take the example's six rows. Where do the rows of head 0 stand before, and where are they to stand?",
        "Give the rows two axes instead of one. Which of the two runs faster in the matrix that you get, and which in "
        "the one that you are to return?",
        "With two axes for the rows, changing the order is an exchange of these two axes; then make one of them "
        "again. Mind which of the two sizes comes first when you cut.",
    ),
    mistakes=(
        Mistake(
            "as-it-is",
            _as_it_is,
            "The rows still stand in the order in which you got them: what you did moved none, or was undone.",
            _ORDER,
        ),
        Mistake(
            "other-way",
            _other_way,
            "You went the other way, from (h d) to (d h). In the matrix that you get, the heads run fastest from row "
            "to row. Where n_heads = head_dim, both ways are the same.",
            _ORDER,
        ),
        Mistake(
            "columns-regrouped",
            _columns_regrouped,
            "You regrouped the columns. The heads meet the rows of W_O, since they come from the left; its columns "
            "are the numbers of the model, which have no heads.",
            _ORDER,
        ),
        Mistake(
            "columns-too",
            _columns_too,
            "The rows are right, but you regrouped the columns too. They are the numbers of the model, which have no "
            "heads, and stay as they are.",
            _ORDER,
        ),
        Mistake(
            "heads-reversed",
            _heads_reversed,
            "The rows of each head stand together, but the heads come in reverse. Head 0 is the first.",
            _ORDER,
        ),
        Mistake(
            "rows-cut-by-reshape",
            _rows_cut_by_reshape,
            "The rows are cut through: what comes out is every n_heads-th number of W_O, and not every n_heads-th "
            "row. The heads are an axis of the rows: cut that axis in two, and leave the columns whole.",
            _ORDER,
        ),
        Mistake(
            "transposed",
            _transposed,
            "The rows are in the right order, but the matrix is transposed. Weights act as x @ w here, so a head's "
            "numbers meet rows.",
            _ORDER,
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64, whatever w_o is; np.zeros and np.empty, for example, make that unless told "
            "otherwise. Rows only move here, so the result has the dtype of w_o.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
