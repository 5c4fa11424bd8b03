"""triton-row-softmax: a Triton kernel in which one program does a row of any strides."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.triton_cases import dense, spaced
from manyheads.exercises.ch08_kernels.triton_row_softmax_answers import ALTERNATIVES
from manyheads.exercises.ch08_kernels.triton_row_softmax_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out


def _softmax(scores):
    return reference.softmax(scores.astype("float64")).astype(scores.dtype)


def _case(rng, about, rows, length, block=64, way="interpreted", dtype="float32", strides=None, between=np.nan, **more):
    """`strides`: of the scores by row and column, then of the weights, whose buffer is rows of `weights_row`."""
    scores = rng.standard_normal((rows, length)) * 2 + more.get("shift", 0.0)
    if "change" in more:
        more["change"](scores)
    scores = scores.astype(dtype)
    scores_strides, (row, column) = strides or (dense(scores.shape), dense(scores.shape))
    kept = (slice(None), slice(0, (length - 1) * column + 1, column))
    arguments = {
        "scores": spaced(scores, scores_strides, between),
        "weights": Out((rows, row), dtype, kept),
        "length": length,
        "scores_row": scores_strides[0],
        "scores_column": scores_strides[1],
        "weights_row": row,
        "weights_column": column,
    }
    launch = Launch("triton_row_softmax", (rows,), arguments=arguments, constants={"BLOCK": block})
    return Case(about, {"scores": scores}, launch=launch, way=way, probe=more.get("probe", False))


def _whole(rng, dtype="float32"):
    """Every lane has a number: a kernel that only lacks a mask does no harm here, one that goes astray does."""
    return _case(rng, "rows as long as the block", 3, 32, 32, dtype=dtype, strides=((37, 1), (41, 1)), probe=True)


def _length(rng, low=35, high=51):
    return int(rng.integers(low, high + 1))


def _some_forbidden(scores):
    scores[::2, scores.shape[1] // 2 :] = -np.inf
    scores[1, ::2] = -np.inf


def _rows_forbidden(scores):
    scores[1] = -np.inf
    scores[-1] = -np.inf


def _values(rng):
    return [
        _whole(rng),
        _case(rng, "rows a little shorter than the block", 5, _length(rng)),
        _case(rng, "rows much shorter than the block", 4, _length(rng, 66, 75), 256),
        _case(rng, "two scores a row", 3, 2, 16),
    ]


def _large(rng):
    return [
        _whole(rng),
        _case(rng, "scores far above 0", 3, _length(rng), shift=200.0),
        _case(rng, "scores far below 0", 4, _length(rng), shift=-300.0),
    ]


def _forbidden(rng):
    return [
        _whole(rng),
        _case(rng, "some scores are -inf", 5, _length(rng), change=_some_forbidden),
        _case(rng, "rows of nothing but -inf", 4, _length(rng), change=_rows_forbidden),
    ]


def _strides(rng):
    a, b, c = 64, _length(rng, 41, 45), _length(rng, 47, 51)
    return [
        _case(
            rng,
            "rows as long as the block, with gaps",
            5,
            a,
            strides=((a + 23, 1), (a + 9, 1)),
            between=3.0,
        ),
        _case(rng, "columns with gaps between them", 4, b, strides=((3 * b + 5, 3), (2 * b, 2)), between=2.0),
        _case(rng, "scores that lie column by column", 3, c, strides=((1, 7), (c + 2, 1)), between=4.0),
    ]


def _half(rng):
    a, b = _length(rng, 51, 57), _length(rng, 59, 63)
    return [
        _whole(rng, "float16"),
        _case(rng, "float16 in, float16 out", 3, b, 128, dtype="float16"),
        _case(rng, "float16, all scores alike", 4, 210 + a, 512, dtype="float16", change=_alike),
    ]


def _alike(scores):
    scores *= 0.01


def _gpu(rng):
    return [
        _whole(rng),
        _case(rng, "compiled for an A100", 3, 43, 64, "sm_80"),
        _case(rng, "float16, compiled for an H100", 5, 37, 128, "sm_90", "float16"),
    ]


EXERCISE = Exercise(
    name="triton-row-softmax",
    title="A softmax, one program a row",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("scores", "pointer to float32 or float16: (rows, length); some may be -inf"),
        Parameter("weights", "pointer to the same dtype: (rows, length), to be filled"),
        Parameter("length", "int: numbers in a row, from 2 to BLOCK"),
        Parameter("scores_row", "int: from a score to the one below it, in numbers"),
        Parameter("scores_column", "int: from a score to the next in its row, in numbers"),
        Parameter("weights_row", "int: as scores_row, for weights"),
        Parameter("weights_column", "int: as scores_column, for weights"),
        Parameter("BLOCK", "tl.constexpr: lanes of a program, a power of two"),
    ),
    returns=(Output("weights", ("rows", "length")),),
    reference=Oracle(_softmax),
    tolerance={"float32": 4e-6, "float16": 1.2e-3},
    hints=(
        "A pointer plus a block of whole numbers is a block of pointers. Where does row r begin? And column j of it?",
        "BLOCK is a power of two, the row is not. What should the lanes past the end hold, so that they change neither "
        "the largest score nor the sum of the exponentials?",
        "For a row of -inf the largest score is -inf, and -inf - -inf is NaN. tl.where(condition, a, b) lets you take "
        "away something else there. The total is 0 then: what may you divide by?",
        "tl.exp takes no float16: `.to(tl.float32)` after the load. tl.store rounds to the pointer's dtype by itself.",
    ),
    aspects=(
        Aspect("values", 3, "rows shorter than the block", _values),
        Aspect("large scores", 1, "scores far from 0", _large),
        Aspect("forbidden", 2, "scores of -inf, and rows of nothing else", _forbidden),
        Aspect("any strides", 2, "gaps between rows and between columns", _strides),
        Aspect("half precision", 2, "float16 in and out, float32 between", _half),
        Aspect("for a GPU", 2, "compiles for two GPUs, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "triton",
        "@triton.jit\n"
        "def triton_row_softmax(\n"
        "    scores, weights, length, scores_row, scores_column, weights_row, weights_column, BLOCK: tl.constexpr\n"
        "):",
        "one program a row: the grid is (rows).",
    ),
    runs_in=("notebook",),
)
