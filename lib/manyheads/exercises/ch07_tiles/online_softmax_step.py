"""online-softmax-step: the running softmax of some rows takes in one more block of scores."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.online_softmax_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: As for attention; in float64 with room for sums that are kept as logs, which are rounded to 1e-12 near 3,000.
_SUMS = {"float64": 3e-12, "float32": 2e-5}


def _reference(largest, total, weighted, scores, values):
    new = [np.array(part, copy=True) for part in (largest, total, weighted)]
    for r in range(len(largest)):
        m = max(largest[r], *scores[r])
        if m == -np.inf:
            continue  # nothing seen yet
        fade = np.exp(largest[r] - m)
        powers = np.exp(scores[r] - m)
        new[0][r] = m
        new[1][r] = total[r] * fade + powers.sum()
        new[2][r] = weighted[r] * fade + powers @ values
    return tuple(new)


def _state(earlier, values):
    """The state after the scores of earlier keys; a row of minus infinity, or of none, has seen nothing."""
    largest = earlier.max(axis=1, initial=-np.inf)
    powers = np.exp(earlier - np.where(np.isneginf(largest), 0, largest)[:, None])
    return largest, powers.sum(axis=1), powers @ values


def _case(rng, about, first=False, spread=1.0, shift=2.0, dtype="float64", forbid=(), probe=False, **ranges):
    """`shift`: the block holds the larger scores in every other row, the earlier keys in the others."""
    usual = {"rows": (4, 6), "block": (3, 7), "v_head_dim": (2, 8)}
    s = sizes.draw(rng, **{**usual, **ranges})
    rows, seen = s["rows"], 0 if first else 9
    earlier, scores = sizes.normal(rng, rows, seen), sizes.normal(rng, rows, s["block"])
    up = np.where(np.arange(rows) % 2, shift, -shift)[:, None]
    earlier, scores = spread * (earlier - up), spread * (scores + up)
    for where in forbid:
        where(earlier, scores)
    largest, total, weighted = _state(earlier, sizes.normal(rng, seen, s["v_head_dim"]))
    inputs = {
        "largest": largest,
        "total": total,
        "weighted": weighted,
        "scores": scores,
        "values": sizes.normal(rng, s["block"], s["v_head_dim"]),
    }
    return Case(about, {name: array.astype(dtype) for name, array in inputs.items()}, probe)


def _nothing_yet(earlier, scores):
    earlier[1:3] = -np.inf


def _still_nothing(earlier, scores):
    earlier[:2] = scores[:2] = -np.inf


def _none_in_the_block(earlier, scores):
    scores[2:4] = -np.inf


def _some_in_the_block(earlier, scores):
    scores[-1, 1:] = scores[0, -1:] = -np.inf


def _all_of_the_block(earlier, scores):
    scores[:] = -np.inf


def _values(rng):
    return [
        _case(rng, "a block in the middle"),
        _case(rng, "the first block: largest is -inf, total and weighted are 0", first=True, shift=4.0),
        _case(rng, "a block of one key", block=(1, 1)),
        _case(rng, "a single row", rows=(1, 1), block=(3, 5), v_head_dim=(6, 8)),
    ]


def _forbidden(rng):
    return [
        _case(rng, "some scores are -inf", forbid=(_some_in_the_block,)),
        _case(rng, "a block that is forbidden for some rows", forbid=(_none_in_the_block,)),
        _case(rng, "a block that is forbidden for all rows", forbid=(_all_of_the_block,)),
        _case(rng, "rows that have seen nothing until this block", shift=4.0, forbid=(_nothing_yet,)),
        _case(rng, "rows that have seen nothing, and still do not", forbid=(_still_nothing, _some_in_the_block)),
    ]


def _large(rng):
    return [
        _case(rng, "scores in the thousands, near each other", shift=0, spread=2000),
        _case(rng, "scores in the thousands, all negative", spread=1, shift=0, forbid=(_far_below,)),
        _case(rng, "scores in the thousands, all positive", spread=1, shift=1, forbid=(_far_above,)),
    ]


def _far_below(earlier, scores):
    earlier -= 3000
    scores -= 3000


def _far_above(earlier, scores):
    earlier += 2000
    scores += 2000


def _float32(rng):
    return [_case(rng, "float32 state, scores and values", dtype="float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _all_rows_at_once(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    away = np.nan_to_num(m)  # of -inf it makes the most negative number, which will do
    fade, powers = np.exp(largest - away), np.exp(scores - away[:, None])
    return m, total * fade + powers.sum(axis=1), weighted * fade[:, None] + powers @ values


def _key_by_key(largest, total, weighted, scores, values):
    largest, total, weighted = map(np.array, (largest, total, weighted))
    for r in range(len(scores)):
        for j in range(len(values)):
            before = largest[r]
            if scores[r, j] > before:
                largest[r] = scores[r, j]
                total[r] *= np.exp(before - largest[r])
                weighted[r] *= np.exp(before - largest[r])
            if np.isfinite(scores[r, j]):
                total[r] += np.exp(scores[r, j] - largest[r])
                weighted[r] += np.exp(scores[r, j] - largest[r]) * values[j]
    return largest, total, weighted


def _the_past_as_one_more_key(largest, total, weighted, scores, values):
    scores = np.hstack([largest[:, None], scores])
    m = scores.max(axis=1, keepdims=True)
    powers = np.exp(scores - np.nan_to_num(m))
    past, powers = powers[:, 0], powers[:, 1:]
    return m.ravel(), past * total + powers.sum(axis=1), (past * weighted.T).T + powers.dot(values)


def _two_states_merged(largest, total, weighted, scores, values):
    block = scores.max(axis=1)
    powers = np.exp(scores - np.nan_to_num(block)[:, None])
    m = np.maximum(block, largest)
    old, new = np.exp(largest - np.nan_to_num(m)), np.exp(block - np.nan_to_num(m))
    total = old * total + new * np.einsum("rb->r", powers)
    return m, total, np.einsum("r,rv->rv", old, weighted) + np.einsum("r,rb,bv->rv", new, powers, values)


def _rows_that_see_something(largest, total, weighted, scores, values):
    largest, total, weighted = map(np.array, (largest, total, weighted))
    for r in np.flatnonzero(np.isfinite(scores).any(axis=1)):
        allowed = np.isfinite(scores[r])
        m = np.append(scores, largest[:, None], axis=1)[r].max()
        powers = np.exp(scores[r, allowed] - m)
        total[r] = total[r] * np.exp(largest[r] - m) + powers.sum()
        weighted[r] = weighted[r] * np.exp(largest[r] - m) + values[allowed].T @ powers
        largest[r] = m
    return largest, total, weighted


def _log_of_the_total(largest, total, weighted, scores, values):
    m = np.maximum(largest, scores.max(axis=1))
    seen = np.clip(total, 1, None)  # the largest score alone adds 1 to a total
    past = np.log(seen) + largest  # the score of one more key, whose value is the mean so far
    powers = np.exp(np.column_stack([past, scores]) - np.nan_to_num(m)[:, None])
    return m, powers.sum(axis=1), powers[:, :1] * (weighted / seen[:, None]) + powers[:, 1:] @ values


EXERCISE = Exercise(
    name="online-softmax-step",
    title="A softmax that never sees the whole row",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter("largest", "float array (rows,): the largest score of each row so far; -inf if it has seen none"),
        Parameter("total", "float array (rows,): the sum so far of exp(score - largest)"),
        Parameter("weighted", "float array (rows, v_head_dim): the sum so far of exp(score - largest) times value"),
        Parameter("scores", "float array (rows, block): the scores of the new block; -inf where a key is forbidden"),
        Parameter("values", "float array (block, v_head_dim): the values of the new block's keys"),
    ),
    returns=(
        Output("largest", ("rows",)),
        Output("total", ("rows",)),
        Output("weighted", ("rows", "v_head_dim")),
    ),
    reference=_reference,
    tolerance=_SUMS,
    example="""
