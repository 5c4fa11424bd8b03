"""Right answers to attention-backward, by other techniques."""

import numpy as np

from manyheads import reference


def _einsum(q, k, v, grad_out):
    scale = k.shape[3] ** -0.5
    scores = np.einsum("bhid,bhjd->bhij", q, k) * scale
    scores[..., ~reference.causal_mask(*scores.shape[2:])] = -np.inf
    weights = reference.softmax(scores)
    grad_v = np.einsum("bhij,bhie->bhje", weights, grad_out)
    grad = np.einsum("bhie,bhje->bhij", grad_out, v)
    grad = grad * weights - weights * np.einsum("bhij->bhi", grad * weights)[..., None]
    grad = grad * scale
    return np.einsum("bhij,bhjd->bhid", grad, k), np.einsum("bhij,bhid->bhjd", grad, q), grad_v


def _average_from_the_result(q, k, v, grad_out):
    scaled = q * k.shape[3] ** -0.5
    scores = scaled @ k.swapaxes(2, 3)
    weights = reference.softmax(np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf))
    average = ((weights @ v) * grad_out).sum(axis=3, keepdims=True)
    grad = weights * (grad_out @ v.swapaxes(2, 3) - average)
    return grad @ (k * k.shape[3] ** -0.5), grad.swapaxes(2, 3) @ scaled, weights.swapaxes(2, 3) @ grad_out


def _head_by_head(q, k, v, grad_out):
    grad_q, grad_k, grad_v = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    for place in np.ndindex(grad_q.shape[:2]):
        keys, values, upstream = k[place], v[place], grad_out[place]
        scores = q[place] @ keys.T / keys.shape[1] ** 0.5
        scores[~reference.causal_mask(*scores.shape)] = -np.inf
        weights = reference.softmax(scores)
        grad = upstream @ values.T
        grad -= (grad * weights).sum(axis=1, keepdims=True)
        grad *= weights / keys.shape[1] ** 0.5
        grad_q[place], grad_k[place], grad_v[place] = grad @ keys, grad.T @ q[place], weights.T @ upstream
    return grad_q, grad_k, grad_v


def _query_by_query(q, k, v, grad_out):
    grad_q, grad_k, grad_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    older = grad_k.shape[2] - q.shape[2]
    for i in range(q.shape[2]):
        seen = older + i + 1
        if seen <= 0:
            continue
        keys, values = k[:, :, :seen], v[:, :, :seen]
        weights = reference.softmax((q[:, :, [i]] * keys).sum(axis=3) * keys.shape[3] ** -0.5)[..., None]
        upstream = (grad_out[:, :, [i]] * values).sum(axis=3, keepdims=True)
        grad = weights * (upstream - (weights * upstream).sum(axis=2, keepdims=True)) * keys.shape[3] ** -0.5
        grad_q[:, :, i] = (grad * keys).sum(axis=2)
        grad_k[:, :, :seen] += grad * q[:, :, [i]]
        grad_v[:, :, :seen] += weights * grad_out[:, :, [i]]
    return grad_q, grad_k, grad_v


def _keys_in_rows(q, k, v, grad_out):
    scores = k @ q.swapaxes(2, 3) / k.shape[3] ** 0.5
    allowed = reference.causal_mask(*scores.T.shape[:2]).T
    weights = reference.softmax(np.where(allowed, scores, -np.inf), axis=2)
    grad = v @ grad_out.swapaxes(2, 3)
    grad = weights * (grad - (weights * grad).sum(axis=2, keepdims=True)) / k.shape[3] ** 0.5
    return grad.swapaxes(2, 3) @ k, grad @ q, weights @ grad_out


ALTERNATIVES = {
    "einsum": _einsum,
    "the average from the result": _average_from_the_result,
    "head by head": _head_by_head,
    "query by query": _query_by_query,
    "keys in rows": _keys_in_rows,
}
