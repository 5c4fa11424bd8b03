"""The known mistakes of blocked-causal-attention that are made in the state of a row of tiles."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads.exercises.ch07_tiles.blocked_masks import MASKS
from manyheads.exercises.ch07_tiles.blocked_requests import REQUESTS
from manyheads.exercises.ch07_tiles.blocked_skipped import SKIPPED
from manyheads.exercises.ch07_tiles.blocked_totals import TOTALS
from manyheads.exercises.definition import Mistake


def _nothing_faded(tile, q_len, k_len, block_q, block_k):
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
            powers = np.exp(scores - away)
            total = total + powers.sum(axis=3, keepdims=True)
            weighted = weighted + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _total_not_faded(tile, q_len, k_len, block_q, block_k):
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
            total = total + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _weighted_not_faded(tile, q_len, k_len, block_q, block_k):
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
            weighted = weighted + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _the_largest_of_the_tile(tile, q_len, k_len, block_q, block_k):
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
            new = scores.max(axis=3, keepdims=True)
            away = np.where(np.isinf(new), 0, new)
            powers = np.exp(scores - away)
            total = total + powers.sum(axis=3, keepdims=True)
            weighted = weighted + powers @ v
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _last_tile_only(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None] + k_len - q_len
        for j in range(-(-k_len // block_k)):
            keys = np.arange(j * block_k, min((j + 1) * block_k, k_len))
            if keys[0] > at[-1]:
                break
            q, k, v = tile(i, j)
            out = np.zeros((*q.shape[:2], q_len, v.shape[3])) if out is None else out
            scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
            scores = np.where(keys <= at, scores, -np.inf)
            new = scores.max(axis=3, keepdims=True)
            away = np.where(np.isinf(new), 0, new)
            powers = np.exp(scores - away)
            total = powers.sum(axis=3, keepdims=True)
            weighted = powers @ v
        if at[-1] >= 0:
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _one_largest_for_the_tile(tile, q_len, k_len, block_q, block_k):
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
            new = np.maximum(largest, scores.max())
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _nothing_taken_away(tile, q_len, k_len, block_q, block_k):
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
            with np.errstate(over="ignore"):
                powers = np.exp(scores)
            total = total + powers.sum(axis=3, keepdims=True)
            with np.errstate(invalid="ignore"):
                weighted = weighted + powers @ v
        if np.ndim(total):
            with np.errstate(invalid="ignore"):
                out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


_ONLINE = "Attention, tile by tile"

MISTAKES = (
    Mistake(
        "nothing-faded",
        _nothing_faded,
        "You add each tile to the sums as they are. When a larger score comes, both sums must be multiplied by "
        "exp(old largest - new largest) first.",
        _ONLINE,
    ),
    Mistake(
        "total-not-faded",
        _total_not_faded,
        "Your weighted sum is faded when a larger score comes, and the total is not. Both are sums of exp(score - "
        "largest), and need the same factor.",
        _ONLINE,
    ),
    Mistake(
        "weighted-not-faded",
        _weighted_not_faded,
        "Your total is faded when a larger score comes, and the weighted sum is not. Both are sums of exp(score - "
        "largest), and need the same factor.",
        _ONLINE,
    ),
    Mistake(
        "the-largest-of-the-tile",
        _the_largest_of_the_tile,
        "The exponentials of each tile are taken relative to its own largest score, and then added up as if it "
        "were the same in all tiles. Carry the largest score along, and fade the sums when it changes.",
        _ONLINE,
    ),
    Mistake(
        "last-tile-only",
        _last_tile_only,
        "Each query has the result of its last tile alone. Start the state before the loop over the blocks of "
        "keys, not inside it (or add to the result, and do not replace it).",
        _ONLINE,
    ),
    Mistake(
        "nothing-taken-away",
        _nothing_taken_away,
        "You take exponentials of the scores as they are. Beyond a score of 709 they are infinite, far below 0 "
        "they are all 0. Carry the largest score along, and take it away first.",
        "When a larger score comes",
        loses=("large scores",),
    ),
    Mistake(
        "one-largest-for-the-tile",
        _one_largest_for_the_tile,
        "Some queries get 0. You took one largest score for several rows, and in a row whose scores lie far below it "
        "all exponentials are 0. Each row has a largest score of its own: the maximum along the axis of the keys.",
        "What a row carries along",
        loses=("large scores",),
    ),
    *TOTALS,
    *MASKS,
    *SKIPPED,
    *REQUESTS,
)
