"""softmax: rows of scores to rows of weights."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.ch00_one_head import softmax_answers as answers
from manyheads.exercises.ch00_one_head.softmax_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(scores):
    return reference.softmax(scores)


def _values(rng):
    return [
        Case("several sequences, more keys than queries", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng))}),
        Case(
            "more queries than keys", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng, q_len=(6, 9), k_len=(4, 5)))}
        ),
        Case("two large weights and several tiny ones in each row", {"scores": _steep(rng, inputs.shape(rng))}),
    ]


def _steep(rng, shape):
    """Two keys share most of each row; the others have weights from 1e-7 to 1e-10."""
    scores = rng.uniform(-22, -15, shape)
    for row in np.ndindex(*shape[:2]):
        scores[row][rng.permutation(shape[2])[:2]] = rng.uniform(-1, 1, 2)
    return scores


def _far_from_zero(rng, forbidden=False):
    """Rows whose scores are close together and thousands above or below 0; the highest is so in each sequence.

    Else a softmax over everything would be right in the only one.
    """
    shape = inputs.shape(rng, q_len=(5, 6) if forbidden else (4, 5), k_len=(7, 9))
    return inputs.far_from_zero(rng, 2 * sizes.normal(rng, *shape), 4000, forbidden)


def _far_apart(rng):
    """No score is within a thousand of 0; one row has none above it, another the highest by far."""
    shape = inputs.shape(rng)
    scores = 1000 + 100.0 * rng.permuted(np.tile(np.arange(15), (*shape[:2], 1)), axis=-1)[..., : shape[2]]
    scores[:, 1:, 1:] *= rng.choice([-1, 1], (shape[0], shape[1] - 1, shape[2] - 1))
    scores[:, 0] *= -1
    scores[:, 1, 0] = 4000
    return inputs.shuffled(rng, scores)


def _large_scores(rng):
    return [
        Case("scores of a few thousand, in some rows negative", {"scores": _far_from_zero(rng)}),
        Case("thousands apart within a row", {"scores": _far_apart(rng)}),
    ]


def _empty_rows(rng):
    some = inputs.forbid(rng, 2 * sizes.normal(rng, *inputs.shape(rng)))
    whole = inputs.forbid(rng, 2 * sizes.normal(rng, *inputs.shape(rng)))
    whole[int(rng.integers(len(whole)))] = -np.inf
    return [
        Case("forbidden keys, and rows with nothing allowed", {"scores": some}),
        Case("a sequence in which nothing is allowed", {"scores": whole}),
        Case("forbidden keys among scores of a few thousand", {"scores": _far_from_zero(rng, forbidden=True)}),
    ]


def _float32(rng):
    return [Case("float32 scores", {"scores": 2 * sizes.normal(rng, *inputs.shape(rng), dtype="float32")})]


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
        "Which axis has to sum to 1? Write down the shape of your sum; keepdims=True keeps it fit to divide by.",
        "What happens to a row's weights if you add the same number to all of its scores? Choose that number so that "
        "the largest exponential of the row is 1.",
        "Minus infinity minus itself is NaN. So find the rows that have at least one allowed key before you "
        "subtract, and leave the others at 0.",
        "weights[rows], with a boolean array rows of shape (batch, q_len), picks the rows where it is True, and can be "
        "assigned to.",
    ),
    # A log-sum-exp of scores in the thousands is itself rounded to 1e-13 of its size, and is a right answer.
    tolerance={"float64": 3e-12, "float32": 1e-5},
    aspects=(
        Aspect("values", 1, "ordinary scores, and tiny weights", _values),
        Aspect("large scores", 2, "scores of a few thousand, above and below 0", _large_scores),
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
    mistakes=MISTAKES,
)
