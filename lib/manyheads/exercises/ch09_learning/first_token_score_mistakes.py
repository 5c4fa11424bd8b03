"""The known mistakes of first-token-score."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _query_zero_counted(weights):
    return weights[:, :, :, 0].mean(axis=(0, 2))


def _divided_by_seq(weights):
    return weights[:, :, 1:, 0].sum(axis=2).mean(axis=0) / weights.shape[2]


def _query_zero_added(weights):
    return weights[:, :, :, 0].sum(axis=2).mean(axis=0) / (weights.shape[2] - 1)


def _sum_over_sequences(weights):
    return weights[:, :, 1:, 0].mean(axis=2).sum(axis=0)


def _row_zero(weights):
    return weights[:, :, 0].mean(axis=(0, 2))


def _row_zero_later_columns(weights):
    return weights[:, :, 0, 1:].mean(axis=(0, 2))


def _last_column(weights):
    return weights[:, :, 1:, -1].mean(axis=(0, 2))


def _second_column(weights):
    return weights[:, :, 1:, 1].mean(axis=(0, 2))


def _from_query_two(weights):
    return weights[:, :, 2:, 0].mean(axis=(0, 2))


def _last_query(weights):
    return weights[:, :, -1, 0].mean(axis=0)


def _last_query_left_out(weights):
    return weights[:, :, 1:-1, 0].mean(axis=(0, 2))


def _query_zero_in_and_last_out(weights):
    return weights[:, :, :-1, 0].mean(axis=(0, 2))


def _previous_token(weights):
    return np.diagonal(weights, -1, 2, 3).mean(axis=(0, 2))


def _sum(weights):
    return weights[:, :, 1:, 0].sum(axis=(0, 2))


def _sum_over_queries(weights):
    return weights[:, :, 1:, 0].sum(axis=2).mean(axis=0)


def _largest(weights):
    return weights[:, :, 1:, 0].max(axis=(0, 2))


def _share_of_queries(weights):
    return (weights[:, :, 1:].argmax(axis=3) == 0).mean(axis=(0, 2)).astype(weights.dtype)


def _first_sequence(weights):
    return weights[0, :, 1:, 0].mean(axis=1)


def _for_each_sequence(weights):
    return weights[:, :, 1:, 0].mean(axis=2)


def _over_the_heads(weights):
    return weights[:, :, 1:, 0].mean(axis=(1, 2))


def _float64_buffer(weights):
    scores = np.zeros(weights.shape[1])
    for h in range(len(scores)):
        scores[h] = weights[:, h, 1:, 0].mean()
    return scores


_FIRST = "The first token"

MISTAKES = (
    Mistake(
        "query-0-counted",
        _query_zero_counted,
        "Query 0 is in your mean. It sees no other token, so its weight on token 0 is 1 in every head: leave its row "
        "out.",
        _FIRST,
    ),
    Mistake(
        "divided-by-seq",
        _divided_by_seq,
        "You left query 0 out of the sum but divided by seq. There are seq - 1 queries left.",
        _FIRST,
    ),
    Mistake(
        "query-0-added",
        _query_zero_added,
        "You divided by seq - 1, which is right, but the sum has the weight of query 0 in it, always 1. Leave its row "
        "out.",
        _FIRST,
    ),
    Mistake(
        "row-0",
        _row_zero,
        "Your scores are 1 / seq for every head: you averaged the row of query 0. Rows are queries and columns are "
        "keys: the weights on token 0 stand in column 0.",
        _FIRST,
    ),
    Mistake(
        "row-0-later-columns",
        _row_zero_later_columns,
        "Your scores are all 0. Perhaps you read how query 0 sees later tokens, which a causal mask forbids. Rows are "
        "queries and columns are keys: it is column 0 that counts.",
        _FIRST,
    ),
    Mistake(
        "last-column",
        _last_column,
        "You read the last column, which only the last query sees. The first token is column 0.",
        _FIRST,
    ),
    Mistake(
        "second-column",
        _second_column,
        "You read column 1. Counting starts at 0: the first token is column 0.",
        _FIRST,
    ),
    Mistake(
        "from-query-2",
        _from_query_two,
        "One query too many is missing in your mean. Only query 0 has no choice; query 1 counts already.",
        _FIRST,
    ),
    Mistake(
        "last-query",
        _last_query,
        "Only the last query is in your score. The mean is over all queries from 1 on.",
        _FIRST,
    ),
    Mistake(
        "last-query-left-out",
        _last_query_left_out,
        "The last query is missing in your mean. All queries from 1 on count.",
        _FIRST,
    ),
    Mistake(
        "query-0-in-and-last-out",
        _query_zero_in_and_last_out,
        "You left the last query out instead of query 0. It is query 0 that has no choice.",
        _FIRST,
    ),
    Mistake(
        "previous-token",
        _previous_token,
        "That is the mean weight on the token before. Here it is the weight on token 0, whichever query asks.",
        _FIRST,
    ),
    Mistake(
        "sum",
        _sum,
        "You added the weights up over batch and queries. Their mean is wanted, which lies between 0 and 1.",
        _FIRST,
    ),
    Mistake(
        "sum-over-queries",
        _sum_over_queries,
        "You added the weights of a sequence up. The mean is over the queries too: divide by seq - 1.",
        _FIRST,
    ),
    Mistake(
        "sum-over-sequences",
        _sum_over_sequences,
        "You averaged over the queries and then added the sequences up. The mean is over the batch too.",
        _FIRST,
    ),
    Mistake(
        "largest",
        _largest,
        "You took the largest of the weights. The score is their mean over the queries and the batch.",
        _FIRST,
    ),
    Mistake(
        "share-of-queries",
        _share_of_queries,
        "You counted for how many queries token 0 has the largest weight. Asked is the mean of the weight itself.",
        _FIRST,
    ),
    Mistake(
        "first-sequence",
        _first_sequence,
        "Only the first sequence is in your score. The first axis counts the sequences: take the mean over it.",
        _FIRST,
    ),
    Mistake(
        "a-score-for-each-sequence",
        _for_each_sequence,
        "You have a score for each sequence and head. Take the mean over the batch too, so that one number a head is "
        "left.",
        _FIRST,
    ),
    Mistake(
        "mean-over-the-heads",
        _over_the_heads,
        "You averaged over the heads and kept the sequences. The axes are (batch, heads, seq, seq): keep the second.",
        _FIRST,
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