>>> state = np.array([0.0]), np.array([1.0]), np.array([[10.0]])
>>> largest, total, weighted = online_softmax_step(*state, np.log([[1.0, 2.0]]), np.array([[4.0], [6.0]]))
>>> np.exp(largest), total, weighted
(array([2.]), array([2.]), array([[13.]]))
""",
    hints=(
        "First find the new largest score of each row: the larger of the old one and the block's own largest.",
        "The old sums were taken with exp(score - old largest). By which factor must they be multiplied, so that they "
        "are sums of exp(score - new largest)? The same factor goes for both sums.",
        "For a row that has seen nothing, the new largest score is -inf, and -inf minus -inf is NaN. What you take "
        "away there may be any finite number, such as 0: exp(-inf - 0) is 0.",
        "Let largest itself stay -inf in such a row; only what you subtract is replaced.",
    ),
    aspects=(
        Aspect("values", 2, "the first block, a later one, a block of one key", _values),
        Aspect("forbidden", 1, "scores of -inf, up to rows that have seen nothing at all", _forbidden),
        Aspect("large scores", 1, "scores in the thousands", _large),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "all rows at once": _all_rows_at_once,
        "key by key": _key_by_key,
        "the past as one more key": _the_past_as_one_more_key,
        "two states merged": _two_states_merged,
        "rows that see something": _rows_that_see_something,
        "log of the total": _log_of_the_total,
    },
    mistakes=MISTAKES,
)
