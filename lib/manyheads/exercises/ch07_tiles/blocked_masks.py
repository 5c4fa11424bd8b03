"""The known mistakes of blocked-causal-attention that are made in the masks of tiles."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _diagonal_not_masked(tile, q_len, k_len, block_q, block_k):
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
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _mask_of_the_tile(tile, q_len, k_len, block_q, block_k):
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
            scores = np.where(np.tri(len(rows), len(keys), dtype=bool), scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _mask_of_the_diagonal_tile(tile, q_len, k_len, block_q, block_k):
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
            if keys[-1] > at[0]:
                scores = np.where(np.tri(len(rows), len(keys), dtype=bool), scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _causal_mask_of_the_tile(tile, q_len, k_len, block_q, block_k):
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
            scores = np.where(reference.causal_mask(len(rows), len(keys)), scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _causal_mask_of_the_diagonal_tile(tile, q_len, k_len, block_q, block_k):
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
            if keys[-1] > at[0]:
                scores = np.where(reference.causal_mask(len(rows), len(keys)), scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


def _top_left(tile, q_len, k_len, block_q, block_k):
    out = None
    for i in range(-(-q_len // block_q)):
        rows = np.arange(i * block_q, min((i + 1) * block_q, q_len))
        at = rows[:, None]
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


def _only_earlier_keys(tile, q_len, k_len, block_q, block_k):
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
            scores = np.where(keys < at, scores, -np.inf)
            new = np.maximum(largest, scores.max(axis=3, keepdims=True))
            away = np.where(np.isinf(new), 0, new)
            fade, powers = np.exp(largest - away), np.exp(scores - away)
            total = total * fade + powers.sum(axis=3, keepdims=True)
            weighted = weighted * fade + powers @ v
            largest = new
        if np.ndim(total):
            out[:, :, rows] = weighted / np.where(total == 0, 1, total)
    return out


_MASK = "A mask inside a tile"

MASKS = (
    Mistake(
        "diagonal-not-masked",
        _diagonal_not_masked,
        "Your numbers are those of tiles without a mask: a query sees later keys of its own tile. On the diagonal a "
        "tile has allowed and forbidden pairs: set the scores of the forbidden ones to -inf.",
        _MASK,
    ),
    Mistake(
        "mask-of-the-tile",
        _mask_of_the_tile,
        "Every tile has a causal mask of its own, as if its first query and its first key were the same token. "
        "Compare the numbers of the tokens in the whole sequence.",
        _MASK,
    ),
    Mistake(
        "mask-of-the-diagonal-tile",
        _mask_of_the_diagonal_tile,
        "Your tiles on the diagonal are masked as if their first query and their first key were the same token. "
        "The diagonal crosses a tile anywhere: compare the numbers of the tokens in the whole sequence.",
        _MASK,
    ),
    Mistake(
        "causal-mask-of-the-tile",
        _causal_mask_of_the_tile,
        "Every tile has a causal mask of its own, as if its last query and its last key were the same token. "
        "causal_mask is for whole sequences: compare the numbers of the tokens, or cut the tile's part out of the "
        "whole mask.",
        _MASK,
    ),
    Mistake(
        "causal-mask-of-the-diagonal-tile",
        _causal_mask_of_the_diagonal_tile,
        "Your tiles on the diagonal are masked as if their last query and their last key were the same token. "
        "causal_mask is for whole sequences: compare the numbers of the tokens, or cut the tile's part out of the "
        "whole mask.",
        _MASK,
    ),
    Mistake(
        "top-left",
        _top_left,
        "Your mask starts at the top left: query i is taken for the token i. The queries are the newest tokens, "
        "so query i stands at the position i + k_len - q_len among the keys.",
        "Aligned at the bottom right",
    ),
    Mistake(
        "only-earlier-keys",
        _only_earlier_keys,
        "A query does not see the key of its own position in your mask. It is <=, not <.",
        _MASK,
    ),
)
