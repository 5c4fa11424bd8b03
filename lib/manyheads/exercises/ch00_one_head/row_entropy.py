"""row-entropy: how widely a query spreads its attention, in bits."""

import numpy as np

from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.ch00_one_head.row_entropy_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(weights):
    terms = np.zeros_like(weights)
    np.log2(weights, out=terms, where=weights > 0)
    return np.abs((weights * terms).sum(axis=-1))


def _tiny(rng):
    """Each row has a weight of about 3e-9 and one of about 2e-12."""
    weights = inputs.weights(rng)
    for row in np.ndindex(*weights.shape[:2]):
        one, other, most = (int(i) for i in rng.permutation(weights.shape[2])[:3])
        weights[row][most] += weights[row][[one, other]].sum()
        weights[row][[one, other]] = rng.uniform(2e-9, 5e-9), rng.uniform(2e-12, 5e-12)
        weights[row][most] -= weights[row][[one, other]].sum()
    return weights


def _values(rng):
    return [
        Case("several sequences, more keys than queries", {"weights": inputs.weights(rng)}),
        Case("more queries than keys", {"weights": inputs.weights(rng, q_len=(6, 9), k_len=(4, 5))}),
        Case("weights of a billionth and less", {"weights": _tiny(rng)}),
    ]


def _zeros(rng):
    """Causal rows, so that the first has all on one key; one row of nothing but zeros; one without a zero."""
    weights = inputs.weights(rng, q_len=(5, 6), k_len=(7, 9))
    _, q_len, k_len = weights.shape
    weights *= np.tri(q_len, k_len, k_len - q_len - 1)
    weights[:, 0, 1:] = 0
    weights /= weights.sum(axis=-1, keepdims=True)
    weights[0, 2] = 0
    weights[1, 1] = 1 / k_len
    return [Case("weights of 0, rows with one weight of 1, and an empty row", {"weights": weights})]


def _float32(rng):
    return [Case("float32 weights", {"weights": inputs.weights(rng, "float32")})]


# -- right answers by other techniques -----------------------------------------------------------------


def _row_by_row(weights):
    out = np.empty(weights.shape[:2], weights.dtype)
    for b in range(len(weights)):
        for i, row in enumerate(weights[b]):
            some = row[row.nonzero()]
            out[b, i] = (some * np.log2(1 / some)).sum()
    return out


def _nan_to_zero(weights):
    return -np.nansum(weights * np.log2(weights), axis=-1)


def _ones_for_zeros(weights):
    p = np.where(weights > 0, weights, 1)
    return np.einsum("bqk->bq", p * -np.log2(p))


def _natural_logarithm_of_the_smallest_number(weights):
    nats = weights * np.log(weights.clip(np.finfo(weights.dtype).tiny))
    return nats.sum(axis=-1) / np.log(weights.dtype.type(0.5))


def _float64_inside(weights):
    powers = np.power(weights, -weights, dtype=np.float64)  # 0 to the power of 0 is 1
    return np.log2(powers.prod(axis=-1)).astype(weights.dtype)


EXERCISE = Exercise(
    name="row-entropy",
    title="How widely a query looks: entropy",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter("weights", "float array (batch, q_len, k_len); a row sums to 1, or is all 0 if nothing is allowed"),
    ),
    returns=(Output("result", ("batch", "q_len")),),
    reference=_reference,
    example=(
        ">>> weights = np.array([[[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]])\n"
        ">>> row_entropy(weights)\n"
        "array([[1.5, 0. , 1. ]])"
    ),
    hints=(
        "Compute one term for each weight first, in an array as large as the weights; then sum over the keys.",
        "Print your terms for a row with a 0 in it. What is that one term, and what does it make of the sum? It has to "
        "be mended before you sum.",
        "Start from zeros of the weights' shape and dtype, and fill in the terms only where the weight is larger than "
        "0: a boolean array in square brackets picks these elements, and can be assigned to.",
    ),
    tolerance={"float64": 1e-13, "float32": 1e-5},
    aspects=(
        Aspect("values", 1, "weights larger than 0, some of them tiny", _values),
        Aspect("zeros", 1, "weights of 0, and empty rows", _zeros),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "row by row": _row_by_row,
        "NaN to zero": _nan_to_zero,
        "ones for zeros": _ones_for_zeros,
        "natural logarithm of at least the smallest number": _natural_logarithm_of_the_smallest_number,
        "float64 inside": _float64_inside,
    },
    mistakes=MISTAKES,
)
