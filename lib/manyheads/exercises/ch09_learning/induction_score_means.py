"""Known mistakes of induction-score: which mean of the right weights is taken."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _every_pair(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i]):
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total


def _over_all_queries(weights, tokens):
    total = np.zeros(weights.shape[1], weights.dtype)
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
    return total / tokens.size


def _sequence_means(weights, tokens):
    means = []
    for b, row in enumerate(tokens):
        places = [(i, p) for i in range(len(row)) for p in np.flatnonzero(row[:i] == row[i])[-1:]]
        if places:
            means.append(np.mean([weights[b, :, i, p + 1] for i, p in places], axis=0))
    return np.mean(means, axis=0) if means else np.zeros(weights.shape[1], weights.dtype)


def _sequence_means_with_zeros(weights, tokens):
    means = np.zeros((len(tokens), weights.shape[1]), weights.dtype)
    for b, row in enumerate(tokens):
        places = [(i, p) for i in range(len(row)) for p in np.flatnonzero(row[:i] == row[i])[-1:]]
        if places:
            means[b] = np.mean([weights[b, :, i, p + 1] for i, p in places], axis=0)
    return means.mean(axis=0)


def _counted_for_each_head(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
                count += weights.shape[1]
    return total / count if count else total


def _sum(weights, tokens):
    total = np.zeros(weights.shape[1], weights.dtype)
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
    return total


def _largest(weights, tokens):
    best = np.zeros(weights.shape[1], weights.dtype)
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                best = np.maximum(best, weights[b, :, i, p + 1])
    return best


def _first_sequence(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for i, token in enumerate(tokens[0]):
        for p in np.flatnonzero(tokens[0, :i] == token)[-1:]:
            total += weights[0, :, i, p + 1]
            count += 1
    return total / count if count else total


def _divided_by_zero(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row)):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total * np.nan


_INDUCTION = "Induction heads"

MEANS = (
    Mistake(
        "every-pair",
        _every_pair,
        "Your mean runs over all pairs of equal tokens. Each query counts once, with the latest earlier place of its "
        "token.",
        _INDUCTION,
    ),
    Mistake(
        "over-all-queries",
        _over_all_queries,
        "You divided by the number of all queries. Those whose token had not come before are left out: divide by the "
        "number of the others.",
        _INDUCTION,
    ),
    Mistake(
        "means-of-the-sequences",
        _sequence_means,
        "You averaged each sequence first and then these means. Sequences have different numbers of repeats: add up "
        "over all of them, count, and divide once.",
        _INDUCTION,
    ),
    Mistake(
        "means-of-the-sequences-with-zeros",
        _sequence_means_with_zeros,
        "You averaged each sequence first, with 0 for one without a repeat, and then these means. Add up over all "
        "sequences, count the queries that you added, and divide once.",
        _INDUCTION,
    ),
    Mistake(
        "counted-for-each-head",
        _counted_for_each_head,
        "Your scores are too small by the number of heads: you counted each query once for every head. Each head has "
        "a sum of its own, and all share one count.",
        _INDUCTION,
    ),
    Mistake(
        "sum",
        _sum,
        "You added the weights up and did not divide. The score is their mean over the queries that have an earlier "
        "place, and lies between 0 and 1.",
        _INDUCTION,
    ),
    Mistake(
        "largest",
        _largest,
        "You took the largest weight of each head. The score is the mean over all queries that have an earlier place.",
        _INDUCTION,
    ),
    Mistake(
        "first-sequence",
        _first_sequence,
        "Only the first sequence is in your score. Go through all of them, each with its own tokens.",
        _INDUCTION,
    ),
    Mistake(
        "divided-by-0",
        _divided_by_zero,
        "Without any repeat you return NaN: a sum of nothing, divided by 0. The score is 0 then.",
        _INDUCTION,
        loses=("no repeats",),
    ),
)
