"""The known mistakes of blocked-causal-attention: what is divided by what, and the scale."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads.exercises.definition import Mistake


def _tiles_averaged(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        total, weighted = 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
            scores = np.where(keys <= at, scores, -np.inf)
            powers = np.exp(scores - np.nan_to_num(scores.max(axis=3, keepdims=True)))
            powers = powers / np.maximum(powers.sum(axis=3, keepdims=True), 1)
            total = total + np.ones((*scores.shape[:3], 1))
            weighted = weighted + powers @ v
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _tiles_added(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        total, weighted = 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
            scores = np.where(keys <= at, scores, -np.inf)
            powers = np.exp(scores - np.nan_to_num(scores.max(axis=3, keepdims=True)))
            powers = powers / np.maximum(powers.sum(axis=3, keepdims=True), 1)
            total = np.ones((*scores.shape[:3], 1))
            weighted = weighted + powers @ v
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _divided_at_every_tile(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
            scores = np.where(keys <= at, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = (weighted * fade + powers @ v) / np.maximum(total, 1e-300)
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted
    return out


def _not_divided(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
            scores = np.where(keys <= at, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted
    return out


def _not_scaled(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3)
            scores = np.where(keys <= at, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _scaled_without_the_root(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) / q.shape[3]
            scores = np.where(keys <= at, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


_ONLINE = "Attention, tile by tile"

TOTALS = (
    Mistake(
        "tiles-averaged",
        _tiles_averaged,
        "Your result is the mean of the tiles' own results. A tile with larger scores must count for more, and "
        "one with few keys for less: carry sums along, and divide once.",
        _ONLINE,
    ),
    Mistake(
        "tiles-added",
        _tiles_added,
        "You made a softmax for each tile, and added the results: a query that sees three tiles has weights that "
        "sum to 3. Keep exponentials and their total apart, and divide once, after the last tile.",
        _ONLINE,
    ),
    Mistake(
        "divided-at-every-tile",
        _divided_at_every_tile,
        "You divide by the total after every tile, so that earlier values are divided several times. Divide once, "
        "after the last tile of a block of queries.",
        _ONLINE,
    ),
    Mistake(
        "not-divided",
        _not_divided,
        "You return the weighted sums without a division by the totals. That comes after the last tile of a block "
        "of queries.",
        _ONLINE,
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "Your scores are not scaled. Multiply the products by head_dim ** -0.5.",
        _ONLINE,
    ),
    Mistake(
        "scaled-without-the-root",
        _scaled_without_the_root,
        "You divided the scores by head_dim itself. It is its square root.",
        _ONLINE,
    ),
)
