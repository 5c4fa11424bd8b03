"""The known mistakes of online-softmax-step: what the sums are, rows without keys, dtype."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _divided_already(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    new = total * fade + powers.sum(axis=1)
    weighted = weighted * fade[:, None] + powers @ values
    return m, new, weighted / np.where(new == 0, 1, new)[:, None]


def _softmax_of_the_block(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    own = np.exp(scores - np.nan_to_num(scores.max(axis=1, keepdims=True)))
    weights = own / np.maximum(own.sum(axis=1, keepdims=True), 1)
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + weights @ values


def _scores_for_weights(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    finite = np.where(np.isinf(scores), 0, scores)
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + finite @ values


def _mean_for_a_sum(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total * fade + powers.mean(axis=1), weighted * fade[:, None] + powers @ values


def _powers_of_two(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp2(largest - away), np.exp2(scores - away[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _in_another_order(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return total * fade + powers.sum(axis=1), m, weighted * fade[:, None] + powers @ values


def _old_largest_returned(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return largest, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _nothing_taken_away(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    with np.errstate(all="ignore"):
        back, powers = np.exp(largest), np.exp(scores)
        scale = np.exp(np.where(np.isinf(m), 0, -m))
        total, weighted = total * back + powers.sum(axis=1), weighted * back[:, None] + powers @ values
        return m, total * scale, weighted * scale[:, None]


def _nan_without_keys(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    with np.errstate(invalid="ignore"):
        fade, powers = np.exp(largest - m), np.exp(scores - m[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _largest_made_finite(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    m = np.where(np.isinf(m), 0, m).astype(m.dtype)
    fade, powers = np.exp(largest - m), np.exp(scores - m[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _largest_starts_at_0(largest, total, weighted, scores, values):
    largest = np.where(np.isinf(largest), 0, largest).astype(largest.dtype)
    m = np.maximum(largest, scores.max(axis=1))
    fade, powers = np.exp(largest - m), np.exp(scores - m[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _nan_made_numbers(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    with np.errstate(invalid="ignore"):
        fade, powers = np.exp(largest - m), np.exp(scores - m[:, None])
    total, weighted = total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values
    return np.nan_to_num(m), np.nan_to_num(total), np.nan_to_num(weighted)


def _finite_for_infinity(largest, total, weighted, scores, values):
    largest, scores = np.maximum(largest, -1e9), np.maximum(scores, -1e9)
    m = np.maximum(largest, scores.max(axis=1))
    fade, powers = np.exp(largest - m), np.exp(scores - m[:, None])
    m = np.where(m == -1e9, -np.inf, m).astype(m.dtype)
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _float64_state(largest, total, weighted, scores, values):
    largest, total, weighted = np.float64(largest), np.float64(total), np.float64(weighted)
    m = np.maximum(largest, scores.max(axis=1))
    away = np.where(np.isinf(m), 0, m)
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


_STATE, _EMPTY = "What a row carries along", "Rows that have seen nothing"

DETAILS = (
    Mistake(
        "divided-already",
        _divided_already,
        "Your weighted sum is divided by the total already. The state keeps the two apart: they are divided once, "
        "after the last block. Divided now, the sum would be faded and added to as if it had not been.",
        _STATE,
    ),
    Mistake(
        "softmax-of-the-block",
        _softmax_of_the_block,
        "The weights of your block sum to 1, as after a softmax over the block alone. A block is only a part of its "
        "row: add up the exponentials times the values, not divided by anything yet.",
        _STATE,
    ),
    Mistake(
        "scores-for-weights",
        _scores_for_weights,
        "You multiplied the values by the scores themselves. What weighs a value is the exponential of its score, "
        "taken relative to the largest.",
        _STATE,
    ),
    Mistake(
        "mean-for-a-sum",
        _mean_for_a_sum,
        "Your total takes in the mean of the block's exponentials. It is their sum: each key counts, and blocks may "
        "have different sizes.",
        _STATE,
    ),
    Mistake(
        "powers-of-two",
        _powers_of_two,
        "You took powers of 2. Softmax is made of powers of e: np.exp. (Kernels do use powers of 2, which are faster, "
        "but multiply the scores by log2(e) before.)",
        _STATE,
    ),
    Mistake(
        "in-another-order",
        _in_another_order,
        "The numbers are right, but total and largest have changed places. Return largest, total, weighted.",
        _STATE,
    ),
    Mistake(
        "old-largest-returned",
        _old_largest_returned,
        "Both sums are right, but you returned largest as it came in. The sums are relative to the new largest score "
        "now, so the next block needs that one.",
        _STATE,
    ),
    Mistake(
        "nothing-taken-away",
        _nothing_taken_away,
        "You take exponentials of the scores as they are. Beyond a score of 709 they are infinite (in float32 beyond "
        "88), far below they are all 0. Take the new largest score away first: scores - largest is never above 0.",
        "When a larger score comes",
        loses=("large scores",),
    ),
    Mistake(
        "nan-without-keys",
        _nan_without_keys,
        "A row that has seen nothing yet, and sees nothing in this block, gives NaN: its largest score is -inf, and "
        "-inf minus -inf is NaN. Take 0 away in such a row instead; its sums stay 0.",
        _EMPTY,
        loses=("forbidden",),
    ),
    Mistake(
        "largest-made-finite",
        _largest_made_finite,
        "A row that has seen nothing gets the largest score 0. Then a later score below 0 would not count as the "
        "largest. Replace -inf only in what you take away; largest itself stays -inf.",
        _EMPTY,
        loses=("forbidden",),
    ),
    Mistake(
        "largest-starts-at-0",
        _largest_starts_at_0,
        "A row that has seen nothing has 0 for its largest score when the block comes, so that scores below 0 do not "
        "count as larger. Let it be -inf, as it comes in: every score is larger than that.",
        _EMPTY,
        loses=("values", "forbidden"),
    ),
    Mistake(
        "nan-made-numbers",
        _nan_made_numbers,
        "A row that has seen nothing gets a huge negative number as its largest score; np.nan_to_num makes one of "
        "-inf. That row's largest score is -inf, total and weighted are 0.",
        _EMPTY,
        loses=("forbidden",),
    ),
    Mistake(
        "finite-for-infinity",
        _finite_for_infinity,
        "A row without a key has a total above 0, as if each forbidden key had the score of the others. A large "
        "negative number in the place of -inf does that: less itself it is 0, and e to the 0 is 1.",
        _EMPTY,
        loses=("forbidden",),
    ),
    Mistake(
        "float64-state",
        _float64_state,
        "Your result is float64. np.zeros and np.full make float64 arrays unless you give them a dtype, and what is "
        "added to them becomes float64. Results have the dtype of the arguments.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
