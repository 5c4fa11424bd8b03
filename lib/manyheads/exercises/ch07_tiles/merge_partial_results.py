"""merge-partial-results: attention over two disjoint sets of keys, put together."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.merge_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: As for attention; in float64 with room for a weight that is taken from log-sum-exps near 1,000. They are rounded to
#: about 1e-13, and so the exponential of a difference between two of them is.
_MERGING = {"float64": 1e-12, "float32": 2e-5}


def _reference(out_a, lse_a, out_b, lse_b):
    return reference.merge_attention([(out_a, lse_a), (out_b, lse_b)])


def _case(rng, about, near=0.0, apart=1.5, empty=(), dtype="float64", probe=False, alone=False, **ranges):
    """Two parts with log-sum-exps around `near`; `empty` says for which queries a, b or both have seen no key."""
    s = sizes.draw(rng, **{"batch": (2, 3), "heads": (2, 5), "q_len": (5, 8), "v_head_dim": (3, 9), **ranges})
    if alone:
        s.update(batch=1, heads=1)
    rows = (s["batch"], s["heads"], s["q_len"])
    outs = [sizes.normal(rng, *rows, s["v_head_dim"]) for _ in "ab"]
    # Neither part is always the heavier one, and no two weigh the same.
    signs = np.where(np.arange(rows[2]) % 2, 1, -1)
    middle = near + sizes.normal(rng, *rows)
    half = signs * apart * rng.uniform(0.3, 1.0, rows)
    half.flat[:2] = 0.3, -0.3
    lses = [middle + half, middle - half]
    for place, which in enumerate(empty):
        for part in which:
            outs["ab".index(part)][:, :, place] = 0
            lses["ab".index(part)][:, :, place] = -np.inf
    values = outs[0], lses[0], outs[1], lses[1]
    names = ("out_a", "lse_a", "out_b", "lse_b")
    return Case(about, {n: v.astype(dtype) for n, v in zip(names, values, strict=True)}, probe)


def _values(rng):
    return [
        _case(rng, "two parts of about the same weight"),
        _case(rng, "one sequence, one head", alone=True),
        _case(rng, "one query, as in decoding", q_len=(1, 1)),
    ]


def _empty_parts(rng):
    return [
        _case(rng, "queries that see no key in one part", empty=("a", "b", "", "b")),
        _case(rng, "queries that see no key in either part", empty=("", "ab", "ab")),
        # Tells what divides 0 by 0 here only from what overflows as well.
        _case(rng, "log-sum-exps near 1,000", near=1000, probe=True),
    ]


def _large(rng):
    return [
        _case(rng, "log-sum-exps near 1,000", near=1000),
        _case(rng, "log-sum-exps near -1,000", near=-1000),
        _case(rng, "parts that lie hundreds apart", near=20, apart=1800),
    ]


def _float32(rng):
    return [_case(rng, "float32 parts", dtype="float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _softmax_over_the_parts(out_a, lse_a, out_b, lse_b):
    lses, outs = np.stack([lse_a, lse_b]), np.stack([out_a, out_b])
    weights = reference.softmax(lses, axis=0)
    return (weights[..., None] * outs).sum(axis=0), np.logaddexp.reduce(lses)


def _sums_by_the_larger(out_a, lse_a, out_b, lse_b):
    lses, outs = np.stack([lse_a, lse_b]), np.stack([out_a, out_b])
    larger = lses.max(axis=0)
    powers = np.exp(lses - np.nan_to_num(larger))
    total = np.maximum(powers.sum(axis=0), 1)  # the larger part's power alone is 1, unless there is none
    weighted = np.einsum("pbhq,pbhqd->bhqd", powers, outs)
    return weighted / total[..., None], larger + np.log(total)


def _query_by_query(out_a, lse_a, out_b, lse_b):
    out, lse = np.zeros_like(out_a), np.empty_like(lse_a)
    lses, outs = np.stack([lse_a, lse_b]), np.stack([out_a, out_b])
    for row in np.ndindex(lse.shape):
        lse[row] = np.logaddexp.reduce([part[row] for part in lses])
        for part in range(2):
            if lses[part][row] > -np.inf:
                out[row] += np.exp(lses[part][row] - lse[row]) * outs[part][row]
    return out, lse


def _steps_towards_b(out_a, lse_a, out_b, lse_b):
    ahead = np.nan_to_num(lse_b) - np.nan_to_num(lse_a)
    share = (1 + np.tanh(ahead / 2)) / 2
    larger = np.where(ahead > 0, lse_b, lse_a)
    return out_a + share[..., None] * (out_b - out_a), larger + np.log1p(np.exp(-np.abs(ahead)))


def _two_keys_for_each_query(out_a, lse_a, out_b, lse_b):
    rows = lse_a.size
    scores = np.stack([lse_a.reshape(rows), lse_b.reshape(rows)], axis=1)
    values = np.stack([out_a.reshape(rows, -1), out_b.reshape(rows, -1)], axis=1)
    weights = reference.softmax(scores)[:, None]
    return (weights @ values).reshape(out_a.shape), np.logaddexp.reduce(scores, axis=1).reshape(lse_a.shape)


EXERCISE = Exercise(
    name="merge-partial-results",
    title="Two parts of the keys, one result",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter(
            "out_a",
            "float array (batch, heads, q_len, v_head_dim): attention over the keys of part a, weights summing to 1",
        ),
        Parameter("lse_a", "float array (batch, heads, q_len): the natural log of the sum of exp(score) over part a"),
        Parameter("out_b", "float array (batch, heads, q_len, v_head_dim): the same for the keys of part b"),
        Parameter("lse_b", "float array (batch, heads, q_len): the same for the keys of part b"),
    ),
    returns=(Output("out", ("batch", "heads", "q_len", "v_head_dim")), Output("lse", ("batch", "heads", "q_len"))),
    reference=_reference,
    given=("softmax",),
    tolerance=_MERGING,
    example="""
>>> out_a, lse_a = np.array([[[[10.0]]]]), np.log([[[1.0]]])
>>> out_b, lse_b = np.array([[[[20.0]]]]), np.log([[[3.0]]])
>>> out, lse = merge_partial_results(out_a, lse_a, out_b, lse_b)
>>> out, np.exp(lse)
(array([[[[17.5]]]]), array([[[4.]]]))
""",
    hints=(
        "Undo the division first, on paper: what is the sum of exp(score) times value over part a, in terms of out_a "
        "and lse_a? Add the same of part b, and divide by the sum of both totals.",
        "So a part weighs exp(its lse), against the sum of both. Where have you met exponentials over their sum?",
        "exp(1000) is infinite. Take the larger of the two log-sum-exps away before you take the exponential, and "
        "add it back to the new one. np.logaddexp does that for the sum.",
        "Where both are -inf there is nothing to take away: take 0 there. The given softmax, along an axis of two, "
        "sees to that too.",
    ),
    aspects=(
        Aspect("values", 2, "two parts in which each query has seen some keys", _values),
        Aspect("empty parts", 1, "queries that see no key in one part, or in either: 0 and -inf", _empty_parts),
        Aspect("large scores", 1, "log-sum-exps near 1,000 and -1,000, and parts that lie far apart", _large),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "softmax over the parts": _softmax_over_the_parts,
        "sums by the larger": _sums_by_the_larger,
        "query by query": _query_by_query,
        "steps towards b": _steps_towards_b,
        "two keys for each query": _two_keys_for_each_query,
    },
    mistakes=MISTAKES,
)
