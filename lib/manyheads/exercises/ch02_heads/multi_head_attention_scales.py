"""The known mistakes of multi-head-attention that scale scores otherwise."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _scale_by_d_model(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * x.shape[-1] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_all_heads(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * w_q.shape[1] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_n_heads(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * n_heads**-0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_share_of_d_model(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / (x.shape[-1] // n_heads) ** 0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_v_head_dim(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / v.shape[3] ** 0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_q_len(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[2] ** 0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _scale_by_k_len(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / k.shape[2] ** 0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _times_the_root(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** 0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _no_scale(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    return reference.combine_heads(reference.softmax(q @ k.swapaxes(2, 3)) @ v) @ w_o


def _no_square_root(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    return reference.combine_heads(reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3]) @ v) @ w_o


def _scale_after_softmax(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3)) * q.shape[3] ** -0.5
    return reference.combine_heads(weights @ v) @ w_o


def _float64_scale(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]))
    return reference.combine_heads(weights @ v) @ w_o


_LAYER = "The whole layer"

SCALES = (
    Mistake(
        "scale-by-d-model",
        _scale_by_d_model,
        "You divided the scores by the root of d_model. A score is a sum over the head_dim numbers of one head, and "
        "it is their number that it grows with.",
        _LAYER,
    ),
    Mistake(
        "scale-by-all-heads",
        _scale_by_all_heads,
        "You divided the scores by the root of n_heads * head_dim. Take the width of one head, head_dim: a score is a "
        "sum over that many products.",
        _LAYER,
    ),
    Mistake(
        "scale-by-n-heads",
        _scale_by_n_heads,
        "You divided the scores by the root of n_heads. Look at which axis of the split array is which: a score is a "
        "sum over head_dim products.",
        _LAYER,
    ),
    Mistake(
        "scale-by-share-of-d-model",
        _scale_by_share_of_d_model,
        "You divided the scores by the root of d_model // n_heads. That is head_dim in most models only; a head is as "
        "wide as its queries, whatever d_model is.",
        _LAYER,
    ),
    Mistake(
        "scale-by-v-head-dim",
        _scale_by_v_head_dim,
        "You divided the scores by the root of v_head_dim, the width of the values. The values have no part in a "
        "score: it is a sum of products of queries and keys.",
        _LAYER,
        loses=("widths",),
    ),
    Mistake(
        "scale-by-q-len",
        _scale_by_q_len,
        "You divided the scores by the root of q_len, the number of queries. Look at which axis of the split array is "
        "which: a score is a sum over head_dim products.",
        _LAYER,
    ),
    Mistake(
        "scale-by-k-len",
        _scale_by_k_len,
        "You divided the scores by the root of k_len, the number of keys. Look at which axis of the split array is "
        "which: a score is a sum over head_dim products.",
        _LAYER,
    ),
    Mistake(
        "times-the-root",
        _times_the_root,
        "The scores are multiplied by the root of head_dim. They are divided by it: they grow with the width of a "
        "head as it is.",
        _LAYER,
    ),
    Mistake(
        "no-scale",
        _no_scale,
        "The scores are not divided by the root of head_dim. Without that they grow with the width of a head, and "
        "softmax puts almost all weight on one key.",
        _LAYER,
    ),
    Mistake(
        "no-square-root",
        _no_square_root,
        "The scores are divided by head_dim itself, in one step or in two. It is its square root: a sum of head_dim "
        "independent products is larger by the root of their number.",
        _LAYER,
    ),
    Mistake(
        "scale-after-softmax",
        _scale_after_softmax,
        "The scores are not scaled, and what comes after them is: the weights, or the values, are divided by the root "
        "of head_dim. Scale the scores, before softmax.",
        _LAYER,
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. The likely cause is np.sqrt: of an integer it gives a float64, and since NumPy 2 "
        "dividing by that makes the scores so. A Python float leaves the dtype alone.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
