"""The known mistakes of merge-partial-results: large numbers, queries without a key, dtype."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _overflows(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        a, b = np.exp(lse_a), np.exp(lse_b)
        total = np.where(a + b == 0, 1, a + b)[..., None]
        return a[..., None] / total * out_a + b[..., None] / total * out_b, np.log(a + b)


def _overflows_and_nan(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        a, b = np.exp(lse_a), np.exp(lse_b)
        total = (a + b)[..., None]
        return a[..., None] / total * out_a + b[..., None] / total * out_b, np.log(a + b)


def _lse_overflows(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    with np.errstate(all="ignore"):
        return a * out_a + b * out_b, np.log(np.exp(lse_a) + np.exp(lse_b))


def _weights_overflow(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        a, b = np.exp(lse_a)[..., None], np.exp(lse_b)[..., None]
        return (a * out_a + b * out_b) / (a + b), np.logaddexp(lse_a, lse_b)


def _guarded_weights_overflow(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        a, b = np.exp(lse_a)[..., None], np.exp(lse_b)[..., None]
        total = np.where(a + b == 0, 1, a + b)
        return a / total * out_a + b / total * out_b, np.logaddexp(lse_a, lse_b)


def _nan_made_numbers(out_a, lse_a, out_b, lse_b):
    lse = np.nan_to_num(np.logaddexp(lse_a, lse_b))
    return np.exp(lse_a - lse)[..., None] * out_a + np.exp(lse_b - lse)[..., None] * out_b, lse


def _nan_shares(out_a, lse_a, out_b, lse_b):
    lse = np.logaddexp(lse_a, lse_b)
    with np.errstate(invalid="ignore"):
        return np.exp(lse_a - lse)[..., None] * out_a + np.exp(lse_b - lse)[..., None] * out_b, lse


def _nan_when_both_are_empty(out_a, lse_a, out_b, lse_b):
    m = np.maximum(lse_a, lse_b)
    with np.errstate(invalid="ignore"):
        a, b = np.exp(lse_a - m), np.exp(lse_b - m)
        out = (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None]
    return out, m + np.log(a + b)


def _difference_overflows(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        b = 1 / (1 + np.exp(lse_a - lse_b))
        lse = lse_a + np.log1p(np.exp(lse_b - lse_a))
        return out_a + b[..., None] * (out_b - out_a), lse


def _float64_weights(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.array([lse_a, lse_b], "float64"), axis=0)[..., None]
    return a * out_a + b * out_b, np.logaddexp(np.float64(lse_a), lse_b)


_EMPTY = "Rows that have seen nothing"

EXTREMES = (
    Mistake(
        "overflows",
        _overflows,
        "Your weights are exp(lse) as it is. Beyond 709 that is infinite (in float32 beyond 88), and far below 0 it is "
        "0 for both parts. Take the larger lse away first; the shares do not change.",
        "When a larger score comes",
        loses=("large scores",),
    ),
    Mistake(
        "overflows-and-nan",
        _overflows_and_nan,
        "Your weights are exp(lse) as it is, over their sum. Beyond 709 the exponential is infinite, and where neither "
        "part has a key you divide 0 by 0. Take the larger lse away first, and see to empty rows by themselves.",
        "When a larger score comes",
        loses=("empty parts", "large scores"),
    ),
    Mistake(
        "lse-overflows",
        _lse_overflows,
        "The result is right, but your lse is the log of a plain sum of exponentials. Beyond 709 they are infinite, "
        "and far below 0 they are 0. np.logaddexp, or the larger lse taken away first, avoids that.",
        "When a larger score comes",
        loses=("large scores",),
    ),
    Mistake(
        "weights-overflow",
        _weights_overflow,
        "The lse is right, but your weights are exp(lse) as it is, over their sum. Beyond 709 the exponential is "
        "infinite; where neither part has a key you divide 0 by 0. Take the larger lse away first, and see to "
        "empty rows.",
        "When a larger score comes",
        loses=("empty parts", "large scores"),
    ),
    Mistake(
        "guarded-weights-overflow",
        _guarded_weights_overflow,
        "The lse is right, but your weights are exp(lse) as it is. Beyond 709 that is infinite (in float32 beyond 88), "
        "and far below 0 it is 0 for both parts. Take the larger lse away first; the shares do not change.",
        "When a larger score comes",
        loses=("large scores",),
    ),
    Mistake(
        "nan-made-numbers",
        _nan_made_numbers,
        "A query that sees no key in either part has a huge negative number as its lse; np.nan_to_num makes one of "
        "-inf. The log of a sum of nothing is -inf: let it stay so, and replace it only in what you take away.",
        _EMPTY,
        loses=("empty parts",),
    ),
    Mistake(
        "nan-shares",
        _nan_shares,
        "The lse is right, but a query that sees no key in either part has NaN in out: its lse is -inf like those of "
        "the parts, and -inf minus -inf is NaN. Take 0 away in such a row: the shares are 0 then, and so is out.",
        _EMPTY,
        loses=("empty parts",),
    ),
    Mistake(
        "nan-when-both-are-empty",
        _nan_when_both_are_empty,
        "A query that sees no key in either part gives NaN in out and in lse: both log-sum-exps are -inf, and -inf "
        "minus -inf is NaN. Take 0 away in such a row, and do not divide by its sum, which is 0: out is 0, lse -inf.",
        _EMPTY,
        loses=("empty parts",),
    ),
    Mistake(
        "difference-overflows",
        _difference_overflows,
        "Your lse is lse_a plus the log of 1 plus exp(lse_b - lse_a). That exponential is infinite where b lies far "
        "above a, and NaN comes out where a, or both, have no key. Start from the larger of the two.",
        "When a larger score comes",
        loses=("empty parts", "large scores"),
    ),
    Mistake(
        "float64-weights",
        _float64_weights,
        "Your result is float64. np.zeros and np.full make float64 arrays unless you give them a dtype, and what is "
        "multiplied with them becomes float64. Results have the dtype of the arguments.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
