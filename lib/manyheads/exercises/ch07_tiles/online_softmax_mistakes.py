"""The known mistakes of online-softmax-step."""

import numpy as np

from manyheads.exercises.ch07_tiles.online_softmax_details import DETAILS
from manyheads.exercises.definition import Mistake


def _nothing_faded(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    powers = np.exp(scores - np.where(np.isinf(m), 0, m)[:, None])
    return m, total + powers.sum(axis=1), weighted + powers @ values


def _total_not_faded(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _weighted_not_faded(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total * fade + powers.sum(axis=1), weighted + powers @ values


def _faded_the_wrong_way(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away, before = np.where(np.isinf(m), 0, m), np.where(np.isinf(largest), m, largest)
    with np.errstate(all="ignore"):
        grow, powers = np.exp(away - np.where(np.isinf(before), 0, before)), np.exp(scores - away[:, None])
        return m, total * grow + powers.sum(axis=1), weighted * grow[:, None] + powers @ values


def _block_faded_too(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, (total + powers.sum(axis=1)) * fade, (weighted + powers @ values) * fade[:, None]


def _only_the_blocks_largest(largest, total, weighted, scores, values):
    m = scores.max(axis=1)
    away = np.where(np.isinf(m), 0, m)
    with np.errstate(all="ignore"):
        fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
        return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _block_by_its_own_largest(largest, total, weighted, scores, values):
    block = scores.max(axis=1)
    m = np.maximum(largest, block)
    fade = np.exp(largest - np.where(np.isinf(m), 0, m))
    powers = np.exp(scores - np.where(np.isinf(block), 0, block)[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _block_by_the_old_largest(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    old, new = np.where(np.isinf(largest), m, largest), np.where(np.isinf(m), 0, m)
    fade = np.exp(largest - new)
    with np.errstate(all="ignore"):
        powers = np.exp(scores - np.where(np.isinf(old), 0, old)[:, None])
        return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _past_dropped(largest, total, weighted, scores, values):
    m = scores.max(axis=1)
    powers = np.exp(scores - np.where(np.isinf(m), 0, m)[:, None])
    return m, powers.sum(axis=1), powers @ values


def _one_largest_for_all(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max())
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


_STATE, _FADE = "What a row carries along", "When a larger score comes"

MISTAKES = (
    Mistake(
        "nothing-faded",
        _nothing_faded,
        "You add the block to the old sums as they are. They were made with the old largest score; multiply both by "
        "exp(old largest - new largest) first, so that all their terms are relative to the same score.",
        _FADE,
    ),
    Mistake(
        "total-not-faded",
        _total_not_faded,
        "Your weighted sum is right, but the old total goes into the new one as it was. It too was made with the old "
        "largest score: multiply it by the same factor, exp(old largest - new largest).",
        _FADE,
    ),
    Mistake(
        "weighted-not-faded",
        _weighted_not_faded,
        "Your total is right, but the old weighted sum goes into the new one as it was. It too was made with the old "
        "largest score: multiply it by the same factor, exp(old largest - new largest).",
        _FADE,
    ),
    Mistake(
        "faded-the-wrong-way",
        _faded_the_wrong_way,
        "Your old sums grow when a larger score comes: the factor is exp(new largest - old largest). What is older "
        "gets smaller against a larger score, so it is exp(old largest - new largest), which is at most 1.",
        _FADE,
    ),
    Mistake(
        "block-faded-too",
        _block_faded_too,
        "You multiply the sums after the block is added, so the block shrinks with the past. Its exponentials are "
        "taken with the new largest score already; only the old sums need the factor.",
        _FADE,
    ),
    Mistake(
        "only-the-blocks-largest",
        _only_the_blocks_largest,
        "Your new largest score is that of the block alone. It must be the largest that the row has seen: the larger "
        "of the old one and the block's. Otherwise the factor can overflow when a block holds only small scores.",
        _STATE,
    ),
    Mistake(
        "block-by-its-own-largest",
        _block_by_its_own_largest,
        "You take the block's own largest score away from its scores, and the old sums are relative to another one. "
        "Take the same number away everywhere: the new largest score of the row.",
        _FADE,
    ),
    Mistake(
        "block-by-the-old-largest",
        _block_by_the_old_largest,
        "The exponentials of your block are taken with the old largest score. Find the new one first, and take it "
        "away from the block's scores.",
        _FADE,
    ),
    Mistake(
        "past-dropped",
        _past_dropped,
        "Your result is that of the block alone: largest, total and weighted, as they came in, have no part in it. "
        "The new state stands for all keys so far.",
        _STATE,
    ),
    Mistake(
        "one-largest-for-all",
        _one_largest_for_all,
        "You took the largest score of the whole block for every row. Each row has its own largest score: take the "
        "largest along axis 1.",
        _STATE,
    ),
    *DETAILS,
)
