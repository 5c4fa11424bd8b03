"""Right answers to grouped-attention-backward, by other techniques."""

import numpy as np

from manyheads import reference


def _repeated_then_summed(q, k, v, grad_out):
    batch, kv_heads, k_len, d = k.shape
    group = q.shape[1] // kv_heads
    keys, values = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scores = q @ keys.swapaxes(2, 3) / d**0.5
    weights = reference.softmax(np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf))
    grad = grad_out @ values.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=3, keepdims=True)) / d**0.5
    grad_k = (grad.swapaxes(2, 3) @ q).reshape(batch, kv_heads, group, k_len, d)
    grad_v = (weights.swapaxes(2, 3) @ grad_out).reshape(batch, kv_heads, group, k_len, -1)
    return grad @ keys, grad_k.sum(axis=2), grad_v.sum(axis=2)


def _stacked_queries(q, k, v, grad_out):
    batch, heads, q_len, d = q.shape
    _, kv_heads, k_len, e = v.shape
    stack = heads // kv_heads * q_len
    queries, upstream = q.reshape(batch, kv_heads, stack, d), grad_out.reshape(batch, kv_heads, stack, e)
    mask = np.tile(reference.causal_mask(q_len, k_len), (heads // kv_heads, 1))
    scores = np.where(mask, queries @ k.swapaxes(2, 3) * d**-0.5, -np.inf)
    weights = reference.softmax(scores)
    average = ((weights @ v) * upstream).sum(axis=3, keepdims=True)
    grad = weights * (upstream @ v.swapaxes(2, 3) - average) * d**-0.5
    # A product over the stacked queries is the sum over the heads of the group.
    return (grad @ k).reshape(q.shape), grad.swapaxes(2, 3) @ queries, weights.swapaxes(2, 3) @ upstream


def _einsum(q, k, v, grad_out):
    batch, heads, q_len, d = q.shape
    kv_heads = v.shape[1]
    queries = q.reshape(batch, kv_heads, -1, q_len, d)
    upstream = grad_out.reshape(batch, kv_heads, heads // kv_heads, q_len, -1)
    scores = np.einsum("bkgid,bkjd->bkgij", queries, k) * d**-0.5
    scores[..., ~reference.causal_mask(*scores.shape[3:])] = -np.inf
    weights = reference.softmax(scores)
    shares = weights * np.einsum("bkgie,bkje->bkgij", upstream, v)
    grad = (shares - weights * np.einsum("bkgij->bkgi", shares)[..., None]) * d**-0.5
    grad_q = np.einsum("bkgij,bkjd->bkgid", grad, k).reshape(q.shape)
    return grad_q, np.einsum("bkgij,bkgid->bkjd", grad, queries), np.einsum("bkgij,bkgie->bkje", weights, upstream)


def _loop_over_query_heads(q, k, v, grad_out):
    grad_q, grad_k, grad_v = np.empty_like(q), np.zeros_like(k), np.zeros_like(v)
    heads, kv_heads = grad_q.shape[1], grad_k.shape[1]
    for h in range(heads):
        j = h * kv_heads // heads
        scores = q[:, h] @ k[:, j].swapaxes(1, 2) * k.shape[3] ** -0.5
        scores[:, ~reference.causal_mask(*scores.shape[1:])] = -np.inf
        weights = reference.softmax(scores)
        grad = grad_out[:, h] @ v[:, j].swapaxes(1, 2)
        grad = weights * (grad - (weights * grad).sum(axis=2, keepdims=True)) * k.shape[3] ** -0.5
        grad_q[:, h] = grad @ k[:, j]
        grad_k[:, j] += grad.swapaxes(1, 2) @ q[:, h]
        grad_v[:, j] += weights.swapaxes(1, 2) @ grad_out[:, h]
    return grad_q, grad_k, grad_v


def _loop_over_kv_heads(q, k, v, grad_out):
    grads = [], [], []
    count, d = v.shape[1], k.shape[3]
    parts_of_q, parts_of_grad = np.split(q, count, axis=1), np.split(grad_out, count, axis=1)
    for j in range(count):
        queries, upstream, keys, values = parts_of_q[j], parts_of_grad[j], k[:, [j]], v[:, [j]]
        scores = queries @ keys.swapaxes(2, 3) / d**0.5
        weights = reference.softmax(np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf))
        grad = upstream @ values.swapaxes(2, 3)
        grad = (grad - (grad * weights).sum(axis=3, keepdims=True)) * weights / d**0.5
        grads[0].append(grad @ keys)
        grads[1].append((grad.swapaxes(2, 3) @ queries).sum(axis=1))
        grads[2].append((weights.swapaxes(2, 3) @ upstream).sum(axis=1))
    return np.concatenate(grads[0], axis=1), np.stack(grads[1], axis=1), np.stack(grads[2], axis=1)


ALTERNATIVES = {
    "repeated, then summed": _repeated_then_summed,
    "stacked queries": _stacked_queries,
    "einsum": _einsum,
    "loop over query heads": _loop_over_query_heads,
    "loop over K/V heads": _loop_over_kv_heads,
}
