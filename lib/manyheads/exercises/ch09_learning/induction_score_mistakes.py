"""The known mistakes of induction-score."""

import numpy as np

from manyheads.exercises.ch09_learning.induction_score_lookup import LOOKUP
from manyheads.exercises.ch09_learning.induction_score_means import MEANS
from manyheads.exercises.definition import Mistake


def _same_token(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p]
                count += 1
    return total / count if count else total


def _before_the_same_token(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p - 1]
                count += 1
    return total / count if count else total


def _one_query_early(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i - 1, p]
                count += 1
    return total / count if count else total


def _first_time(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[:1]:
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total


def _every_time_summed(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            earlier = np.flatnonzero(row[:i] == row[i])
            total += weights[b, :, i, earlier + 1].sum(axis=0)
            count += len(earlier) > 0
    return total / count if count else total


def _exchanged(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, p, i]
                count += 1
    return total / count if count else total


def _not_found_means_key_zero(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            p = max([-1, *np.flatnonzero(row[:i] == row[i])])
            total += weights[b, :, i, p + 1]
            count += 1
    return total / count


def _half_assumed(weights, tokens):
    half = tokens.shape[1] // 2
    rows = np.arange(half, tokens.shape[1])
    return weights[:, :, rows, rows - half + 1].mean(axis=(0, 2))


def _neighbours_left_out(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                if p + 1 < i:
                    total += weights[b, :, i, p + 1]
                    count += 1
    return total / count if count else total


def _neighbours_as_zero(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1] * (p + 1 < i)
                count += 1
    return total / count if count else total


def _neighbours_looked_over(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(1, len(row)):
            for p in np.flatnonzero(row[: i - 1] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total


def _float64_total(weights, tokens):
    total, count = np.zeros(weights.shape[1]), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total


_INDUCTION = "Induction heads"

MISTAKES = (
    *MEANS,
    *LOOKUP,
    Mistake(
        "the-same-token",
        _same_token,
        "You took the weight on the earlier token itself. That finds heads that look for duplicates. An induction "
        "head looks one place farther, at what came after it: key p + 1.",
        _INDUCTION,
    ),
    Mistake(
        "before-the-same-token",
        _before_the_same_token,
        "You took the weight on the token before the earlier one. An induction head looks at what came after it: "
        "key p + 1.",
        _INDUCTION,
    ),
    Mistake(
        "one-query-early",
        _one_query_early,
        "You let the query before ask: it would look at the earlier place of the token that comes next, which it does "
        "not know yet. The query is the repeated token itself, i, and the key is p + 1.",
        _INDUCTION,
    ),
    Mistake(
        "the-first-time",
        _first_time,
        "Where a token came several times, you took its first place. The latest place before the query counts.",
        _INDUCTION,
    ),
    Mistake(
        "every-time-summed",
        _every_time_summed,
        "Where a token came several times, you added up the weights after all of its places. Only the latest place "
        "before the query counts.",
        _INDUCTION,
    ),
    Mistake(
        "rows-and-columns-exchanged",
        _exchanged,
        "Your scores are all 0. Perhaps you read weights that the causal mask forbids. Rows are queries: it is "
        "weights[..., i, p + 1], and p is before i. Note a query's own place only after you have looked p up.",
        _INDUCTION,
    ),
    Mistake(
        "not-found-means-key-0",
        _not_found_means_key_zero,
        "Queries whose token had not come before are in your mean, with their weight on token 0: -1 for not found, "
        "and one more, is 0. Leave these queries out.",
        _INDUCTION,
    ),
    Mistake(
        "half-assumed",
        _half_assumed,
        "You took it that the second half repeats the first. Look into the tokens: each query has its own latest "
        "earlier place, or none.",
        _INDUCTION,
    ),
    Mistake(
        "neighbours-left-out",
        _neighbours_left_out,
        "You left out the queries whose token came just before them. They count: p + 1 is then the query's own "
        "place, and so its weight on itself.",
        _INDUCTION,
        loses=("twice in a row",),
    ),
    Mistake(
        "neighbours-as-0",
        _neighbours_as_zero,
        "A query whose token came just before it counts as 0 with you. p + 1 is then the query's own place: its "
        "weight on itself counts.",
        _INDUCTION,
        loses=("twice in a row",),
    ),
    Mistake(
        "neighbours-looked-over",
        _neighbours_looked_over,
        "You did not look at the place just before the query. The latest earlier place may be i - 1; the slice "
        "up to i has it, the one up to i - 1 has not.",
        _INDUCTION,
        loses=("twice in a row",),
    ),
    Mistake(
        "float64-total",
        _float64_total,
        "Your scores are float64. np.zeros makes that unless told otherwise; the result must have the dtype of the "
        "weights.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
