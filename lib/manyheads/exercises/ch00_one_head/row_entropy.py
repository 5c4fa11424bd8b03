"""row-entropy: how widely a query spreads its attention, in bits."""

import numpy as np

from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(weights):
    terms = np.zeros_like(weights)
    np.log2(weights, out=terms, where=weights > 0)
    return np.abs((weights * terms).sum(axis=-1))


def _values(rng):
    return [
        Case("several sequences, more keys than queries", {"weights": inputs.weights(rng)}),
        Case("more queries than keys", {"weights": inputs.weights(rng, q_len=(6, 9), k_len=(4, 5))}),
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


# -- known mistakes ------------------------------------------------------------------------------------


def _nats(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1)


def _base_ten(weights):
    logs = np.log10(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1)


def _negative(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return (weights * logs).sum(axis=-1)


def _mean(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).mean(axis=-1)


def _share_of_the_largest(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-1) / float(np.log2(weights.shape[-1]))


def _effective_keys(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return 2 ** -(weights * logs).sum(axis=-1)


def _not_weighted(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -logs.sum(axis=-1)


def _log_of_one_plus(weights):
    return (weights * np.log2(1 + weights)).sum(axis=-1)


def _surprise_of_the_largest(weights):
    largest = weights.max(axis=-1)
    return -np.log2(np.where(largest > 0, largest, 1))


def _epsilon(weights):
    return -(weights * np.log2(weights + 1e-9)).sum(axis=-1)


def _smaller_epsilon(weights):
    return -(weights * np.log2(weights + 1e-12)).sum(axis=-1)


def _rows_with_a_zero_lost(weights):
    with np.errstate(all="ignore"):
        return np.nan_to_num(-(weights * np.log2(weights)).sum(axis=-1))


def _log_of_zero(weights):
    return -(weights * np.log2(weights)).sum(axis=-1)


def _over_the_queries(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-2)


def _float64_buffer(weights):
    out = np.zeros(weights.shape[:2])
    for place in np.ndindex(*out.shape):
        some = weights[place][weights[place] > 0]
        out[place] = -(some * np.log2(some)).sum()
    return out


_NO_EPSILON = (
    "You added a small number to the weights before the logarithm. That moves every term, and a row with one weight "
    "of 1 gets less than 0 bits. Leave the weights alone and let the terms with weight 0 be 0."
)

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
        "A bit is the unit if the logarithm is to the base 2.",
        "0 times minus infinity is NaN in NumPy. Start from zeros of the weights' shape and dtype, and fill in the "
        "terms only where the weight is larger than 0.",
    ),
    tolerance={"float64": 1e-13, "float32": 1e-5},
    aspects=(
        Aspect("values", 1, "weights larger than 0", _values),
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
    mistakes=(
        Mistake(
            "nats",
            _nats,
            "Those are nats: you took the natural logarithm. Bits need the logarithm to the base 2.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "base-ten",
            _base_ten,
            "You took the logarithm to the base 10. Bits need the base 2.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "negative",
            _negative,
            "Your entropies are negative. The logarithm of a weight is 0 or less, so the sum needs a minus.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "mean-of-the-terms",
            _mean,
            "You took the mean over the keys. The weights already make it an average: the terms are summed.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "share-of-the-largest",
            _share_of_the_largest,
            "You divided by log2(k_len), which gives the share of the largest possible entropy, from 0 to 1. Asked are "
            "bits: leave the division out.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "effective-keys",
            _effective_keys,
            "You raised 2 to the entropy. That is the number of keys among which an even row would be as spread, and a "
            "useful number; asked is the entropy itself.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "not-weighted",
            _not_weighted,
            "You summed the logarithms alone. Each counts by its weight: entropy is the average of -log2(p), "
            "and p says how often each one comes.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "log-of-one-plus",
            _log_of_one_plus,
            "You took the logarithm of 1 + p. That avoids the logarithm of 0, but it is another function. Take it of "
            "p, where p is larger than 0.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "surprise-of-the-largest",
            _surprise_of_the_largest,
            "You took -log2 of the largest weight. Entropy averages that over all weights of the row.",
            "Entropy: how widely a query looks",
        ),
        Mistake(
            "epsilon-in-the-logarithm",
            _epsilon,
            _NO_EPSILON,
            "Entropy: how widely a query looks",
            loses=("values", "zeros"),
        ),
        Mistake(
            "smaller-epsilon-in-the-logarithm",
            _smaller_epsilon,
            _NO_EPSILON,
            "Entropy: how widely a query looks",
            loses=("values", "zeros"),
        ),
        Mistake(
            "rows-with-a-zero-lost",
            _rows_with_a_zero_lost,
            "Rows with a weight of 0 came out as 0: one NaN made the whole sum NaN, and you replaced that. Mend the "
            "term, before the sum.",
            "Entropy: how widely a query looks",
            loses=("zeros",),
        ),
        Mistake(
            "log-of-zero",
            _log_of_zero,
            "0 times the logarithm of 0 is NaN in NumPy. Here a weight of 0 adds nothing: it never comes up.",
            "Entropy: how widely a query looks",
            loses=("zeros",),
        ),
        Mistake(
            "over-the-queries",
            _over_the_queries,
            "You summed over the queries. Each query has an entropy: sum over the last axis, the keys.",
            "Entropy: how widely a query looks",
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
