"""The known mistakes of grouped-attention-backward that are made on the way back through a head."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


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
    Mistake(
        "scale-forgotten",
        _scale_forgotten,
        "Your gradients by q and k lack the scale. A score is head_dim ** -0.5 times its product, so both get "
        "that factor once more on the way back.",
        _BACK,
    ),
    Mistake(
        "scale-forgotten-in-q",
        _scale_forgotten_in_q,
        "Your gradient by q lacks the scale; that by k has it. The scores are scaled products of both, so both "
        "gradients have the factor head_dim ** -0.5.",
        _BACK,
    ),
    Mistake(
        "scale-forgotten-in-k",
        _scale_forgotten_in_k,
        "Your gradient by k lacks the scale; that by q has it. The scores are scaled products of both, so both "
        "gradients have the factor head_dim ** -0.5.",
        _BACK,
    ),
    Mistake(
        "scale-twice",
        _scale_twice,
        "Your gradients by q and k have the scale twice. If you scaled the gradient of the scores, or q and k "
        "themselves, the products are done.",
        _BACK,
    ),
    Mistake(
        "no-average",
        _no_average,
        "You go back through the softmax with the weights times the gradient, and nothing is taken away. The "
        "row's average has to be: the sum of the weights times their gradients.",
        _SOFTMAX,
    ),
    Mistake(
        "diagonal-only",
        _diagonal_only,
        "You go back through the softmax with p (1 - p) times the gradient. That is the effect of a score on its "
        "own weight alone; the other weights of the row shrink, and count too.",
        _SOFTMAX,
    ),
    Mistake(
        "no-softmax-on-the-way-back",
        _no_softmax_on_the_way_back,
        "You go from the gradient of the weights to q and k at once. The softmax lies between: first turn it into "
        "the gradient of the scores.",
        _SOFTMAX,
    ),
)
