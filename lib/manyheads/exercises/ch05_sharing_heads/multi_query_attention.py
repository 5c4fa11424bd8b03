"""multi-query-attention: all query heads read the same keys and values."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q, k, v):
    return reference.attention(q, k, v)


def _inputs(rng, dtype="float64", heads=None, **ranges):
    """`heads` a function of the sizes, where the number of heads is to equal another one."""
    usual = {"batch": (2, 4), "heads": (2, 6), "q_len": (2, 5), "k_len": (6, 9)}
    s = sizes.draw(rng, **{**usual, "head_dim": (4, 8), "v_head_dim": (3, 7), **ranges})
    if heads is not None:
        s["heads"] = heads(s)
    return {
        "q": sizes.normal(rng, s["batch"], s["heads"], s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["batch"], 1, s["k_len"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["batch"], 1, s["k_len"], s["v_head_dim"], dtype=dtype),
    }


def _values(rng):
    return [
        Case("more keys than queries", _inputs(rng)),
        Case("more queries than keys", _inputs(rng, q_len=(6, 9), k_len=(3, 5))),
        Case("as many heads as sequences", _inputs(rng, heads=lambda s: s["batch"])),
        Case("one query, as in decoding", _inputs(rng, q_len=(1, 1))),
    ]


def _float32(rng):
    return [
        Case("float32 queries, keys and values", _inputs(rng, "float32")),
        Case("float32, as many heads as sequences", _inputs(rng, "float32", heads=lambda s: s["batch"])),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _einsum(q, k, v):
    scores = np.einsum("bhid,bjd->bhij", q * k.shape[-1] ** -0.5, k.squeeze(1))
    return np.einsum("bhij,bjd->bhid", reference.softmax(scores), v.squeeze(1))


def _heads_as_more_queries(q, k, v):
    batch, heads, q_len, _ = q.shape
    stacked = q.reshape(batch, heads * q_len, -1)
    scores = stacked @ k.squeeze(1).swapaxes(1, 2) / k.shape[3] ** 0.5
    return (reference.softmax(scores) @ v.squeeze(1)).reshape(batch, heads, q_len, -1)


def _loop_over_heads(q, k, v):
    out = []
    for h in range(q.shape[1]):
        scores = np.matmul(q[:, h], k.squeeze(1).swapaxes(1, 2)) / k.shape[3] ** 0.5
        out.append(reference.softmax(scores) @ v.squeeze(1))
    return np.stack(out, axis=1)


def _repeated(q, k, v):
    batch, heads, q_len, _ = q.shape
    keys = k.squeeze(1).repeat(heads, axis=0)
    values = v.squeeze(1).repeat(heads, axis=0)
    scores = q.reshape(batch * heads, q_len, -1) @ keys.transpose(0, 2, 1) * k.shape[3] ** -0.5
    return (reference.softmax(scores) @ values).reshape(batch, heads, q_len, -1)


def _float64_inside(q, k, v):
    scores = np.matmul(q, k.swapaxes(2, 3), dtype=np.float64) / np.sqrt(k.shape[3])
    powers = np.exp(scores)
    weights = powers / powers.sum(-1, keepdims=True)
    return (weights @ v).astype(v.dtype)


# -- known mistakes ------------------------------------------------------------------------------------


def _softmax_over_heads(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return reference.softmax(scores, axis=1) @ v


def _softmax_over_queries(q, k, v):
    scores = q @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return reference.softmax(scores, axis=2) @ v


def _scaled_by_the_width(q, k, v):
    scores = q @ k.swapaxes(2, 3) / (q.shape[1] * q.shape[3]) ** 0.5
    return reference.softmax(scores) @ v


def _not_scaled(q, k, v):
    return reference.softmax(q @ k.swapaxes(2, 3)) @ v


def _scaled_by_the_value_width(q, k, v):
    scores = q @ k.swapaxes(2, 3) / v.shape[-1] ** 0.5
    return reference.softmax(scores) @ v


def _one_query_for_all_heads(q, k, v):
    mean = q.mean(axis=1, keepdims=True)
    scores = mean @ k.swapaxes(2, 3) / q.shape[-1] ** 0.5
    return (reference.softmax(scores) @ v).repeat(q.shape[1], axis=1)


def _batch_for_head(q, k, v):
    scores = q @ k[0].swapaxes(1, 2) / q.shape[-1] ** 0.5
    return reference.softmax(scores) @ v[0]


def _unstacked_in_another_order(q, k, v):
    batch, heads, q_len, head_dim = q.shape
    stacked = q.swapaxes(1, 2).reshape(batch, q_len * heads, head_dim)
    scores = stacked @ k[:, 0].swapaxes(1, 2) / head_dim**0.5
    return (reference.softmax(scores) @ v[:, 0]).reshape(batch, heads, q_len, v.shape[-1])


def _head_axis_dropped(q, k, v):
    scores = q @ k[:, 0].swapaxes(1, 2) / q.shape[-1] ** 0.5
    return reference.softmax(scores) @ v[:, 0]


def _float64_scale(q, k, v):
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    return reference.softmax(scores) @ v


EXERCISE = Exercise(
    name="multi-query-attention",
    title="One key/value head for all",
    chapter="05-sharing-heads",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, q_len, head_dim)"),
        Parameter("k", "float array (batch, 1, k_len, head_dim)"),
        Parameter("v", "float array (batch, 1, k_len, v_head_dim)"),
    ),
    returns=(Output("result", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=_reference,
    given=("softmax",),
    tolerance=ATTENTION,
    example="""
