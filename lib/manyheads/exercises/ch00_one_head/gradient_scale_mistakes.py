"""The known mistakes of gradient-scale."""

import numpy as np

from manyheads.exercises.definition import Mistake


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


def _factors_apart(weights):
    return weights.max(axis=-1) * (1 - weights).max(axis=-1)


def _second_largest(weights):
    return np.sort(weights * (1 - weights), axis=-1)[..., -2]


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


MISTAKES = (
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
        "factors-apart",
        _factors_apart,
        "You took the largest p and the largest 1 - p of a row, and multiplied these. They belong to different keys. "
        "Both factors come from the same entry: multiply first, then take the largest.",
        "How much gradient gets through",
    ),
    Mistake(
        "second-largest",
        _second_largest,
        "You took the second largest p(1 - p), or that of the second largest weight. Asked is the largest of the row.",
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
        "You stretched p(1 - p) so that its largest value is 1. Asked is the derivative itself, which is at most 1/4.",
        "How much gradient gets through",
    ),
    Mistake(
        "over-the-queries",
        _over_the_queries,
        "You took the largest over the queries. Each query has a row of its own: take it over the last axis, the keys.",
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
)
