"""The known mistakes of multi-head-attention."""

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


def _softmax_over_queries(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5, axis=2)
    return reference.combine_heads(weights @ v) @ w_o


def _softmax_over_heads(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5, axis=1)
    return reference.combine_heads(weights @ v) @ w_o


def _one_wide_head(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = x @ w_q, context @ w_k, context @ w_v
    return reference.softmax(q @ k.swapaxes(1, 2) * q.shape[2] ** -0.5) @ v @ w_o


def _keys_reshaped(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    scores = q @ k.reshape(k.shape[0], k.shape[1], k.shape[3], k.shape[2])
    return reference.combine_heads(reference.softmax(scores * q.shape[3] ** -0.5) @ v) @ w_o


def _merged_without_transpose(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    out = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5) @ v
    return out.reshape(x.shape[0], x.shape[1], w_v.shape[1]) @ w_o


def _merged_d_before_h(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    out = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5) @ v
    return out.transpose(0, 2, 3, 1).reshape(x.shape[0], x.shape[1], -1) @ w_o


def _queries_from_context(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((context, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _context_ignored(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (x, w_k), (x, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _keys_from_x(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (x, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _values_from_x(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (x, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _w_o_transposed(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o.T


def _w_o_left_out(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v)


def _float64_scale(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]))
    return reference.combine_heads(weights @ v) @ w_o


_LAYER = "The whole layer"

MISTAKES = (
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
        "no-scale",
        _no_scale,
        "The scores are not divided by the root of head_dim. Without that they grow with the width of a head, and "
        "softmax puts almost all weight on one key.",
        _LAYER,
    ),
    Mistake(
        "no-square-root",
        _no_square_root,
        "You divided the scores by head_dim itself. It is its square root: a sum of head_dim independent products is "
        "larger by the root of their number.",
        _LAYER,
    ),
    Mistake(
        "scale-after-softmax",
        _scale_after_softmax,
        "You scaled the weights after softmax, so that they no longer sum to 1. Scale the scores, before softmax.",
        _LAYER,
    ),
    Mistake(
        "softmax-over-queries",
        _softmax_over_queries,
        "Your softmax runs over the queries. For each query the weights of the keys sum to 1, so it runs over the "
        "axis of the keys, the last.",
        _LAYER,
    ),
    Mistake(
        "softmax-over-heads",
        _softmax_over_heads,
        "Your softmax runs over the heads, so that they compete for a key. Each head has its own softmax, over its "
        "keys.",
        _LAYER,
    ),
    Mistake(
        "one-wide-head",
        _one_wide_head,
        "You did not split: that is one head over the whole width, with one set of weights for all. Split q, k and v "
        "before the scores, so that each head has weights of its own.",
        _LAYER,
    ),
    Mistake(
        "keys-reshaped",
        _keys_reshaped,
        "You reshaped the keys to (batch, n_heads, head_dim, k_len). A reshape keeps the reading order and mixes "
        "tokens; what the product needs is the last two axes exchanged.",
        _LAYER,
    ),
    Mistake(
        "merged-without-transpose",
        _merged_without_transpose,
        "You merged the heads without moving them behind the tokens first, so that a row holds several tokens of one "
        "head. Bring the heads between the tokens and their numbers, then merge.",
        "Combining: the way back",
    ),
    Mistake(
        "merged-d-before-h",
        _merged_d_before_h,
        "You merged (head_dim, n_heads), so that the heads' numbers alternate. W_O expects the heads side by side, "
        "each with its numbers together.",
        "The order of heads and dims",
    ),
    Mistake(
        "queries-from-context",
        _queries_from_context,
        "You made the queries from context. It is the tokens of x that ask; only keys and values come from context.",
        _LAYER,
        loses=("cross", "widths"),
    ),
    Mistake(
        "context-ignored",
        _context_ignored,
        "You made keys and values from x, which is self-attention. They come from context; only in self-attention is "
        "that x.",
        _LAYER,
        loses=("cross", "widths"),
    ),
    Mistake(
        "keys-from-x",
        _keys_from_x,
        "You made the keys from x. Keys and values belong together and come from the same tokens, those of context.",
        _LAYER,
        loses=("cross", "widths"),
    ),
    Mistake(
        "values-from-x",
        _values_from_x,
        "You made the values from x. Keys and values belong together and come from the same tokens, those of context.",
        _LAYER,
        loses=("cross", "widths"),
    ),
    Mistake(
        "w-o-transposed",
        _w_o_transposed,
        "You multiplied by the transpose of w_o. Weights act as x @ w here; where W_O is square, nothing raises.",
        _LAYER,
    ),
    Mistake(
        "w-o-left-out",
        _w_o_left_out,
        "W_O is missing. The heads side by side still go through it: it is the only place where heads mix.",
        _LAYER,
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. np.sqrt of a Python or NumPy integer is a float64, and dividing by it makes the "
        "scores so. A Python float leaves the dtype alone.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
