"""The known mistakes of row-entropy."""

import numpy as np

from manyheads.exercises.definition import Mistake


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


def _larger_epsilon(weights):
    return -(weights * np.log2(weights + 1e-6)).sum(axis=-1)


def _tiny_weights_left_out(weights):
    logs = np.log2(np.where(weights > 1e-6, weights, 1))
    return -(weights * logs).sum(axis=-1)


def _tinier_weights_left_out(weights):
    logs = np.log2(np.where(weights > 1e-9, weights, 1))
    return -(weights * logs).sum(axis=-1)


def _at_least_a_millionth(weights):
    return -(weights * np.log2(np.maximum(weights, 1e-6))).sum(axis=-1)


def _at_least_a_billionth(weights):
    return -(weights * np.log2(np.maximum(weights, 1e-9))).sum(axis=-1)


def _rows_with_a_zero_lost(weights):
    with np.errstate(all="ignore"):
        return np.nan_to_num(-(weights * np.log2(weights)).sum(axis=-1))


def _log_of_zero(weights):
    return -(weights * np.log2(weights)).sum(axis=-1)


def _over_the_queries(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=-2)


def _float64_result(weights):
    wide = weights.astype(np.float64)
    return -(wide * np.log2(np.where(wide > 0, wide, 1))).sum(axis=-1)


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


_TINY_WEIGHTS_COUNT = (
    "Tiny weights were left out or raised to a bound. Each has its term: only a weight of exactly 0 adds nothing. A "
    "weight larger than 0 has a logarithm, however small it is."
)

MISTAKES = (
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
        "larger-epsilon-in-the-logarithm",
        _larger_epsilon,
        _NO_EPSILON,
        "Entropy: how widely a query looks",
        loses=("values", "zeros"),
    ),
    Mistake(
        "tiny-weights-left-out",
        _tiny_weights_left_out,
        _TINY_WEIGHTS_COUNT,
        "Entropy: how widely a query looks",
        loses=("values",),
    ),
    Mistake(
        "tinier-weights-left-out",
        _tinier_weights_left_out,
        _TINY_WEIGHTS_COUNT,
        "Entropy: how widely a query looks",
        loses=("values",),
    ),
    Mistake(
        "at-least-a-millionth",
        _at_least_a_millionth,
        _TINY_WEIGHTS_COUNT,
        "Entropy: how widely a query looks",
        loses=("values",),
    ),
    Mistake(
        "at-least-a-billionth",
        _at_least_a_billionth,
        _TINY_WEIGHTS_COUNT,
        "Entropy: how widely a query looks",
        loses=("values",),
    ),
    Mistake(
        "rows-with-a-zero-lost",
        _rows_with_a_zero_lost,
        "Every row with a weight of 0 in it came out as 0 bits. Only the term of that weight is 0; the others count. "
        "One term that is NaN makes the whole sum NaN: mend it before the sum and not after.",
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
        "float64-result",
        _float64_result,
        "Your result is float64, and the weights were float32. Computing wider is fine, if you come back with "
        ".astype(weights.dtype).",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
    Mistake(
        "float64-buffer",
        _float64_buffer,
        "Your result is float64. np.zeros and np.empty make that unless told otherwise. The result must have the "
        "dtype of the weights.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
