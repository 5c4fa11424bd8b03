"""The known mistakes of single-head-attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _no_scale(q, k, v):
    return reference.softmax(q @ k.T) @ v


def _multiplied(q, k, v):
    return reference.softmax(q @ k.T * q.shape[-1] ** 0.5) @ v


def _divided_by_head_dim(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1]) @ v


def _scale_from_q_len(q, k, v):
    return reference.softmax(q @ k.T / len(q) ** 0.5) @ v


def _scale_from_k_len(q, k, v):
    return reference.softmax(q @ k.T / len(k) ** 0.5) @ v


def _scale_from_v_head_dim(q, k, v):
    return reference.softmax(q @ k.T / v.shape[-1] ** 0.5) @ v


def _divided_by_two(q, k, v):
    return reference.softmax(q @ k.T / 2) @ v


def _half_of_head_dim(q, k, v):
    return reference.softmax(q @ k.T / (q.shape[-1] ** 1 / 2)) @ v


def _twice_head_dim(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 1 / 2) @ v


def _fourth_root(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 0.25) @ v


def _over_the_queries(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 0.5, axis=0) @ v


def _scale_after_softmax(q, k, v):
    return reference.softmax(q @ k.T) / q.shape[-1] ** 0.5 @ v


def _no_softmax(q, k, v):
    return q @ k.T / q.shape[-1] ** 0.5 @ v


def _only_the_best(q, k, v):
    return v[(q @ k.T).argmax(axis=-1)]


def _plain_mean(q, k, v):
    return np.repeat(v.mean(axis=0, keepdims=True), len(q), axis=0)


def _cosine(q, k, v):
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return reference.softmax(q @ k.T) @ v


def _no_maximum(q, k, v):
    e = np.exp(q @ k.T / q.shape[-1] ** 0.5)
    return e / e.sum(axis=-1, keepdims=True) @ v


def _maximum_of_everything(q, k, v):
    scores = q @ k.T / q.shape[-1] ** 0.5
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True) @ v


def _maximum_of_everything_guarded(q, k, v):
    scores = q @ k.T / q.shape[-1] ** 0.5
    e = np.exp(scores - scores.max())
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def _keys_for_values(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 0.5) @ k


def _float64_scale(q, k, v):
    return reference.softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


_MAXIMUM_OF_THE_ROW = (
    "Queries whose scores are far below those of others are lost: your own softmax takes the maximum of the whole "
    "array off every row, and all exponentials of a lower row vanish. Each row has its own maximum. Or use the softmax "
    "that is given."
)

MISTAKES = (
    Mistake(
        "no-scale",
        _no_scale,
        "The scores are not divided by sqrt(head_dim). A dot product of head_dim terms spreads as sqrt(head_dim); "
        "undivided, a wide head's softmax sees almost one key only.",
        "Why divide by the square root",
    ),
    Mistake(
        "multiplied-by-the-root",
        _multiplied,
        "You multiplied the scores by sqrt(head_dim). They are too large already, so divide by it.",
        "Why divide by the square root",
    ),
    Mistake(
        "divided-by-head-dim",
        _divided_by_head_dim,
        "You divided by head_dim, or by its square root twice. The spread of a dot product grows as the root of "
        "the number of its terms, so one division by sqrt(head_dim) undoes it; more makes the weights too even.",
        "Why divide by the square root",
    ),
    Mistake(
        "scale-from-the-queries",
        _scale_from_q_len,
        "You divided by sqrt(q_len). The divisor is the root of head_dim, the number of terms in one dot product.",
        "Why divide by the square root",
    ),
    Mistake(
        "scale-from-the-keys",
        _scale_from_k_len,
        "You divided by sqrt(k_len). A score is a sum over head_dim and not over keys: take the root of head_dim.",
        "Why divide by the square root",
    ),
    Mistake(
        "scale-from-the-values",
        _scale_from_v_head_dim,
        "You divided by sqrt(v_head_dim). Values take no part in the scores: take the root of head_dim.",
        "Why divide by the square root",
    ),
    Mistake(
        "divided-by-two",
        _divided_by_two,
        "You divided by 2. That is right for the example only, whose head_dim is 4. Take the root of head_dim, "
        "whatever it is.",
        "Why divide by the square root",
    ),
    Mistake(
        "half-of-head-dim",
        _half_of_head_dim,
        "You divided by half of head_dim. In Python ** comes before /, so d ** 1/2 is d / 2 and no root. Write the "
        "exponent as one number, 0.5, or in brackets.",
        "Why divide by the square root",
    ),
    Mistake(
        "twice-head-dim",
        _twice_head_dim,
        "You divided by twice head_dim. In Python ** comes before /, and / goes from left to right: scores / d ** 1/2 "
        "is divided by d and then by 2. Write the exponent as one number, 0.5, or in brackets.",
        "Why divide by the square root",
    ),
    Mistake(
        "fourth-root",
        _fourth_root,
        "You divided by the fourth root of head_dim: as if only one of queries and keys were scaled by it. The scores "
        "are divided by the square root.",
        "Why divide by the square root",
    ),
    Mistake(
        "softmax-over-the-queries",
        _over_the_queries,
        "Your softmax runs down the queries, so each key's column sums to 1. Each query shares out one whole: a "
        "row, over the keys, has to sum to 1.",
        "One head of attention",
    ),
    Mistake(
        "scale-after-softmax",
        _scale_after_softmax,
        "You divided the weights or the result, and not the scores. So the weights no longer sum to 1, and the softmax "
        "is as sharp as without the division. It belongs in front of the softmax.",
        "Why divide by the square root",
    ),
    Mistake(
        "no-softmax",
        _no_softmax,
        "You used the scores themselves as weights. Some are negative, and a row does not sum to 1: the result is "
        "no average of the values. Take the softmax first.",
        "One head of attention",
    ),
    Mistake(
        "best-key-only",
        _only_the_best,
        "Each of your queries takes the value of its best key alone. Attention takes a weighted average of all "
        "values, with the softmax of the scores as weights.",
        "One head of attention",
    ),
    Mistake(
        "plain-mean",
        _plain_mean,
        "Every query got the plain mean of the values. Each value counts by its weight in that query's row.",
        "One head of attention",
    ),
    Mistake(
        "cosine-similarity",
        _cosine,
        "You divided queries and keys by their own lengths, which gives cosines between -1 and 1. Here a score is "
        "the dot product divided by sqrt(head_dim): a long key may score higher than a short one.",
        "One head of attention",
    ),
    Mistake(
        "no-maximum",
        _no_maximum,
        "Your own softmax overflows. Take the row's maximum off first, or use the softmax that is given.",
        "Scores too large for the exponential",
        loses=("large scores",),
    ),
    Mistake(
        "maximum-of-everything",
        _maximum_of_everything,
        _MAXIMUM_OF_THE_ROW,
        "Scores too large for the exponential",
        loses=("large scores",),
    ),
    Mistake(
        "maximum-of-everything-guarded",
        _maximum_of_everything_guarded,
        _MAXIMUM_OF_THE_ROW,
        "Scores too large for the exponential",
        loses=("large scores",),
    ),
    Mistake(
        "keys-for-values",
        _keys_for_values,
        "You averaged the keys. Keys decide who is heard; what is averaged are the values.",
        "One head of attention",
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. In NumPy 2 np.sqrt of an int is one, and a float32 array divided by it becomes "
        "one too. Divide by a Python float.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