>>> q = np.array([0.0, np.log(3.0)]).reshape(1, 2, 1, 1)
>>> k = np.array([0.0, 1.0]).reshape(1, 1, 2, 1)
>>> v = np.array([0.0, 8.0]).reshape(1, 1, 2, 1)
>>> multi_query_attention(q, k, v).ravel().round(9)
array([4., 6.])
""",
    hints=(
        "Write the formula for one sequence and one head first. What of it changes from head to head, and what does "
        "not?",
        "@ multiplies the last two axes and lines the others up. An axis of size 1 in k meets any number of heads in "
        "q: leave it where it is.",
        "Three steps: the scores, scaled by the width of one query; the given softmax along the keys; the weights "
        "times the values. Write the shape of each beside it.",
    ),
    aspects=(
        Aspect("values", 3, "each head's queries with the shared keys and values", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "einsum": _einsum,
        "heads as more queries": _heads_as_more_queries,
        "loop over heads": _loop_over_heads,
        "repeated for every head": _repeated,
        "float64 inside": _float64_inside,
    },
    mistakes=(
        Mistake(
            "softmax-over-heads",
            _softmax_over_heads,
            "Your softmax runs over the heads, so they compete for each key. Every head has weights of its own: for "
            "each query they sum to 1 over the keys, the last axis of the scores.",
            "Scores, scale and softmax",
        ),
        Mistake(
            "softmax-over-queries",
            _softmax_over_queries,
            "Your softmax runs over the queries. A query spreads its attention over the keys, so its weights sum to 1 "
            "along the last axis of the scores.",
            "Scores, scale and softmax",
        ),
        Mistake(
            "scaled-by-the-width",
            _scaled_by_the_width,
            "You scaled by the width of all heads together. A score is a sum over the head_dim numbers of one query, "
            "so it is divided by the square root of head_dim.",
            "Scores, scale and softmax",
        ),
        Mistake(
            "not-scaled",
            _not_scaled,
            "The scores are not scaled. Sharing keys changes nothing about that: divide them by the square root of "
            "head_dim.",
            "Scores, scale and softmax",
        ),
        Mistake(
            "scaled-by-the-value-width",
            _scaled_by_the_value_width,
            "You scaled by the width of the values. The scores come from queries and keys, so it is their width, "
            "head_dim, that counts; v_head_dim may be another number.",
            "Scores, scale and softmax",
        ),
        Mistake(
            "one-query-for-all-heads",
            _one_query_for_all_heads,
            "You averaged the queries over the heads, so all heads give the same. Only keys and values are shared in "
            "multi-query attention; each head keeps its own queries.",
            "One key/value head for all",
        ),
        Mistake(
            "batch-for-head",
            _batch_for_head,
            "k[0] takes the first sequence, not the first head: the batch is axis 0. Now every sequence reads the "
            "keys and values of sequence 0.",
            "One key/value head for all",
        ),
        Mistake(
            "unstacked-in-another-order",
            _unstacked_in_another_order,
            "You stacked the queries token by token and took the result apart head by head. Both must follow the same "
            "order, or outputs land in the wrong head and at the wrong token.",
            "Groups without a copy",
        ),
        Mistake(
            "head-axis-dropped",
            _head_axis_dropped,
            "You took the head axis away from k and v. What is left has three axes, and @ then lines their batch up "
            "with the heads of q: an error as a rule, and a mix of sequences where the two numbers agree. Keep the "
            "axis of size 1.",
            "One key/value head for all",
        ),
        Mistake(
            "float64-scale",
            _float64_scale,
            "Your result is float64. np.sqrt of a whole number gives a float64 number of NumPy's, and float32 arrays "
            "become float64 with it. A Python float, such as head_dim ** 0.5, does not do that.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
