"""The known mistakes of multi-head-attention."""

from manyheads import reference
from manyheads.exercises.ch02_heads.multi_head_attention_scales import SCALES
from manyheads.exercises.definition import Mistake


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


def _no_softmax(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_k), (context, w_v)))
    return reference.combine_heads(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5 @ v) @ w_o


def _keys_and_values_exchanged(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_q), (context, w_v), (context, w_k)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _queries_and_keys_exchanged(x, context, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (reference.split_heads(a @ w, n_heads) for a, w in ((x, w_k), (context, w_q), (context, w_v)))
    weights = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return reference.combine_heads(weights @ v) @ w_o


def _d_before_h_throughout(x, context, w_q, w_k, w_v, w_o, n_heads):
    batch = len(x)
    q, k, v = (
        (a @ w).reshape(batch, a.shape[1], -1, n_heads).transpose(0, 3, 1, 2)
        for a, w in ((x, w_q), (context, w_k), (context, w_v))
    )
    out = reference.softmax(q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5) @ v
    return out.transpose(0, 2, 3, 1).reshape(batch, x.shape[1], -1) @ w_o


_LAYER = "The whole layer"

MISTAKES = (
    *SCALES,
    Mistake(
        "no-softmax",
        _no_softmax,
        "Softmax is missing: the scores themselves stand where weights should. Only softmax makes them positive, with "
        "a sum of 1 over the keys.",
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
        "That is one head over the whole width, with one set of weights for all. Split q, k and v before the scores, "
        "so that each head has weights of its own.",
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
        "The heads are merged without moving them behind the tokens first, so that a row holds several tokens of one "
        "head. The heads of one token belong side by side.",
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
        "d-before-h-throughout",
        _d_before_h_throughout,
        "Your heads are split and merged as (d h), every n_heads-th number to a head. That the two fit each other does "
        "not help: the weights were made for heads whose numbers stand together.",
        "The order of heads and dims",
    ),
    Mistake(
        "keys-and-values-exchanged",
        _keys_and_values_exchanged,
        "Keys and values are exchanged: w_k makes the keys, which meet the queries, and w_v the values, which the "
        "weights then mix.",
        _LAYER,
    ),
    Mistake(
        "queries-and-keys-exchanged",
        _queries_and_keys_exchanged,
        "w_q and w_k are exchanged. w_q makes the queries, from x, and w_k the keys, from context.",
        _LAYER,
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
)
