"""Right answers to grouped-attention, by other techniques."""

import numpy as np

from manyheads import reference


def _einsum(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    grouped = q.reshape(batch, kv_heads, -1, q_len, d) * d**-0.5
    scores = np.einsum("bkgid,bkjd->bkgij", grouped, k)
    scores[..., ~reference.causal_mask(q_len, k_len)] = -np.inf
    out = np.einsum("bkgij,bkjd->bkgid", reference.softmax(scores), v)
    return out.reshape(batch, heads, q_len, v.shape[3])


def _stacked_queries(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    stacked = q.reshape(batch, kv_heads, heads // kv_heads * q_len, d)
    scores = stacked @ k.swapaxes(2, 3) / d**0.5
    mask = np.tile(reference.causal_mask(q_len, k_len), (heads // kv_heads, 1))
    weights = reference.softmax(np.where(mask, scores, -np.inf))
    return (weights @ v).reshape(batch, heads, q_len, v.shape[3])


def _loop_over_query_heads(q, k, v):
    _, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    mask, out = reference.causal_mask(q_len, k_len), []
    for h in range(heads):
        j = h * kv_heads // heads
        scores = q[:, h] @ k[:, j].swapaxes(1, 2) * d**-0.5
        out.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, j])
    return np.stack(out, axis=1)


def _loop_over_kv_heads(q, k, v):
    _, kv_heads, k_len, d = k.shape
    parts = []
    for j, heads in enumerate(np.split(q / d**0.5, kv_heads, axis=1)):
        scores = heads @ k[:, [j]].transpose(0, 1, 3, 2)
        scores[..., ~reference.causal_mask(q.shape[2], k_len)] = -np.inf
        parts.append(reference.softmax(scores) @ v[:, [j]])
    return np.concatenate(parts, axis=1)


def _finite_fill_then_zero(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    mask = reference.causal_mask(q_len, k_len)
    scores = q.reshape(batch, kv_heads, -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    weights = reference.softmax(np.where(mask, scores, -1e30)) * mask
    return (weights @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _broadcast_views(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    shape = (batch, kv_heads, heads // kv_heads)
    seen_k = np.broadcast_to(k[:, :, None], (*shape, k_len, d))
    seen_v = np.broadcast_to(v[:, :, None], (*shape, k_len, v.shape[3]))
    scores = np.matmul(q.reshape(*shape, q_len, d), seen_k.swapaxes(3, 4)) * d**-0.5
    scores[..., ~reference.causal_mask(q_len, k_len)] = -np.inf
    return np.matmul(reference.softmax(scores), seen_v).reshape(batch, heads, q_len, v.shape[3])


ALTERNATIVES = {
    "einsum": _einsum,
    "stacked queries": _stacked_queries,
    "loop over query heads": _loop_over_query_heads,
    "loop over K/V heads": _loop_over_kv_heads,
    "a finite fill, then zero": _finite_fill_then_zero,
    "broadcast views": _broadcast_views,
}
