"""gradient-scale: how much gradient gets through a row of weights."""

import numpy as np

from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.ch00_one_head.gradient_scale_mistakes import MISTAKES
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Output, Parameter


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
        "Make an array as large as the weights first, with p(1 - p) for each entry.",
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
    mistakes=MISTAKES,
)
