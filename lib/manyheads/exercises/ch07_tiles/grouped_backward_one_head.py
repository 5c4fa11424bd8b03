"""The known mistakes of grouped-attention-backward that are made on the way back through a head."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.attention_backward_mistakes import MISTAKES as OF_MHA

_MHA = {mistake.name: mistake for mistake in OF_MHA}


def _scale_forgotten(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _scale_forgotten_in_q(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _scale_forgotten_in_k(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _scale_twice(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale**2
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale**2, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _no_average(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * grad
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _diagonal_only(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (1 - weights) * grad
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _no_softmax_on_the_way_back(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


_BACK, _SOFTMAX = "Back through attention", "Back through a softmax"

ONE_HEAD = (
    replace(_MHA["scale-forgotten"], answer=_scale_forgotten),
    replace(_MHA["scale-forgotten-in-q"], answer=_scale_forgotten_in_q),
    replace(_MHA["scale-forgotten-in-k"], answer=_scale_forgotten_in_k),
    replace(_MHA["scale-twice"], answer=_scale_twice),
    replace(_MHA["no-average"], answer=_no_average),
    replace(_MHA["diagonal-only"], answer=_diagonal_only),
    replace(_MHA["no-softmax-on-the-way-back"], answer=_no_softmax_on_the_way_back),
)
