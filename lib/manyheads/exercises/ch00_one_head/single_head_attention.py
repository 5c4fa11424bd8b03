"""single-head-attention: a query's weighted average of the values, for one sequence and one head."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch00_one_head.single_head_attention_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(q, k, v):
    return np.asarray(reference.attention(q[None, None], k[None, None], v[None, None]))[0, 0]


def _inputs(rng, dtype="float64", **ranges):
    s = sizes.draw(rng, **{"q_len": (3, 6), "k_len": (7, 12), "head_dim": (5, 9), "v_head_dim": (3, 5), **ranges})
    # Each wrong divisor is one of its own: no other size's root is half of head_dim, or its fourth root; and the 2
    # and the 8 of the example worked by hand are no size's root, and no size.
    d = s["head_dim"]
    if {2, 4, 8, d * d, d * d / 4, d**0.5} & set(s.values()):
        return _inputs(rng, dtype, **ranges)
    return {
        "q": sizes.normal(rng, s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["k_len"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["k_len"], s["v_head_dim"], dtype=dtype),
    }


def _values(rng):
    return [
        Case("more keys than queries", _inputs(rng)),
        Case("more queries than keys", _inputs(rng, q_len=(7, 12), k_len=(3, 6))),
        Case("values wider than keys", _inputs(rng, v_head_dim=(10, 14))),
    ]


def _far_from_zero(rng):
    """A direction that all keys share: it moves all scores of a query by about a thousand, up or down."""
    drawn = _inputs(rng)
    root = drawn["q"].shape[1] ** 0.25
    drawn["k"][:, 0] = 30 * root
    drawn["q"][:, 0] = root * rng.uniform(28, 45, len(drawn["q"]))
    drawn["q"][::2, 0] *= -1
    return drawn


def _large_scores(rng):
    apart = _inputs(rng, q_len=(7, 12), k_len=(3, 6))
    return [
        Case("scores of about a thousand, for some queries negative", _far_from_zero(rng)),
        Case("thousands apart for one query", apart | {"q": 35 * apart["q"], "k": 35 * apart["k"]}),
    ]


def _float32(rng):
    return [Case("float32 queries, keys and values", _inputs(rng, "float32"))]


# -- right answers by other techniques -----------------------------------------------------------------


def _query_by_query(q, k, v):
    rows = []
    for query in q:
        scores = np.array([query.dot(key) for key in k])
        e = np.exp((scores - scores.max()) / len(query) ** 0.5)
        rows.append((e[:, None] * v).sum(axis=0) / e.sum())
    return np.stack(rows)


def _einsum(q, k, v):
    scores = np.einsum("qd,kd->qk", q, k)
    weights = reference.softmax(scores * k.shape[1] ** -0.5)
    return np.einsum("qk,kv->qv", weights, v)


def _queries_scaled_first(q, k, v):
    scaled = q / k.shape[-1] ** 0.5
    return reference.softmax(scaled @ k.T) @ v


def _float64_inside(q, k, v):
    scores = np.matmul(q, k.T, dtype=np.float64) / np.sqrt(k.shape[1])
    return (reference.softmax(scores) @ v).astype(v.dtype)


def _sum_as_one_more_column(q, k, v):
    scores = q @ k.T / k.shape[-1] ** 0.5
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    columns = e @ np.hstack([v, np.ones_like(v[:, :1])])
    return columns[:, :-1] / columns[:, -1:]


EXERCISE = Exercise(
    name="single-head-attention",
    title="Attention with one head",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter("q", "float array (q_len, head_dim), a query in each row"),
        Parameter("k", "float array (k_len, head_dim), a key in each row"),
        Parameter("v", "float array (k_len, v_head_dim); v[j] belongs to key k[j]"),
    ),
    returns=(
        Output(
            "result",
            ("q_len", "v_head_dim"),
            about="an array (q_len, v_head_dim); q, k and v have the same dtype, and so has the result",
        ),
    ),
    reference=_reference,
    example=(
        ">>> q = np.array([[2.0, 0.0, 0.0, 0.0]])\n"
        ">>> k = np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0]])\n"
        ">>> single_head_attention(q, k, np.array([[4.0], [8.0]]))\n"
        "array([[5.]])"
    ),
    hints=(
        "Write down the shape after each step: the scores have a row for each query and a column for each key.",
        "Three steps: a product of q and k that makes every dot product at once, softmax of the scaled scores, and "
        "a second product.",
        "The divisor belongs to the sum inside one dot product. How many terms does that sum have?",
        "In NumPy 2 np.sqrt of an int is a float64, and makes float64 of a float32 array. A Python float does not.",
    ),
    given=("softmax",),
    # Products of 4,000 are rounded to 5e-13, a few times on the way to a weight, which is no more precise.
    tolerance={"float64": 1e-11, "float32": 2e-5},
    aspects=(
        Aspect("values", 2, "the right numbers", _values),
        Aspect("large scores", 1, "queries and keys with large numbers: scores of a thousand and more", _large_scores),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "query by query": _query_by_query,
        "einsum": _einsum,
        "the queries scaled first": _queries_scaled_first,
        "float64 inside": _float64_inside,
        "the sum as one more column": _sum_as_one_more_column,
    },
    mistakes=MISTAKES,
)
