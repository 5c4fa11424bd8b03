"""The known mistakes of grouped-attention-backward made when the weights are computed again."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _not_causal(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _top_left(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(np.tri(q.shape[2], k.shape[2], dtype=bool), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _only_earlier_keys(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(np.tri(q.shape[2], k.shape[2], k.shape[2] - q.shape[2] - 1, dtype=bool), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _not_scaled(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3)
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _no_scale_anywhere(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = 1
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _scaled_by_the_value_width(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = v.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _finite_fill(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -1e9)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _nan_in_empty_rows(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(axis=3, keepdims=True))
        weights = weights / weights.sum(axis=3, keepdims=True)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _float64_scale(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = 1 / np.sqrt(q.shape[3])
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


_FORWARD = "The weights, computed again"

FORWARD = (
    Mistake(
        "not-causal",
        _not_causal,
        "No mask is applied: your gradients are those of attention in which a query sees later keys. Use the "
        "causal mask when you compute the weights again.",
        _FORWARD,
    ),
    Mistake(
        "top-left",
        _top_left,
        "Your causal mask starts at the top left. With q_len and k_len different, the last query is the newest "
        "token and sees every key: align the mask at the bottom right.",
        _FORWARD,
    ),
    Mistake(
        "only-earlier-keys",
        _only_earlier_keys,
        "Your mask is one key too strict: the last query does not see the last key, nor any other query the key of its "
        "own position. It is <=, not <.",
        _FORWARD,
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "You computed the weights again from scores without the scale, so they are not those of the forward pass. "
        "The products are multiplied by head_dim ** -0.5 there.",
        _FORWARD,
    ),
    Mistake(
        "no-scale-anywhere",
        _no_scale_anywhere,
        "The scale is missing, in the weights and in the gradients by q and k. Scores are products times head_dim "
        "** -0.5.",
        _FORWARD,
    ),
    Mistake(
        "scaled-by-the-value-width",
        _scaled_by_the_value_width,
        "You scale by the width of the values. The scores come from queries and keys, so it is their width, "
        "head_dim, that counts; v_head_dim may be another number.",
        _FORWARD,
    ),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that sees no key still gives a gradient to the values: where all scores are the same large "
        "negative number, softmax makes equal weights of them. With minus infinity the given softmax gives 0.",
        "Rows that have seen nothing",
        loses=("empty rows",),
    ),
    Mistake(
        "nan-in-empty-rows",
        _nan_in_empty_rows,
        "A query that sees no key makes NaN, as from a softmax of your own: it takes minus infinity from minus "
        "infinity, or divides 0 by 0. Its weights are 0, and so is all it gives and gets; the given softmax sees "
        "to that.",
        "Rows that have seen nothing",
        loses=("empty rows",),
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. Since NumPy 2 np.sqrt of a whole number is a float64 that makes float32 arrays "
        "float64, and so do arrays of np.zeros; a Python float, such as head_dim ** -0.5, does not.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
