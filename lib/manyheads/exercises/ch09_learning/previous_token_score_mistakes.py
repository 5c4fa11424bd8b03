"""The known mistakes of previous-token-score."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _query_zero_counted(weights):
    rows = np.arange(weights.shape[2])
    return weights[:, :, rows, rows - 1].mean(axis=(0, 2))


def _query_zero_with_itself(weights):
    rows = np.arange(weights.shape[2])
    return weights[:, :, rows, np.maximum(rows - 1, 0)].mean(axis=(0, 2))


def _next_token(weights):
    return np.diagonal(weights, 1, 2, 3).mean(axis=(0, 2))


def _itself(weights):
    return np.diagonal(weights, 0, 2, 3).mean(axis=(0, 2))


def _itself_without_query_zero(weights):
    return np.diagonal(weights, 0, 2, 3)[:, :, 1:].mean(axis=(0, 2))


def _two_back(weights):
    return np.diagonal(weights, -2, 2, 3).mean(axis=(0, 2))


def _from_query_two(weights):
    return np.diagonal(weights, -1, 2, 3)[:, :, 1:].mean(axis=(0, 2))


def _last_query_left_out(weights):
    return np.diagonal(weights, -1, 2, 3)[:, :, :-1].mean(axis=(0, 2))


def _first_token(weights):
    return weights[:, :, 1:, 0].mean(axis=(0, 2))


def _largest(weights):
    return np.diagonal(weights, -1, 2, 3).max(axis=(0, 2))


def _share_of_queries(weights):
    rows = np.arange(1, weights.shape[2])
    return (weights[:, :, 1:].argmax(axis=3) == rows - 1).mean(axis=(0, 2)).astype(weights.dtype)


def _sum(weights):
    return np.diagonal(weights, -1, 2, 3).sum(axis=(0, 2))


def _sum_over_queries(weights):
    return np.diagonal(weights, -1, 2, 3).sum(axis=2).mean(axis=0)


def _sum_over_sequences(weights):
    return np.diagonal(weights, -1, 2, 3).mean(axis=2).sum(axis=0)


def _mean_of_all_entries(weights):
    return np.tril(np.triu(weights, -1), -1).mean(axis=(0, 2, 3))


def _last_query(weights):
    return weights[:, :, -1, -2].mean(axis=0)


def _first_sequence(weights):
    return np.diagonal(weights[0], -1, 1, 2).mean(axis=1)


def _everything_before(weights):
    return np.tril(weights, -1).sum(axis=3)[:, :, 1:].mean(axis=(0, 2))


def _for_each_sequence(weights):
    return np.diagonal(weights, -1, 2, 3).mean(axis=2)


def _over_the_heads(weights):
    return np.diagonal(weights, -1, 2, 3).mean(axis=(1, 2))


def _float64_buffer(weights):
    totals = np.zeros(weights.shape[1])
    for i in range(1, weights.shape[2]):
        totals += weights[:, :, i, i - 1].mean(axis=0)
    return totals / (weights.shape[2] - 1)


_BEFORE = "The token before"

MISTAKES = (
    Mistake(
        "query-0-counted",
        _query_zero_counted,
        "Query 0 is in your mean, though no token is before it, and pulls the score down. For i = 0, the index i - 1 "
        "is -1, the last column; divide by seq - 1, not by seq.",
        _BEFORE,
    ),
    Mistake(
        "query-0-with-itself",
        _query_zero_with_itself,
        "You counted the weight that query 0 has for itself, which is always 1. No token is before query 0: leave "
        "its row out.",
        _BEFORE,
    ),
    Mistake(
        "next-token",
        _next_token,
        "Your scores are all 0. Perhaps you read the weights on the next token, which a causal mask forbids. Rows "
        "belong to the queries: it is row i, column i - 1, a diagonal with a negative offset.",
        _BEFORE,
    ),
    Mistake(
        "from-query-2",
        _from_query_two,
        "Query 1 is missing in your mean. Only query 0 has no token before it; query 1 has token 0.",
        _BEFORE,
    ),
    Mistake(
        "last-query-left-out",
        _last_query_left_out,
        "The last query is missing in your mean. All queries from 1 to seq - 1 count; range(1, seq) has them all.",
        _BEFORE,
    ),
    Mistake(
        "itself",
        _itself,
        "You read the main diagonal: the weight of each query on its own token. The token before stands one column "
        "to the left.",
        _BEFORE,
    ),
    Mistake(
        "itself-without-query-0",
        _itself_without_query_zero,
        "You left query 0 out, and that is right, but you read the weights on the own token. The token before "
        "stands one column to the left.",
        _BEFORE,
    ),
    Mistake(
        "two-back",
        _two_back,
        "You read the weights on the token two places back. The token before query i is i - 1.",
        _BEFORE,
    ),
    Mistake(
        "first-token",
        _first_token,
        "That is the mean weight on the first token. For query i it is the weight on token i - 1 that counts here.",
        _BEFORE,
    ),
    Mistake(
        "largest",
        _largest,
        "You took the largest of the weights. The score is their mean over the queries and the batch: one query that "
        "looks back does not make a head.",
        _BEFORE,
    ),
    Mistake(
        "share-of-queries",
        _share_of_queries,
        "You counted for how many queries the token before has the largest weight. Asked is the mean of the weight "
        "itself.",
        _BEFORE,
    ),
    Mistake(
        "sum",
        _sum,
        "You added the weights up over batch and queries. Their mean is wanted, which lies between 0 and 1.",
        _BEFORE,
    ),
    Mistake(
        "sum-over-queries",
        _sum_over_queries,
        "You added the weights of a sequence up. The mean is over the queries too: divide by seq - 1.",
        _BEFORE,
    ),
    Mistake(
        "sum-over-sequences",
        _sum_over_sequences,
        "You averaged over the queries and then added the sequences up. The mean is over the batch too.",
        _BEFORE,
    ),
    Mistake(
        "mean-of-all-entries",
        _mean_of_all_entries,
        "You took the mean over the whole map, with zeros everywhere else. The weights that count are seq - 1 in "
        "each map: divide by their number.",
        _BEFORE,
    ),
    Mistake(
        "last-query",
        _last_query,
        "Only the last query is in your score. Every query but the first has a token before it.",
        _BEFORE,
    ),
    Mistake(
        "first-sequence",
        _first_sequence,
        "Only the first sequence is in your score. The first axis counts the sequences: take the mean over it.",
        _BEFORE,
    ),
    Mistake(
        "everything-before",
        _everything_before,
        "You added the weights on all earlier tokens up. It is only the one token just before the query that counts.",
        _BEFORE,
    ),
    Mistake(
        "a-score-for-each-sequence",
        _for_each_sequence,
        "You have a score for each sequence and head. Take the mean over the batch too, so that one number a head is "
        "left.",
        _BEFORE,
    ),
    Mistake(
        "mean-over-the-heads",
        _over_the_heads,
        "You averaged over the heads and kept the sequences. The axes are (batch, heads, seq, seq): keep the second.",
        _BEFORE,
    ),
    Mistake(
        "float64-buffer",
        _float64_buffer,
        "Your scores are float64. np.zeros and np.empty make that unless told otherwise; the result must have the "
        "dtype of the weights.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
