"""first-token-score: how much of its attention each head leaves on the very first token."""

import numpy as np

from manyheads.exercises.ch09_learning import inputs
from manyheads.exercises.ch09_learning.first_token_score_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(weights):
    rows = range(1, weights.shape[2])
    return np.mean([weights[:, :, i, 0] for i in rows], axis=(0, 1), dtype="float64").astype(weights.dtype)


def _values(rng):
    return [
        Case("several sequences", {"weights": inputs.weights(rng)}),
        Case("sequences of three tokens", {"weights": inputs.weights(rng, seq=(3, 3), heads=(4, 6))}),
        Case("one sequence", {"weights": inputs.weights(rng, batch=(1, 1))}),
        Case("one head", {"weights": inputs.weights(rng, heads=(1, 1))}),
    ]


def _float32(rng):
    return [Case("float32 weights", {"weights": inputs.weights(rng, "float32")})]


# -- right answers by other techniques -----------------------------------------------------------------


def _sliced(weights):
    return weights[:, :, 1:, 0].mean(axis=2).mean(axis=0)


def _without_query_zero(weights):
    batch, _, seq, _ = weights.shape
    column = weights[..., 0].sum(axis=0)
    return (column.sum(axis=1) - column[:, 0]) / (batch * (seq - 1))


def _einsum(weights):
    batch, _, seq, _ = weights.shape
    later = (np.arange(seq) > 0).astype(weights.dtype)
    return np.einsum("bhi,i->h", weights[:, :, :, 0], later) / (batch * later.sum())


def _head_by_head(weights):
    scores = []
    for maps in weights.swapaxes(0, 1):
        scores.append(np.mean([one[1:, 0] for one in maps], dtype=weights.dtype))
    return np.array(scores)


def _deleted(weights):
    later = np.delete(weights, 0, axis=2)
    return np.take(later, 0, axis=3).swapaxes(0, 1).reshape(later.shape[1], -1).mean(axis=1)


def _loop(weights):
    batch, heads, seq, _ = weights.shape
    totals = np.zeros(heads, weights.dtype)
    for b in range(batch):
        for i in range(1, seq):
            totals += weights[b, :, i, 0]
    return totals / (batch * (seq - 1))


EXERCISE = Exercise(
    name="first-token-score",
    title="Heads that rest on the first token",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter(
            "weights",
            "float array (batch, heads, seq, seq): row i of a map has the weights of query i, causal; seq is 2 or more",
        ),
    ),
    returns=(Output("result", ("heads",)),),
    reference=_reference,
    tolerance=inputs.MEAN,
    example="""
>>> weights = np.array([[[[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.25, 0.5, 0.25]]]])
>>> first_token_score(weights)
array([0.5])
""",
    hints=(
        "Mark the entries that count in a map of three tokens. Are they in one row, or in one column?",
        "Query 0 has no choice: its weight on token 0 is always 1. So its row is left out, and the mean has seq - 1 "
        "entries for each map.",
        "A slice of the rows and one number for the column leave an array (batch, heads, seq - 1). Take its mean over "
        "two of the three axes.",
    ),
    aspects=(
        Aspect("values", 2, "the mean over all queries but the first, for each head", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "sliced": _sliced,
        "without query 0": _without_query_zero,
        "einsum": _einsum,
        "head by head": _head_by_head,
        "deleted": _deleted,
        "loop": _loop,
    },
    mistakes=MISTAKES,
)
