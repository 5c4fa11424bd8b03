"""single-head-attention: a query's weighted average of the values, for one sequence and one head."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q, k, v):
    return np.asarray(reference.attention(q[None, None], k[None, None], v[None, None]))[0, 0]


def _inputs(rng, dtype="float64", **ranges):
    # head_dim is neither the square of another size nor its root: each wrong divisor is one of its own.
    s = sizes.draw(rng, **{"q_len": (3, 6), "k_len": (7, 12), "head_dim": (5, 9), "v_head_dim": (2, 4), **ranges})
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


# -- known mistakes ------------------------------------------------------------------------------------


def _no_scale(q, k, v):
    return reference.softmax(q @ k.T) @ v


def _multiplied(q, k, v):
    return reference.softmax(q @ k.T * q.shape[-1] ** 0.5) @ v


def _divided_by_head_dim(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1]) @ v


def _scale_from_q_len(q, k, v):
    return reference.softmax(q @ k.T / len(q) ** 0.5) @ v


def _scale_from_k_len(q, k, v):
    return reference.softmax(q @ k.T / len(k) ** 0.5) @ v


def _scale_from_v_head_dim(q, k, v):
    return reference.softmax(q @ k.T / v.shape[-1] ** 0.5) @ v


def _over_the_queries(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 0.5, axis=0) @ v


def _scale_after_softmax(q, k, v):
    return reference.softmax(q @ k.T) / q.shape[-1] ** 0.5 @ v


def _no_softmax(q, k, v):
    return q @ k.T / q.shape[-1] ** 0.5 @ v


def _only_the_best(q, k, v):
    return v[(q @ k.T).argmax(axis=-1)]


def _plain_mean(q, k, v):
    return np.repeat(v.mean(axis=0, keepdims=True), len(q), axis=0)


def _cosine(q, k, v):
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return reference.softmax(q @ k.T) @ v


def _no_maximum(q, k, v):
    e = np.exp(q @ k.T / q.shape[-1] ** 0.5)
    return e / e.sum(axis=-1, keepdims=True) @ v


def _keys_for_values(q, k, v):
    return reference.softmax(q @ k.T / q.shape[-1] ** 0.5) @ k


def _float64_scale(q, k, v):
    return reference.softmax(q @ k.T / np.sqrt(q.shape[-1])) @ v


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
    returns=(Output("result", ("q_len", "v_head_dim")),),
    reference=_reference,
    example=(
        ">>> q = np.array([[2.0, 0.0, 0.0, 0.0]])\n"
        ">>> k = np.array([[np.log(3.0), 0.0, 0.0, 0.0], [0.0, 5.0, 0.0, 0.0]])\n"
        ">>> single_head_attention(q, k, np.array([[4.0], [8.0]]))\n"
        "array([[5.]])"
    ),
    hints=(
        "Write down the shape after each step: the scores have a row for each query and a column for each key.",
        "Three steps: a product of q and k that makes every dot product at once, softmax of what you make of it, and "
        "a second product.",
        "The divisor belongs to the sum inside one dot product. How many terms does that sum have?",
        "In NumPy 2 np.sqrt of an int is a float64, and makes float64 of a float32 array. A Python float does not.",
    ),
    given=("softmax",),
    # Products of 4,000 are rounded to 5e-13, a few times on the way to a weight, which is no more precise.
    tolerance={"float64": 1e-11, "float32": 2e-5},
    aspects=(
        Aspect("values", 2, "the right numbers", _values),
        Aspect("large scores", 1, "long queries and keys, with scores of a thousand and more", _large_scores),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "query by query": _query_by_query,
        "einsum": _einsum,
        "the queries scaled first": _queries_scaled_first,
        "float64 inside": _float64_inside,
        "the sum as one more column": _sum_as_one_more_column,
    },
    mistakes=(
        Mistake(
            "no-scale",
            _no_scale,
            "The scores are not divided by sqrt(head_dim). A dot product of head_dim terms spreads as sqrt(head_dim); "
            "undivided, a wide head's softmax sees almost one key only.",
            "Why divide by the square root",
        ),
        Mistake(
            "multiplied-by-the-root",
            _multiplied,
            "You multiplied the scores by sqrt(head_dim). They are too large already, so divide by it.",
            "Why divide by the square root",
        ),
        Mistake(
            "divided-by-head-dim",
            _divided_by_head_dim,
            "You divided by head_dim, or by its square root twice. The spread of a dot product grows as the root of "
            "the number of its terms, so one division by sqrt(head_dim) undoes it; more makes the weights too even.",
            "Why divide by the square root",
        ),
        Mistake(
            "scale-from-the-queries",
            _scale_from_q_len,
            "You divided by sqrt(q_len). The divisor is the root of head_dim, the number of terms in one dot product.",
            "Why divide by the square root",
        ),
        Mistake(
            "scale-from-the-keys",
            _scale_from_k_len,
            "You divided by sqrt(k_len). A score is a sum over head_dim and not over keys: take the root of head_dim.",
            "Why divide by the square root",
        ),
        Mistake(
            "scale-from-the-values",
            _scale_from_v_head_dim,
            "You divided by sqrt(v_head_dim). Values take no part in the scores: take the root of head_dim.",
            "Why divide by the square root",
        ),
        Mistake(
            "softmax-over-the-queries",
            _over_the_queries,
            "Your softmax runs down the queries, so each key's column sums to 1. Each query shares out one whole: a "
            "row, over the keys, has to sum to 1.",
            "One head of attention",
        ),
        Mistake(
            "scale-after-softmax",
            _scale_after_softmax,
            "You divided the weights and not the scores. So the rows no longer sum to 1, and the softmax is as "
            "sharp as without the division. It belongs in front of the softmax.",
            "Why divide by the square root",
        ),
        Mistake(
            "no-softmax",
            _no_softmax,
            "You used the scores themselves as weights. Some are negative, and a row does not sum to 1: the result is "
            "no average of the values. Take the softmax first.",
            "One head of attention",
        ),
        Mistake(
            "best-key-only",
            _only_the_best,
            "Each of your queries takes the value of its best key alone. Attention takes a weighted average of all "
            "values, with the softmax of the scores as weights.",
            "One head of attention",
        ),
        Mistake(
            "plain-mean",
            _plain_mean,
            "Every query got the plain mean of the values. Each value counts by its weight in that query's row.",
            "One head of attention",
        ),
        Mistake(
            "cosine-similarity",
            _cosine,
            "You divided queries and keys by their own lengths, which gives cosines between -1 and 1. Here a score is "
            "the dot product divided by sqrt(head_dim): a long key may score higher than a short one.",
            "One head of attention",
        ),
        Mistake(
            "no-maximum",
            _no_maximum,
            "Your own softmax overflows. Take the row's maximum off first, or use the softmax that is given.",
            "Scores too large for the exponential",
            loses=("large scores",),
        ),
        Mistake(
            "keys-for-values",
            _keys_for_values,
            "You averaged the keys. Keys decide who is heard; what is averaged are the values.",
            "One head of attention",
        ),
        Mistake(
            "float64-scale",
            _float64_scale,
            "Your result is float64. In NumPy 2 np.sqrt of an int is one, and a float32 array divided by it becomes "
            "one too. Divide by a Python float.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
