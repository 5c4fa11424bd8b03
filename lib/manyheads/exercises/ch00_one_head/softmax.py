"""softmax: rows of scores to rows of weights."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.ch00_one_head import softmax_answers as answers
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(scores):
    return reference.softmax(scores)


def _values(rng):
    return [
        Case("several sequences, more keys than queries", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng))}),
        Case(
            "more queries than keys", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng, q_len=(6, 9), k_len=(4, 5)))}
        ),
    ]


def _far_from_zero(rng, shape):
    """Rows whose scores are close together and far from 0, in turn above and below."""
    height = rng.uniform(1000, 4000, shape[:2]).round()
    height[:, ::2] *= -1
    height[:, 1] = 4000  # more than one row is highest: else a softmax over everything is right in the only one
    return height[..., None] + 2 * sizes.normal(rng, *shape)


def _large_scores(rng):
    return [
        Case("scores of a few thousand, in some rows negative", {"scores": _far_from_zero(rng, inputs.shape(rng))}),
        Case("thousands apart within a row", {"scores": 1000 * sizes.normal(rng, *inputs.shape(rng))}),
    ]


def _empty_rows(rng):
    some = inputs.forbid(rng, 2 * sizes.normal(rng, *inputs.shape(rng)))
    whole = inputs.forbid(rng, 2 * sizes.normal(rng, *inputs.shape(rng)))
    whole[int(rng.integers(len(whole)))] = -np.inf
    return [
        Case("forbidden keys, and rows with nothing allowed", {"scores": some}),
        Case("a sequence in which nothing is allowed", {"scores": whole}),
        # Tells what goes wrong with large scores too from what does not.
        Case(
            "forbidden keys among large scores",
            {"scores": inputs.forbid(rng, _far_from_zero(rng, inputs.shape(rng)))},
            probe=True,
        ),
    ]


def _float32(rng):
    return [Case("float32 scores", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng), dtype="float32")})]


_NO_EPSILON = (
    "Something was added to the denominator. Then no row sums to 1, and every weight is a little too small. It is "
    "not needed: once the row's maximum is taken off, one term is 1, so the sum is 0 for empty rows only."
)

_MAXIMUM_OF_THE_ROW = (
    "You took the maximum of the whole array off every row. Beside a row in the thousands, all exponentials of a lower "
    "row vanish, and so does its sum. Take each row's own maximum: axis=-1, keepdims=True."
)

EXERCISE = Exercise(
    name="softmax",
    title="From scores to weights",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter(
            "scores",
            "float array (batch, q_len, k_len), up to a few thousand in size, above or below 0; minus infinity where a "
            "query may not attend to a key",
        ),
    ),
    returns=(Output("result", ("batch", "q_len", "k_len")),),
    reference=_reference,
    example=(
        ">>> scores = np.array([[[0.0, np.log(3.0), -np.inf], [-np.inf, -np.inf, -np.inf]]])\n"
        ">>> softmax(scores)\n"
        "array([[[0.25, 0.75, 0.  ],\n"
        "        [0.  , 0.  , 0.  ]]])"
    ),
    hints=(
        "Which axis has to sum to 1? Write down the shape of your maximum and of your sum; keepdims=True keeps them "
        "fit to be taken off and divided by.",
        "What happens to a row's weights if you add the same number to all of its scores? Choose that number so that "
        "the largest exponential of the row is 1.",
        "Minus infinity less minus infinity is NaN. So find the rows that have at least one allowed key before you "
        "subtract, and leave the others at 0.",
        "weights[rows], with a boolean array rows of shape (batch, q_len), picks the rows where it is True, and can be "
        "assigned to.",
    ),
    # A log-sum-exp of scores in the thousands is itself rounded to 1e-13 of its size, and is a right answer.
    tolerance={"float64": 3e-12, "float32": 1e-5},
    aspects=(
        Aspect("values", 1, "ordinary scores", _values),
        Aspect("large scores", 1, "scores of a few thousand, above and below 0", _large_scores),
        Aspect("empty rows", 1, "weight 0 at minus infinity, and rows of nothing else", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "row by row": answers.row_by_row,
        "NaN to zero": answers.nan_to_zero,
        "log-sum-exp": answers.log_sum_exp,
        "differences": answers.differences,
        "finite fill, then zero": answers.finite_fill_then_zero,
        "float64 inside": answers.float64_inside,
    },
    mistakes=(
        Mistake(
            "over-the-queries",
            answers.over_the_queries,
            "Your softmax runs over the queries, so the columns sum to 1. It belongs on the last axis, the keys: "
            "each query has one whole to share out.",
            "From scores to weights",
        ),
        Mistake(
            "over-the-batch",
            answers.over_the_batch,
            "Your softmax runs over the batch (axis 0), and so mixes sequences that have nothing to do with each "
            "other. It belongs on the last axis, the keys.",
            "From scores to weights",
        ),
        Mistake(
            "over-everything",
            answers.over_everything,
            "You divided by the sum over the whole array, so all weights together sum to 1. Each row has to: sum over "
            "the last axis, with keepdims=True.",
            "From scores to weights",
        ),
        Mistake(
            "no-maximum",
            answers.no_maximum,
            "You took the exponential of the scores as they are. Near 710 it overflows to infinity, far below 0 it "
            "vanishes, and the quotient is NaN. Take the row's maximum off first; it cancels.",
            "Scores too large for the exponential",
            loses=("large scores", "empty rows"),
        ),
        Mistake(
            "maximum-of-everything",
            answers.maximum_of_everything,
            _MAXIMUM_OF_THE_ROW,
            "Scores too large for the exponential",
            loses=("large scores", "empty rows"),
        ),
        Mistake(
            "maximum-of-everything-guarded",
            answers.maximum_of_everything_guarded,
            _MAXIMUM_OF_THE_ROW + " Your guard against a sum of 0 turned those rows to zeros.",
            "Scores too large for the exponential",
            loses=("large scores",),
        ),
        Mistake(
            "clipped-scores",
            answers.clipped,
            "You clipped the scores to keep the exponential from overflowing. Scores beyond the bound become equal, "
            "and minus infinity becomes an ordinary score. Take the row's maximum off instead.",
            "Scores too large for the exponential",
            loses=("large scores", "empty rows"),
        ),
        Mistake(
            "epsilon-in-the-denominator",
            answers.epsilon,
            _NO_EPSILON,
            "A row with nothing allowed",
            loses=("values", "large scores", "empty rows"),
        ),
        Mistake(
            "larger-epsilon-in-the-denominator",
            answers.larger_epsilon,
            _NO_EPSILON,
            "A row with nothing allowed",
            loses=("values", "large scores", "empty rows"),
        ),
        Mistake(
            "base-two",
            answers.base_two,
            "You took powers of 2. Softmax takes powers of e: np.exp.",
            "From scores to weights",
        ),
        Mistake(
            "length-one",
            answers.length_one,
            "You divided by the root of the sum of squares, which makes the length of a row 1. Weights have to sum "
            "to 1: divide by the sum.",
            "From scores to weights",
        ),
        Mistake(
            "not-normalised",
            answers.not_normalised,
            "Those are the exponentials, with the largest of each row at 1. Divide each row by its sum, so that the "
            "row sums to 1.",
            "From scores to weights",
        ),
        Mistake(
            "sign-turned",
            answers.sign_turned,
            "You subtracted the scores from their maximum, so the smallest score gets the largest weight. Subtract the "
            "maximum from the scores.",
            "Scores too large for the exponential",
        ),
        Mistake(
            "nan-in-empty-rows",
            answers.nan_in_empty_rows,
            "In a row of nothing but minus infinity, you took minus infinity from itself, which is NaN. Such a row has "
            "nothing to attend to, and gets zeros.",
            "A row with nothing allowed",
            loses=("empty rows",),
        ),
        Mistake(
            "finite-fill",
            answers.finite_fill,
            "Your empty rows are uniform: 1/k_len for each key, all of them forbidden. A large negative number in "
            "place of minus infinity does that, and so does turning the NaN to 0 before the exponential. "
            "They have to be zeros.",
            "A row with nothing allowed",
            loses=("empty rows",),
        ),
        Mistake(
            "zero-for-minus-infinity",
            answers.zero_for_minus_infinity,
            "You replaced minus infinity by the score 0. Its exponential is 1, so a forbidden key gets a share like "
            "any other. Its weight has to be 0.",
            "A row with nothing allowed",
            loses=("empty rows",),
        ),
        Mistake(
            "zeroed-after-the-sum",
            answers.zeroed_after_the_sum,
            "Forbidden keys get weight 0, but they were in the sum by which you divided: the others sum to less than "
            "1. They must not count in the sum.",
            "A row with nothing allowed",
            loses=("empty rows",),
        ),
        Mistake(
            "any-for-all",
            answers.any_for_all,
            "You set every row to 0 in which some key is forbidden. Only a row in which all are is empty; the others "
            "share out one whole among the keys that are left.",
            "A row with nothing allowed",
            loses=("empty rows",),
        ),
        Mistake(
            "float64-result",
            answers.float64_result,
            "Your result is float64. The weights must have the dtype of the scores: computing wider is fine, if "
            "you come back with .astype(scores.dtype).",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
