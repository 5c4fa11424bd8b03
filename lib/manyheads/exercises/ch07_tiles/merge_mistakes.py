"""The known mistakes of merge-partial-results."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.merge_extremes import EXTREMES
from manyheads.exercises.definition import Mistake


def _plain_mean(out_a, lse_a, out_b, lse_b):
    return (out_a + out_b) / 2, np.logaddexp(lse_a, lse_b)


def _plain_sum(out_a, lse_a, out_b, lse_b):
    return out_a + out_b, np.logaddexp(lse_a, lse_b)


def _weights_exchanged(out_a, lse_a, out_b, lse_b):
    b, a = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    return a * out_a + b * out_b, np.logaddexp(lse_a, lse_b)


def _larger_part_only(out_a, lse_a, out_b, lse_b):
    a = (lse_a > lse_b)[..., None]
    return np.where(a, out_a, out_b), np.logaddexp(lse_a, lse_b)


def _larger_lse(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    return a * out_a + b * out_b, np.maximum(lse_a, lse_b)


def _added_lse(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    return a * out_a + b * out_b, lse_a + lse_b


def _mean_lse(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    return a * out_a + b * out_b, np.logaddexp(lse_a, lse_b) - np.log(2).astype(lse_a.dtype)


def _largest_not_added_back(out_a, lse_a, out_b, lse_b):
    m = np.maximum(lse_a, lse_b)
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=0)[..., None]
    away = np.where(np.isinf(m), 0, m)
    with np.errstate(divide="ignore"):
        return a * out_a + b * out_b, np.log(np.exp(lse_a - away) + np.exp(lse_b - away))


def _not_divided(out_a, lse_a, out_b, lse_b):
    m = np.maximum(lse_a, lse_b)
    away = np.where(np.isinf(m), 0, m)
    a, b = np.exp(lse_a - away)[..., None], np.exp(lse_b - away)[..., None]
    return a * out_a + b * out_b, np.logaddexp(lse_a, lse_b)


def _lse_for_weights(out_a, lse_a, out_b, lse_b):
    with np.errstate(all="ignore"):
        a = (lse_a / (lse_a + lse_b))[..., None]
        return a * out_a + (1 - a) * out_b, np.logaddexp(lse_a, lse_b)


def _powers_of_two(out_a, lse_a, out_b, lse_b):
    two = np.log(2).astype(lse_a.dtype)
    a, b = reference.softmax(np.stack([lse_a, lse_b]) * two, axis=0)[..., None]
    return a * out_a + b * out_b, np.logaddexp2(lse_a, lse_b)


def _softmax_along_the_queries(out_a, lse_a, out_b, lse_b):
    a, b = reference.softmax(np.stack([lse_a, lse_b]), axis=3)[..., None]
    return a * out_a + b * out_b, np.logaddexp(lse_a, lse_b)


_MERGE, _LSE = "Merging two parts", "The log-sum-exp"

MISTAKES = (
    Mistake(
        "plain-mean",
        _plain_mean,
        "You took the mean of the two results. A part with larger scores, or with more keys, must count for more: it "
        "weighs exp(its lse).",
        _MERGE,
    ),
    Mistake(
        "plain-sum",
        _plain_sum,
        "You added the two results. Each of them is divided by its own total already, so their sum has weights that "
        "sum to 2. Weigh them with shares that sum to 1.",
        _MERGE,
    ),
    Mistake(
        "weights-exchanged",
        _weights_exchanged,
        "Each result has the weight of the other part. The part with the larger lse is the one that counts for more; "
        "exp(lse_b - lse_a) over 1 plus that is the share of b.",
        _MERGE,
    ),
    Mistake(
        "larger-part-only",
        _larger_part_only,
        "For each query you took the result of the part with the larger lse, and dropped the other. Both count, each "
        "by its share of the whole sum of exponentials.",
        _MERGE,
    ),
    Mistake(
        "larger-lse",
        _larger_lse,
        "The result is right, but your lse is the larger of the two. It is the log of the sum of both totals, "
        "log(exp(lse_a) + exp(lse_b)), and that is more than either.",
        _LSE,
    ),
    Mistake(
        "added-lse",
        _added_lse,
        "The result is right, but you added the log-sum-exps. A sum of logs is the log of a product; what adds up are "
        "the totals themselves: log(exp(lse_a) + exp(lse_b)).",
        _LSE,
    ),
    Mistake(
        "mean-lse",
        _mean_lse,
        "The result is right, but your lse is too small by log 2: the log of the mean of both totals. They are added "
        "and not divided by anything.",
        _LSE,
    ),
    Mistake(
        "largest-not-added-back",
        _largest_not_added_back,
        "The result is right, but your lse lacks the number that you took away before the exponential. The log of "
        "the shifted sum is the lse less that number: add it back.",
        _LSE,
    ),
    Mistake(
        "not-divided",
        _not_divided,
        "The lse is right, but the weights of your two parts do not sum to 1. out_a and out_b are divided by their "
        "own totals; after weighing them, divide by the sum of the two weights.",
        _MERGE,
    ),
    Mistake(
        "lse-for-weights",
        _lse_for_weights,
        "You weighed the parts by the log-sum-exps themselves. They are logs, and may be negative or 0: a part weighs "
        "exp(its lse).",
        _MERGE,
    ),
    Mistake(
        "powers-of-two",
        _powers_of_two,
        "You took powers of 2. The log-sum-exps here are natural logs, so a part weighs e to its lse: np.exp, "
        "np.log, np.logaddexp.",
        _LSE,
    ),
    Mistake(
        "softmax-along-the-queries",
        _softmax_along_the_queries,
        "Your weights sum to 1 over the queries. For each query by itself, the two parts share 1 between them: stack "
        "the log-sum-exps and take the softmax along that new axis.",
        _MERGE,
    ),
    *EXTREMES,
)
