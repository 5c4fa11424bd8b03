"""The known mistakes of causal-attention-maps."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _no_mask(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    return reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)


def _past_forbidden(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool).T, scores, -np.inf))


def _mask_turned(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), -np.inf, scores))


def _itself_forbidden(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], k=-1, dtype=bool), scores, -np.inf))


def _zero_for_minus_infinity(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    return reference.softmax(np.tril(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5))


def _mask_after_the_softmax(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    return np.tril(reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5))


def _not_scaled(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3)
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _scaled_without_the_root(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3]
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _scaled_by_the_width(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / w_q.shape[1] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _scaled_by_d_model(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / x.shape[2] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _multiplied_by_the_root(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) * q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _softmax_over_queries(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf), axis=2)


def _softmax_over_heads(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf), axis=1)


def _exchanged(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = k @ q.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _queries_twice(x, w_q, w_k, n_heads):
    q = reference.split_heads(x @ w_q, n_heads)
    scores = q @ q.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


def _strided_heads(x, w_q, w_k, n_heads):
    batch, seq, _ = x.shape
    q, k = ((x @ w).reshape(batch, seq, -1, n_heads).transpose(0, 3, 1, 2) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(seq, dtype=bool), scores, -np.inf))


def _reshaped_without_a_transpose(x, w_q, w_k, n_heads):
    batch, seq, _ = x.shape
    q, k = ((x @ w).reshape(batch, n_heads, seq, -1) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    return reference.softmax(np.where(np.tri(seq, dtype=bool), scores, -np.inf))


def _keys_reshaped(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    batch, _, seq, d = k.shape
    scores = q @ k.reshape(batch, n_heads, d, seq) / d**0.5
    return reference.softmax(np.where(np.tri(seq, dtype=bool), scores, -np.inf))


def _zero_times_infinity(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    later = 1 - np.tri(x.shape[1], dtype=x.dtype)
    return reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5 + later * -np.inf)


def _float64_scale(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    return reference.softmax(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))


_MAPS, _SCALE = "A map for each head", "Scale, mask and softmax"

MISTAKES = (
    Mistake(
        "no-mask",
        _no_mask,
        "Your queries see later tokens. Causal means that query i sees keys 0 to i: minus infinity goes into the "
        "scores of the others, before the softmax.",
        _SCALE,
    ),
    Mistake(
        "past-forbidden",
        _past_forbidden,
        "Your queries see the future and not the past: the mask lies on the wrong side of the diagonal. Query i sees "
        "keys 0 to i, the lower triangle.",
        _SCALE,
    ),
    Mistake(
        "mask-turned",
        _mask_turned,
        "Your mask is used the wrong way round. In this course True means may attend: minus infinity goes where the "
        "mask is False.",
        _SCALE,
    ),
    Mistake(
        "itself-forbidden",
        _itself_forbidden,
        "Your queries do not see their own token, and query 0 sees nothing at all. The diagonal is allowed: query i "
        "sees keys 0 to i.",
        _SCALE,
    ),
    Mistake(
        "zero-for-minus-infinity",
        _zero_for_minus_infinity,
        "Later tokens got the score 0, which forbids nothing: its exponential is 1. The score that becomes weight 0 "
        "is minus infinity.",
        _SCALE,
    ),
    Mistake(
        "mask-after-the-softmax",
        _mask_after_the_softmax,
        "Your rows no longer sum to 1: the weights of later tokens were struck out after the softmax. Mask the scores "
        "before it.",
        _SCALE,
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "The scores are not scaled. Divide them by the square root of head_dim.",
        _SCALE,
    ),
    Mistake(
        "scaled-without-the-root",
        _scaled_without_the_root,
        "Your scores are divided by head_dim itself: perhaps by the root twice, in q and in k. Divide once by its "
        "square root: a sum of head_dim independent products is larger by the root of their number.",
        _SCALE,
    ),
    Mistake(
        "scaled-by-the-width",
        _scaled_by_the_width,
        "You divided by the square root of the width of all heads together. A score is a sum over the head_dim "
        "numbers of one head.",
        _SCALE,
    ),
    Mistake(
        "scaled-by-d-model",
        _scaled_by_d_model,
        "You divided by the square root of d_model. A score is a sum over the head_dim numbers of one head.",
        _SCALE,
    ),
    Mistake(
        "multiplied-by-the-root",
        _multiplied_by_the_root,
        "You multiplied the scores by the square root of head_dim. They are divided by it.",
        _SCALE,
    ),
    Mistake(
        "softmax-over-queries",
        _softmax_over_queries,
        "Your columns sum to 1 and your rows do not: the softmax runs over the queries. A query spreads its attention "
        "over the keys, the last axis.",
        _SCALE,
    ),
    Mistake(
        "softmax-over-heads",
        _softmax_over_heads,
        "Your softmax runs over the heads, so they compete for each key. Every head has rows of its own that sum to 1 "
        "over the keys, the last axis.",
        _SCALE,
    ),
    Mistake(
        "queries-and-keys-exchanged",
        _exchanged,
        "Your keys ask and your queries are asked: the rows of the scores belong to the queries, q @ k with its last "
        "two axes exchanged.",
        _MAPS,
    ),
    Mistake(
        "queries-twice",
        _queries_twice,
        "You used w_q for the keys too. Keys are x @ w_k.",
        _MAPS,
    ),
    Mistake(
        "strided-heads",
        _strided_heads,
        "You dealt the columns out to the heads in turn. The heads lie side by side: head h owns the head_dim columns "
        "from h * head_dim on.",
        _MAPS,
    ),
    Mistake(
        "reshaped-without-a-transpose",
        _reshaped_without_a_transpose,
        "Your reshape put tokens into the place of heads. Split the last axis first, into (n_heads, head_dim), and "
        "then let the axes of tokens and heads change places.",
        _MAPS,
    ),
    Mistake(
        "keys-reshaped",
        _keys_reshaped,
        "You reshaped the keys to (head_dim, seq), which mixes the numbers of different keys. The last two axes have "
        "to change places: swapaxes(-1, -2).",
        _MAPS,
    ),
    Mistake(
        "zero-times-infinity",
        _zero_times_infinity,
        "All your weights are NaN. Perhaps you multiplied a mask of zeros and ones by infinity: 0 times infinity is "
        "NaN. Put minus infinity where the mask is False, with np.where or an assignment.",
        _SCALE,
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your weights are float64. Since NumPy 2, np.sqrt of a whole number is a float64 that makes a float32 array "
        "float64; head_dim ** 0.5 does not. So does a mask of numbers from np.tri or np.zeros, if you add it.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
