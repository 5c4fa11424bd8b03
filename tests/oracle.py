"""Attention by its definition, one score at a time in Python floats: slow, and independent of the library."""

import math

import numpy as np


def attention(q, k, v, *, mask=None, bias=None, causal=False, window=None, scale=None, softcap=None):
    """Output, weights, and log-sum-exp of each query's scores; a pair is looked at only where it is allowed."""
    batch, heads, q_len, head_dim = q.shape
    kv_heads, k_len, v_dim = k.shape[1], k.shape[2], v.shape[3]
    group = heads // kv_heads
    q, k, v = (np.asarray(x).astype(np.float64) for x in (q, k, v))
    scale = 1 / math.sqrt(head_dim) if scale is None else scale
    out = np.zeros((batch, heads, q_len, v_dim))
    weights = np.zeros((batch, heads, q_len, k_len))
    lse = np.full((batch, heads, q_len), -np.inf)
    for b, h, i in np.ndindex(batch, heads, q_len):
        scores = {}
        for j in range(k_len):
            added = 0.0 if bias is None else float(entry(bias, b, h, i, j))
            allowed = mask is None or bool(entry(mask, b, h, i, j))
            if not allowed or added == -math.inf or not near(i + k_len - q_len, j, causal, window):
                continue
            score = scale * sum(q[b, h, i, n] * k[b, h // group, j, n] for n in range(head_dim))
            if softcap is not None:
                score = softcap * math.tanh(score / softcap)
            scores[j] = score + added
        if not scores:
            continue
        largest = max(scores.values())
        total = sum(math.exp(s - largest) for s in scores.values())
        lse[b, h, i] = largest + math.log(total)
        for j, score in scores.items():
            weights[b, h, i, j] = math.exp(score - largest) / total
            out[b, h, i] += weights[b, h, i, j] * v[b, h // group, j]
    return out, weights, lse


def near(position: int, key: int, causal: bool, window) -> bool:
    """Whether a query at this position sees that key."""
    if causal and key > position:
        return False
    if window is None:
        return True
    if isinstance(window, int):
        return position - key < window
    left, right = window
    return (left is None or position - key <= left) and (right is None or key - position <= right)


def entry(x, b, h, i, j):
    """An entry of a mask or bias that may be (q_len, k_len) or broadcast."""
    if x.ndim == 2:
        return x[i, j]
    return x[tuple(0 if size == 1 else n for size, n in zip(x.shape, (b, h, i, j), strict=True))]
