"""The known mistakes of blocked-causal-attention: tiles that are needed, and skipped."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads.exercises.definition import Mistake


def _only_whole_tiles(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[-1] > at[0]:
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _first_query_decides(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[0]:
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _block_numbers_compared(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if j > i + -(-k_len // block_k) - -(-q_len // block_q):
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _later_block_numbers_skipped(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if j > i:
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _last_keys_lost(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(k_len // block_k or 1):
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _last_queries_lost(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(q_len // block_q or 1):
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
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


_NEEDED = "Which tiles are needed"

SKIPPED = (
    Mistake(
        "only-whole-tiles",
        _only_whole_tiles,
        "You leave out every tile that has a forbidden pair, so the newest keys are missing. A tile with one "
        "allowed pair is needed, and masked inside.",
        _NEEDED,
    ),
    Mistake(
        "first-query-decides",
        _first_query_decides,
        "You decide by the first query of a block whether a tile is needed. The last query sees more keys.",
        _NEEDED,
    ),
    Mistake(
        "block-numbers-compared",
        _block_numbers_compared,
        "You compare the numbers of the blocks to see whether a tile is needed. Blocks of queries and of keys "
        "differ in size; compare the numbers of tokens.",
        _NEEDED,
    ),
    Mistake(
        "later-block-numbers-skipped",
        _later_block_numbers_skipped,
        "You skip the tiles whose key block has a larger number than the query block, j > i. That fits only where both "
        "kinds of blocks have the same size, and both lengths too. Compare the numbers of tokens.",
        _NEEDED,
    ),
    Mistake(
        "last-keys-lost",
        _last_keys_lost,
        "The shorter block of keys at the end is missing. The number of blocks is rounded up: -(-k_len // block_k).",
        "How many blocks",
    ),
    Mistake(
        "last-queries-lost",
        _last_queries_lost,
        "The shorter block of queries at the end is missing, and left at 0. The number of blocks is rounded up: "
        "-(-q_len // block_q).",
        "How many blocks",
    ),
)
