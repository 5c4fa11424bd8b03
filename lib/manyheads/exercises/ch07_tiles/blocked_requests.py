"""The known mistakes of blocked-causal-attention: tiles asked for in vain, and queries without a key."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _every_tile(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
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


def _every_tile_twice(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        largest, total, weighted = -np.inf, 0.0, 0.0
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            tile(i, j)
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


def _put_together_first(tile, q_len, k_len, block_q, block_k):
    last, k_blocks = -(-q_len // block_q) - 1, -(-k_len // block_k)
    q = np.concatenate([tile(i, 0)[0] for i in range(last + 1)], axis=2)
    k, v = (np.concatenate(parts, axis=2) for parts in zip(*(tile(last, j)[1:] for j in range(k_blocks)), strict=True))
    scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(np.where(reference.causal_mask(q_len, k_len), scores, -np.inf)) @ v


def _nan_in_empty_rows(tile, q_len, k_len, block_q, block_k):
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
            with np.errstate(invalid="ignore"):
                out[:, :, rows] = weighted / total
    return out


def _finite_fill(tile, q_len, k_len, block_q, block_k):
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
            scores = np.where(keys <= at, scores, -1e9)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


_ASKED = "What is asked for"

REQUESTS = (
    Mistake(
        "every-tile",
        _every_tile,
        "The numbers are right, but tiles were asked for in which every pair is forbidden, or that do not exist. "
        "They add nothing; skip them before they are loaded.",
        _ASKED,
        loses=("tiles",),
    ),
    Mistake(
        "every-tile-twice",
        _every_tile_twice,
        "The numbers are right, but tiles were asked for more than once, as in two passes (one for the largest "
        "score, one for the sums), with a call for each of the three arrays, or with a first tile for its sizes. "
        "The online softmax needs each tile once.",
        _ASKED,
        loses=("tiles",),
    ),
    Mistake(
        "put-together-first",
        _put_together_first,
        "The numbers are right, but you asked for one tile of each block, and put queries, keys and values "
        "together again. So all of them lie in memory at once, with all the scores. Work with one tile at a time, "
        "each of them as it comes.",
        _ASKED,
        loses=("tiles",),
    ),
    Mistake(
        "nan-in-empty-rows",
        _nan_in_empty_rows,
        "A query that sees no key gives NaN: its total is 0, and 0 divided by 0 is NaN. (Or its largest score is "
        "-inf, and you take that away from -inf.) Its result is 0.",
        "Rows that have seen nothing",
        loses=("empty rows",),
    ),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that sees no key gets the mean of some values: where all scores are the same large negative "
        "number, each less the largest is 0, and e to the 0 is 1. Use -inf, and see to rows in which it is the "
        "largest.",
        "Rows that have seen nothing",
        loses=("empty rows",),
    ),
)
