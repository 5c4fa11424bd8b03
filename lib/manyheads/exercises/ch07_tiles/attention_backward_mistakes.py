"""The known mistakes of attention-backward that are made on the way back."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.attention_backward_forward import FORWARD
from manyheads.exercises.definition import Mistake


def _scale_forgotten(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k, grad.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ grad_out


def _scale_forgotten_in_q(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _scale_forgotten_in_k(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q, weights.swapaxes(2, 3) @ grad_out


def _scale_twice(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k * scale * scale, grad.swapaxes(2, 3) @ q * scale * scale, weights.swapaxes(2, 3) @ grad_out


def _scale_in_v(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out * scale


def _v_without_a_mask(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return (
        grad @ k * scale,
        grad.swapaxes(2, 3) @ q * scale,
        reference.softmax(q @ k.swapaxes(2, 3) * scale).swapaxes(2, 3) @ grad_out,
    )


def _v_from_the_scores(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, grad.swapaxes(2, 3) @ grad_out


def _average_from_v(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights @ v).sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _grad_out_left_out(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = np.ones_like(grad_out) @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _diagonal_only(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (1 - weights) * grad
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _no_average(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * grad
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _no_softmax_on_the_way_back(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _plain_sum(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - grad.sum(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _plain_mean(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - grad.mean(axis=3, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _summed_over_queries(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=2, keepdims=True))
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


def _sign_exchanged(q, k, v, grad_out):
    scale = q.shape[3] ** -0.5
    scores = q @ k.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ v.swapaxes(2, 3)
    grad = weights * ((weights * grad).sum(axis=3, keepdims=True) - grad)
    return grad @ k * scale, grad.swapaxes(2, 3) @ q * scale, weights.swapaxes(2, 3) @ grad_out


_BACK, _SOFTMAX = "Back through attention", "Back through a softmax"

MISTAKES = (
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
        "scale-in-v",
        _scale_in_v,
        "Your gradient by v is scaled. The values meet the weights, behind the scores, so no scale comes in there.",
        _BACK,
    ),
    Mistake(
        "v-without-a-mask",
        _v_without_a_mask,
        "Your gradient by v comes from weights without the mask, so that a value gets something from queries that "
        "come before it. Use the masked weights of the forward pass.",
        _BACK,
    ),
    Mistake(
        "v-from-the-scores",
        _v_from_the_scores,
        "Your gradient by v has the gradient of the scores where the weights belong: the result is weights @ v, "
        "so it is the weights, transposed, times grad_out.",
        _BACK,
    ),
    Mistake(
        "average-from-v",
        _average_from_v,
        "You take the sum of the result away in each row. The average that counts is that of the weights' "
        "gradients; it is the sum of the result times grad_out.",
        _SOFTMAX,
    ),
    Mistake(
        "grad-out-left-out",
        _grad_out_left_out,
        "Your gradients by q and k do not depend on grad_out, as if the loss were the plain sum of the result. "
        "The gradient by the weights is grad_out @ v, transposed.",
        _BACK,
    ),
    Mistake(
        "diagonal-only",
        _diagonal_only,
        "You go back through the softmax with p (1 - p) times the gradient. That is the effect of a score on its "
        "own weight alone; the other weights of the row shrink, and count too.",
        _SOFTMAX,
    ),
    Mistake(
        "no-average",
        _no_average,
        "You go back through the softmax with the weights times the gradient, and nothing is taken away. The "
        "row's average has to be: the sum of the weights times their gradients.",
        _SOFTMAX,
    ),
    Mistake(
        "no-softmax-on-the-way-back",
        _no_softmax_on_the_way_back,
        "You go from the gradient of the weights to q and k at once. The softmax lies between: first turn it into "
        "the gradient of the scores.",
        _SOFTMAX,
    ),
    Mistake(
        "plain-sum",
        _plain_sum,
        "On the way back through the softmax you take the plain sum of a row away. What counts is an average by "
        "weight: the sum of the weights times their gradients.",
        _SOFTMAX,
    ),
    Mistake(
        "plain-mean",
        _plain_mean,
        "On the way back through the softmax you take the plain mean of a row away. The average that counts is "
        "one by weight: the sum of the weights times their gradients.",
        _SOFTMAX,
    ),
    Mistake(
        "summed-over-queries",
        _summed_over_queries,
        "On the way back through the softmax your average runs over the queries. The weights of one query belong "
        "together: sum along the last axis, the keys.",
        _SOFTMAX,
    ),
    Mistake(
        "sign-exchanged",
        _sign_exchanged,
        "Your gradients by q and k have the wrong sign everywhere: on the way back through the softmax you take "
        "the gradient away from the average.",
        _SOFTMAX,
    ),
    *FORWARD,
)
