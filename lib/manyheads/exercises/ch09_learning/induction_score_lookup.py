"""Known mistakes of induction-score: in which tokens, and for which queries, the earlier place is looked up."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _one_dictionary(weights, tokens):
    total, count, seen = np.zeros(weights.shape[1], weights.dtype), 0, {}
    for b, row in enumerate(tokens.tolist()):
        for i, token in enumerate(row):
            if token in seen:
                total += weights[b, :, i, seen[token] + 1]
                count += 1
            seen[token] = i
    return total / count if count else total


def _place_zero_lost(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens.tolist()):
        seen = {}
        for i, token in enumerate(row):
            if seen.get(token):
                total += weights[b, :, i, seen[token] + 1]
                count += 1
            seen[token] = i
    return total / count if count else total


def _first_tokens_for_all(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for maps in weights:
        for i, token in enumerate(tokens[0]):
            for p in np.flatnonzero(tokens[0, :i] == token)[-1:]:
                total += maps[:, i, p + 1]
                count += 1
    return total / count if count else total


def _last_query_left_out(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row) - 1):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i, p + 1]
                count += 1
    return total / count if count else total


def _one_query_late(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i in range(len(row) - 1):
            for p in np.flatnonzero(row[:i] == row[i])[-1:]:
                total += weights[b, :, i + 1, p + 1]
                count += 1
    return total / count if count else total


_INDUCTION = "Induction heads"

LOOKUP = (
    Mistake(
        "one-dictionary",
        _one_dictionary,
        "A token counts as seen with you when it was in a sequence before. Each sequence is by itself: begin each "
        "with a new, empty dictionary.",
        _INDUCTION,
    ),
    Mistake(
        "place-0-lost",
        _place_zero_lost,
        "You missed the queries whose token came last at place 0. In Python 0 counts as false: ask whether a place "
        "was found, not whether it is true.",
        _INDUCTION,
    ),
    Mistake(
        "first-tokens-for-all",
        _first_tokens_for_all,
        "You looked up the places in the first sequence for all of them. Each sequence has tokens of its own.",
        _INDUCTION,
    ),
    Mistake(
        "last-query-left-out",
        _last_query_left_out,
        "The last query of each sequence is missing in your mean. It counts like any other: p + 1 is at most the "
        "query's own place, so no key is out of bounds.",
        _INDUCTION,
    ),
    Mistake(
        "one-query-late",
        _one_query_late,
        "You let the query after ask. The query is the repeated token itself, i, and the key is p + 1.",
        _INDUCTION,
    ),
)
