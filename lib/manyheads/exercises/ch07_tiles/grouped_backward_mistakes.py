"""The known mistakes of grouped-attention-backward that are made with the groups."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.grouped_backward_forward import FORWARD
from manyheads.exercises.ch07_tiles.grouped_backward_one_head import ONE_HEAD
from manyheads.exercises.definition import Mistake


def _mean_over_the_group(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into).mean(axis=2), grad_v.reshape(into).mean(axis=2)


def _mean_for_the_keys(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into).mean(axis=2), grad_v.reshape(into).sum(axis=2)


def _mean_for_the_values(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).mean(axis=2)


def _first_head_of_the_group(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into)[:, :, 0], grad_v.reshape(into)[:, :, 0]


def _last_head_of_the_group(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into)[:, :, -1], grad_v.reshape(into)[:, :, -1]


def _tiled_sums(q, k, v, grad_out):
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
    into = (q.shape[0], group, k.shape[1], k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=1), grad_v.reshape(into).sum(axis=1)


def _tiled(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = np.tile(k, (1, group, 1, 1)), np.tile(v, (1, group, 1, 1))
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], group, k.shape[1], k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=1), grad_v.reshape(into).sum(axis=1)


def _tiled_on_the_way_out(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = np.tile(k, (1, group, 1, 1)), np.tile(v, (1, group, 1, 1))
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = grad.swapaxes(2, 3) @ q * scale
    grad_v = weights.swapaxes(2, 3) @ grad_out
    into = (q.shape[0], k.shape[1], group, k.shape[2], -1)
    return grad @ keys * scale, grad_k.reshape(into).sum(axis=2), grad_v.reshape(into).sum(axis=2)


def _all_heads_summed(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    grad_k = (grad.swapaxes(2, 3) @ q * scale).sum(axis=1, keepdims=True)
    grad_v = (weights.swapaxes(2, 3) @ grad_out).sum(axis=1, keepdims=True)
    return grad @ keys * scale, grad_k.repeat(k.shape[1], axis=1), grad_v.repeat(k.shape[1], axis=1)


def _largest_of_the_group(q, k, v, grad_out):
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
    return grad @ keys * scale, grad_k.reshape(into).max(axis=2), grad_v.reshape(into).max(axis=2)


def _summed_before_the_product(q, k, v, grad_out):
    group = q.shape[1] // k.shape[1]
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scale = q.shape[3] ** -0.5
    scores = q @ keys.swapaxes(2, 3) * scale
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    weights = reference.softmax(scores)
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True))
    into = (q.shape[0], k.shape[1], group, q.shape[2], -1)
    all_grad, all_weights, queries, upstream = (x.reshape(into).sum(axis=2) for x in (grad, weights, q, grad_out))
    return grad @ keys * scale, all_grad.swapaxes(2, 3) @ queries * scale, all_weights.swapaxes(2, 3) @ upstream


def _queries_summed_too(q, k, v, grad_out):
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
    return (
        (grad @ keys * scale).reshape(*into[:3], *q.shape[2:]).sum(axis=2).repeat(group, axis=1),
        grad_k.reshape(into).sum(axis=2),
        grad_v.reshape(into).sum(axis=2),
    )


_SHARED = "What comes back to a shared head"

MISTAKES = (
    Mistake(
        "mean-over-the-group",
        _mean_over_the_group,
        "Your gradients by k and v are divided by the size of the group: a mean. Each head of the group adds its "
        "own part to the change of the loss, so they are summed.",
        _SHARED,
    ),
    Mistake(
        "mean-for-the-keys",
        _mean_for_the_keys,
        "Your gradient by k is the mean over the group, and that by v the sum. Both are sums: each head of the "
        "group adds its own part.",
        _SHARED,
    ),
    Mistake(
        "mean-for-the-values",
        _mean_for_the_values,
        "Your gradient by v is the mean over the group, and that by k the sum. Both are sums: each head of the "
        "group adds its own part.",
        _SHARED,
    ),
    Mistake(
        "first-head-of-the-group",
        _first_head_of_the_group,
        "Your gradients by k and v come from the first head of each group alone, as from grad[:, ::group], or a "
        "copy made by each head in turn without adding. All heads of the group read that key.",
        _SHARED,
    ),
    Mistake(
        "last-head-of-the-group",
        _last_head_of_the_group,
        "Your gradients by k and v come from the last head of each group alone. In a loop over the heads, = "
        "replaces what the others left there; += adds to it.",
        _SHARED,
    ),
    Mistake(
        "tiled-sums",
        _tiled_sums,
        "On the way back your groups are tiled: K/V head j gets the gradients of the query heads h with h % "
        "kv_heads == j. The heads of a group stand together: split heads into (kv_heads, group), in this order.",
        _SHARED,
        loses=("values", "empty rows", "float32"),
    ),
    Mistake(
        "tiled",
        _tiled,
        "Your groups are tiled on both ways: query head h reads K/V head h % kv_heads. The heads of a group stand "
        "together, and head h reads K/V head h // group.",
        _SHARED,
        loses=("values", "empty rows", "float32"),
    ),
    Mistake(
        "tiled-on-the-way-out",
        _tiled_on_the_way_out,
        "When you compute the weights again, head h reads K/V head h % kv_heads, as np.tile makes it. The heads "
        "of a group stand together, as in your sums: head h reads K/V head h // group (np.repeat along axis 1).",
        _SHARED,
        loses=("values", "empty rows", "float32"),
    ),
    Mistake(
        "all-heads-summed",
        _all_heads_summed,
        "Every K/V head gets the sum over all query heads. Only those of its own group read it.",
        _SHARED,
    ),
    Mistake(
        "largest-of-the-group",
        _largest_of_the_group,
        "You took the largest of the group's gradients, element by element. They are summed.",
        _SHARED,
    ),
    Mistake(
        "summed-before-the-product",
        _summed_before_the_product,
        "You sum over the group before the product, so each head's weights meet the other heads' queries and "
        "gradients too. Multiply head by head, then sum the products.",
        _SHARED,
    ),
    Mistake(
        "queries-summed-too",
        _queries_summed_too,
        "Your gradient by q is summed over the group. Only k and v are shared; each query head has queries of its "
        "own, and so a gradient of its own.",
        _SHARED,
    ),
    *ONE_HEAD,
    *FORWARD,
)
