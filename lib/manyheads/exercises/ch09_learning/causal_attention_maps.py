"""causal-attention-maps: where each head of a layer looks, as one map for each head."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch09_learning.causal_attention_maps_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    return reference.attention(q, k, k, causal=True, return_weights=True)[1]


def _root(size):
    """A Python float, which leaves a float32 array as it is."""
    return float(size) ** 0.5


def _inputs(rng, dtype="float64", square=False, **ranges):
    """`square`: weights as wide as the model."""
    usual = {"batch": (2, 3), "n_heads": (2, 5), "seq": (6, 9), "head_dim": (3, 8), "d_model": (23, 29)}
    s = sizes.draw(rng, **{**usual, **ranges})
    width = s["n_heads"] * s["head_dim"]
    d_model = width if square else s["d_model"]
    return {
        "x": sizes.normal(rng, s["batch"], s["seq"], d_model, dtype=dtype),
        "w_q": 1.5 * sizes.normal(rng, d_model, width, dtype=dtype) / _root(d_model),
        "w_k": sizes.normal(rng, d_model, width, dtype=dtype) / _root(d_model),
        "n_heads": s["n_heads"],
    }


def _values(rng):
    return [
        Case("d_model as wide as the heads", _inputs(rng, square=True)),
        Case("another width", _inputs(rng)),
        Case("one head", _inputs(rng, n_heads=(1, 1))),
        Case("a single token", _inputs(rng, seq=(1, 1))),
    ]


def _float32(rng):
    return [
        Case("float32 tokens and weights", _inputs(rng, "float32")),
        Case("a single token in float32", _inputs(rng, "float32", seq=(1, 1))),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _einsum(x, w_q, w_k, n_heads):
    batch, seq, _ = x.shape
    q, k = ((x @ w).reshape(batch, seq, n_heads, -1) for w in (w_q, w_k))
    scores = np.einsum("bihd,bjhd->bhij", q, k) * q.shape[3] ** -0.5
    scores[..., ~reference.causal_mask(seq, seq)] = -np.inf
    return reference.softmax(scores)


def _head_by_head(x, w_q, w_k, n_heads):
    queries, keys = x @ w_q, x @ w_k
    d = queries.shape[2] // n_heads
    future = np.triu_indices(x.shape[1], 1)
    maps = []
    for h in range(n_heads):
        own = slice(h * d, (h + 1) * d)
        scores = queries[:, :, own] @ keys[:, :, own].swapaxes(1, 2) / d**0.5
        scores[:, future[0], future[1]] = -np.inf
        maps.append(reference.softmax(scores))
    return np.stack(maps, axis=1)


def _query_by_query(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    batch, _, seq, d = q.shape
    maps = np.zeros((batch, n_heads, seq, seq), q.dtype)
    for i in range(seq):
        scores = (k[:, :, : i + 1] * q[:, :, i : i + 1]).sum(axis=3) / d**0.5
        maps[:, :, i, : i + 1] = reference.softmax(scores)
    return maps


def _one_matrix_for_each_head(x, w_q, w_k, n_heads):
    maps = []
    for h in range(n_heads):
        to_q, to_k = np.split(w_q, n_heads, 1)[h], np.split(w_k, n_heads, 1)[h]
        scores = x @ (to_q @ to_k.T * to_k.shape[1] ** -0.5) @ x.transpose(0, 2, 1)
        maps.append(np.where(np.tri(x.shape[1], dtype=bool), scores, -np.inf))
    return reference.softmax(np.array(maps).swapaxes(0, 1))


def _powers_cut_off(x, w_q, w_k, n_heads):
    q, k = (reference.split_heads(x @ w, n_heads) for w in (w_q, w_k))
    scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
    powers = np.tril(np.exp(scores))
    return powers / powers.sum(axis=3, keepdims=True)


EXERCISE = Exercise(
    name="causal-attention-maps",
    title="A map for each head",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, seq, d_model): the tokens that enter the layer"),
        Parameter("w_q", "float array (d_model, n_heads * head_dim): queries are x @ w_q"),
        Parameter("w_k", "float array (d_model, n_heads * head_dim): keys are x @ w_k"),
        Parameter("n_heads", "whole number: heads, side by side in the columns of w_q and w_k"),
    ),
    returns=(Output("result", ("batch", "n_heads", "seq", "seq")),),
    reference=_reference,
    given=("softmax", "causal_mask", "split_heads"),
    tolerance=ATTENTION,
    example="""
>>> x = np.array([[[0.0], [1.0]]])
>>> w_q = np.ones((1, 8))
>>> w_k = np.array([[0.0, 0.0, 0.0, 0.0, np.log(3) / 2, np.log(3) / 2, np.log(3) / 2, np.log(3) / 2]])
>>> causal_attention_maps(x, w_q, w_k, 2)[0].round(6).tolist()
[[[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.25, 0.75]]]
""",
    hints=(
        "Queries for all heads come from one product, keys from another. Then the columns are split into heads.",
        "With q and k as (batch, n_heads, seq, head_dim), one @ gives the scores of all heads. Which two axes of k "
        "have to change places for it?",
        "Divide by the square root of head_dim. head_dim is the last axis of q, not the width of w_q.",
        "Minus infinity goes into the scores where the mask is False, before the softmax. The softmax runs over the "
        "keys, the last axis.",
    ),
    aspects=(
        Aspect("values", 2, "the right weights for every head", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "einsum": _einsum,
        "head by head": _head_by_head,
        "query by query": _query_by_query,
        "one matrix for each head": _one_matrix_for_each_head,
        "powers cut off": _powers_cut_off,
    },
    mistakes=MISTAKES,
)
