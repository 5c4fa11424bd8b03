"""multi-query-attention: all query heads read the same keys and values."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch05_sharing_heads.multi_query_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


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
        Case("one sequence", _inputs(rng, batch=(1, 1))),
    ]


def _large(rng):
    """The last query of every head has scores in the thousands, with one key far ahead of the others."""
    while True:
        inputs = _inputs(rng, q_len=(3, 5))
        inputs["q"][:, :, -1] *= 10_000
        scores = inputs["q"][:, :, -1] @ inputs["k"][:, 0].swapaxes(1, 2)
        *_, second, first = np.moveaxis(np.sort(scores), -1, 0)
        if (first - second).min() > 1000 and first.max() > 5000:
            return inputs


def _large_scores(rng):
    return [
        Case("scores in the thousands", _large(rng)),
        # Tells mistakes apart that raise where heads and sequences are not as many.
        Case("as many heads as sequences", _inputs(rng, heads=lambda s: s["batch"]), probe=True),
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
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    return (weights @ v).astype(v.dtype)


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
        "For the scores the last two axes of k have to change places, and the others stay. A reshape to that shape "
        "does something else. If a result is float64 that should be float32, look at the dtype after each step.",
    ),
    aspects=(
        Aspect("values", 3, "each head's queries with the shared keys and values", _values),
        Aspect("large scores", 1, "scores whose exponential is beyond any float", _large_scores),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "einsum": _einsum,
        "heads as more queries": _heads_as_more_queries,
        "loop over heads": _loop_over_heads,
        "repeated for every head": _repeated,
        "float64 inside": _float64_inside,
    },
    mistakes=MISTAKES,
)
