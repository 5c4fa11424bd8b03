"""The known mistakes of grouped-attention-backward made when the weights are computed again."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.attention_backward_mistakes import MISTAKES as OF_MHA

_MHA = {mistake.name: mistake for mistake in OF_MHA}


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
    replace(_MHA["not-causal"], answer=_not_causal),
    replace(_MHA["top-left"], answer=_top_left),
    replace(_MHA["only-earlier-keys"], answer=_only_earlier_keys),
    replace(_MHA["not-scaled"], answer=_not_scaled),
    replace(_MHA["no-scale-anywhere"], answer=_no_scale_anywhere),
    replace(_MHA["scaled-by-the-value-width"], answer=_scaled_by_the_value_width),
    replace(_MHA["finite-fill"], answer=_finite_fill),
    replace(_MHA["nan-in-empty-rows"], answer=_nan_in_empty_rows),
    replace(_MHA["float64-scale"], answer=_float64_scale),
)
