"""The known mistakes of multi-query-attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _softmax_over_heads(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return reference.softmax(scores, axis=1) @ v


def _softmax_over_queries(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return reference.softmax(scores, axis=2) @ v


def _scaled_by_the_width(q, k, v):
    scores = q @ k.swapaxes(2, 3) / (q.shape[1] * q.shape[3]) ** 0.5
    return reference.softmax(scores) @ v


def _not_scaled(q, k, v):
    return reference.softmax(q @ k.swapaxes(2, 3)) @ v


def _scaled_by_the_value_width(q, k, v):
    scores = q @ k.swapaxes(2, 3) / v.shape[-1] ** 0.5
    return reference.softmax(scores) @ v


def _scaled_without_the_root(q, k, v):
    return reference.softmax(q @ k.swapaxes(2, 3) / q.shape[-1]) @ v


def _no_softmax(q, k, v):
    return q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5 @ v


def _no_maximum(q, k, v):
    powers = np.exp(q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5)
    return powers / powers.sum(-1, keepdims=True) @ v


def _reshaped_for_the_transpose(q, k, v):
    turned = k.reshape(k.shape[0], 1, k.shape[3], k.shape[2])
    return reference.softmax(q @ turned / q.shape[-1] ** 0.5) @ v


def _causal(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    q_len, k_len = scores.shape[2:]
    mask = np.tril(np.ones((q_len, k_len), bool), k_len - q_len)
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _causal_from_the_top_left(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    mask = np.tril(np.ones(scores.shape[2:], bool))
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _one_query_for_all_heads(q, k, v):
    mean = q.mean(axis=1, keepdims=True)
    scores = mean @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return (reference.softmax(scores) @ v).repeat(q.shape[1], axis=1)


def _batch_for_head(q, k, v):
    scores = q @ k[0].swapaxes(1, 2) / q.shape[-1] ** 0.5
    return reference.softmax(scores) @ v[0]


def _unstacked_in_another_order(q, k, v):
    batch, heads, q_len, head_dim = q.shape
    stacked = q.swapaxes(1, 2).reshape(batch, q_len * heads, head_dim)
    scores = stacked @ k[:, 0].swapaxes(1, 2) / head_dim**0.5
    return (reference.softmax(scores) @ v[:, 0]).reshape(batch, heads, q_len, v.shape[-1])


def _head_axis_dropped(q, k, v):
    scores = q @ k[:, 0].swapaxes(1, 2) / q.shape[-1] ** 0.5
    return reference.softmax(scores) @ v[:, 0]


def _float64_scale(q, k, v):
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    return reference.softmax(scores) @ v


MISTAKES = (
    Mistake(
        "softmax-over-heads",
        _softmax_over_heads,
        "Your softmax runs over the heads, so they compete for each key. Every head has weights of its own: for "
        "each query they sum to 1 over the keys, the last axis of the scores.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "softmax-over-queries",
        _softmax_over_queries,
        "Your softmax runs over the queries. A query spreads its attention over the keys, so its weights sum to 1 "
        "along the last axis of the scores.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "scaled-by-the-width",
        _scaled_by_the_width,
        "You scaled by the width of all heads together. A score is a sum over the head_dim numbers of one query, "
        "so it is divided by the square root of head_dim.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "The scores are not scaled. Sharing keys changes nothing about that: divide them by the square root of "
        "head_dim.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "scaled-by-the-value-width",
        _scaled_by_the_value_width,
        "You scaled by the width of the values. The scores come from queries and keys, so it is their width, "
        "head_dim, that counts; v_head_dim may be another number.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "scaled-without-the-root",
        _scaled_without_the_root,
        "You divided the scores by head_dim itself. It is its square root: a sum of head_dim independent products is "
        "larger by the root of their number.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "no-softmax",
        _no_softmax,
        "Softmax is missing: the scores themselves stand where weights should. Only softmax makes them positive, with "
        "a sum of 1 over the keys.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "no-maximum",
        _no_maximum,
        "Where scores are large the result is NaN, as from a softmax of your own in which the exponential overflows. "
        "Take the row's largest score away first, which changes no weight, or use the given softmax.",
        "Scores, scale and softmax",
        loses=("large scores",),
    ),
    Mistake(
        "reshaped-for-the-transpose",
        _reshaped_for_the_transpose,
        "You gave k the shape of its transpose by a reshape. That keeps the order of the numbers, and so mixes those "
        "of several keys. The last two axes have to change places.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "causal",
        _causal,
        "Your queries do not see all keys: this is causal attention. There is no mask in this part.",
        "One key/value head for all",
    ),
    Mistake(
        "causal-from-the-top-left",
        _causal_from_the_top_left,
        "Your queries do not see all keys: this is causal attention, counted from the first query and the first key. "
        "There is no mask in this part.",
        "One key/value head for all",
    ),
    Mistake(
        "one-query-for-all-heads",
        _one_query_for_all_heads,
        "You averaged the queries over the heads, so all heads give the same. Only keys and values are shared in "
        "multi-query attention; each head keeps its own queries.",
        "One key/value head for all",
    ),
    Mistake(
        "batch-for-head",
        _batch_for_head,
        "Every sequence reads the keys and values of sequence 0. The batch is axis 0, so that k[0] is the first "
        "sequence, and not the first head.",
        "One key/value head for all",
    ),
    Mistake(
        "unstacked-in-another-order",
        _unstacked_in_another_order,
        "You stacked the queries token by token and took the result apart head by head. Both must follow the same "
        "order, or outputs land in the wrong head and at the wrong token.",
        "Groups without a copy",
    ),
    Mistake(
        "head-axis-dropped",
        _head_axis_dropped,
        "You took the head axis away from k and v. What is left has three axes, and @ then lines their batch up "
        "with the heads of q: an error as a rule, and a mix of sequences where the two numbers agree. Keep the "
        "axis of size 1.",
        "One key/value head for all",
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. For example, np.zeros makes float64 arrays, and since NumPy 2 np.sqrt of a whole "
        "number is a float64 that makes float32 arrays float64; a Python float, such as head_dim ** 0.5, does not.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
