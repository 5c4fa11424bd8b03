"""gradient-scale: how much gradient gets through a row of weights."""

import numpy as np

from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(weights):
    return (weights * (1 - weights)).max(axis=-1)


def _values(rng):
    return [
        Case("several sequences, more keys than queries", {"weights": inputs.weights(rng)}),
        Case("more queries than keys", {"weights": inputs.weights(rng, q_len=(6, 9), k_len=(4, 5))}),
    ]


def _saturated_rows(rng):
    weights = inputs.weights(rng, q_len=(5, 6), k_len=(7, 9))
    batch, q_len, k_len = weights.shape
    for b in range(batch):
        one_hot, nearly, even, *_ = rng.permutation(q_len)
        best = int(rng.integers(k_len))
        weights[b, one_hot] = np.arange(k_len) == best
        weights[b, nearly] = 1e-9
        weights[b, nearly, best] = 1 - 1e-9 * (k_len - 1)
        weights[b, even] = 1 / k_len if b else 0
    return [Case("rows with all or nearly all on one key, even rows, and an empty row", {"weights": weights})]


def _float32(rng):
    return [Case("float32 weights", {"weights": inputs.weights(rng, "float32")})]


# -- right answers by other techniques -----------------------------------------------------------------


def _of_the_largest_weight(weights):
    # As a row sums to 1, no other entry can have more: p (1 - p) grows up to 1/2, and beyond it the others share 1 - p.
    largest = weights.max(axis=-1)
    return largest * (1 - largest)


def _less_the_square(weights):
    return np.sort(weights - weights**2)[..., -1]


def _times_the_rest_of_the_row(weights):
    return (weights * (weights.sum(axis=-1, keepdims=True) - weights)).max(axis=-1)


def _row_by_row(weights):
    out = np.empty(weights.shape[:2], weights.dtype)
    for b, rows in enumerate(weights):
        for i, row in enumerate(rows):
            out[b, i] = max(p - p * p for p in row)
    return out


def _diagonal_of_the_jacobian(weights):
    p = weights[..., None]
    jacobian = np.eye(weights.shape[-1], dtype=weights.dtype) * p - p @ weights[..., None, :]
    return np.einsum("bqkk->bqk", jacobian).max(axis=-1)


# -- known mistakes ------------------------------------------------------------------------------------


def _mean(weights):
    return (weights * (1 - weights)).mean(axis=-1)


def _sum(weights):
    return (weights * (1 - weights)).sum(axis=-1)


def _smallest(weights):
    return (weights * (1 - weights)).min(axis=-1)


def _largest_weight(weights):
    return weights.max(axis=-1)


def _one_minus_the_largest(weights):
    return 1 - weights.max(axis=-1)


def _squared(weights):
    return (weights * weights).max(axis=-1)


def _one_plus(weights):
    return (weights * (1 + weights)).max(axis=-1)


def _root(weights):
    return np.sqrt(weights * (1 - weights)).max(axis=-1)


def _two_largest(weights):
    ordered = np.sort(weights, axis=-1)
    return ordered[..., -1] * ordered[..., -2]


def _nearer_end(weights):
    return np.minimum(weights, 1 - weights).max(axis=-1)


def _four_times(weights):
    return 4 * (weights * (1 - weights)).max(axis=-1)


def _over_the_queries(weights):
    return (weights * (1 - weights)).max(axis=-2)


def _float64_buffer(weights):
    out = np.zeros(weights.shape[:2])
    out[:] = (weights * (1 - weights)).max(axis=-1)
    return out


EXERCISE = Exercise(
    name="gradient-scale",
    title="How much gradient gets through",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter("weights", "float array (batch, q_len, k_len); a row sums to 1, or is all 0 if nothing is allowed"),
    ),
    returns=(Output("result", ("batch", "q_len")),),
    reference=_reference,
    example=(
        ">>> weights = np.array([[[0.5, 0.25, 0.25], [0.9, 0.1, 0.0], [0.0, 1.0, 0.0]]])\n"
        ">>> gradient_scale(weights)\n"
        "array([[0.25, 0.09, 0.  ]])"
    ),
    hints=(
        "Make an array as large as the weights first, with the one number for each entry.",
        "Then one number is left of each row. Which axis goes, and which of the row's numbers stays?",
    ),
    tolerance=ONE_PRODUCT,
    aspects=(
        Aspect("values", 1, "rows from nearly even to sharp", _values),
        Aspect("saturated rows", 1, "all or nearly all on one key, and empty rows", _saturated_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "of the largest weight": _of_the_largest_weight,
        "less the square": _less_the_square,
        "times the rest of the row": _times_the_rest_of_the_row,
        "row by row": _row_by_row,
        "diagonal of the Jacobian": _diagonal_of_the_jacobian,
    },
    mistakes=(
        Mistake(
            "mean",
            _mean,
            "You took the mean over the row. Asked is the largest p(1 - p): the entry that moves most when its own "
            "score does.",
            "How much gradient gets through",
        ),
        Mistake(
            "sum",
            _sum,
            "You summed p(1 - p) over the row. Asked is the largest of them.",
            "How much gradient gets through",
        ),
        Mistake(
            "smallest",
            _smallest,
            "You took the smallest p(1 - p) of each row. Most rows have a key that hardly counts, and that says "
            "nothing: take the largest.",
            "How much gradient gets through",
        ),
        Mistake(
            "largest-weight",
            _largest_weight,
            "That is the largest weight. It is nearest to 1 where a row is saturated, which is where the gradient "
            "vanishes. Take p(1 - p).",
            "How much gradient gets through",
        ),
        Mistake(
            "one-minus-the-largest",
            _one_minus_the_largest,
            "You took 1 - p of the largest weight. The derivative has two factors, p and 1 - p.",
            "How much gradient gets through",
        ),
        Mistake(
            "squared",
            _squared,
            "You multiplied p by itself. The second factor is what is left of the row, 1 - p.",
            "How much gradient gets through",
        ),
        Mistake(
            "one-plus",
            _one_plus,
            "You took p(1 + p). When a score rises, its weight takes from what the others have, which is 1 - p.",
            "How much gradient gets through",
        ),
        Mistake(
            "root",
            _root,
            "You took the square root of p(1 - p). The derivative of a weight by its own score is p(1 - p) itself.",
            "How much gradient gets through",
        ),
        Mistake(
            "product-of-the-two-largest",
            _two_largest,
            "You multiplied the two largest weights. That is how much one of them moves with the other's score. "
            "Asked is a weight's derivative by its own score.",
            "How much gradient gets through",
        ),
        Mistake(
            "nearer-end",
            _nearer_end,
            "You took how far a weight is from 0 or 1, whichever is nearer. Both count: multiply p by 1 - p.",
            "How much gradient gets through",
        ),
        Mistake(
            "four-times",
            _four_times,
            "You stretched p(1 - p) so that its largest value is 1. Asked is the derivative itself, which is at most "
            "1/4.",
            "How much gradient gets through",
        ),
        Mistake(
            "over-the-queries",
            _over_the_queries,
            "You took the largest over the queries. Each query has a row of its own: take it over the last axis, the "
            "keys.",
            "How much gradient gets through",
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. np.zeros and np.empty make that unless told otherwise. The result must have the "
            "dtype of the weights.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
