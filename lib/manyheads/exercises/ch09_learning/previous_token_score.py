"""previous-token-score: how much of its attention each head gives to the token before."""

import numpy as np

from manyheads.exercises.ch09_learning import inputs
from manyheads.exercises.ch09_learning.previous_token_score_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(weights):
    rows = range(1, weights.shape[2])
    return np.mean([weights[:, :, i, i - 1] for i in rows], axis=(0, 1), dtype="float64").astype(weights.dtype)


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


def _diagonal(weights):
    return np.diagonal(weights, -1, 2, 3).mean(axis=2).mean(axis=0)


def _indexed(weights):
    *_, seq = weights.shape
    rows = np.arange(1, seq)
    return weights[:, :, rows, rows - 1].sum(axis=0).mean(axis=1) / len(weights)


def _trace(weights):
    batch, _, seq, _ = weights.shape
    return np.trace(weights, offset=-1, axis1=2, axis2=3).sum(axis=0) / (batch * (seq - 1))


def _einsum(weights):
    batch, _, seq, _ = weights.shape
    below = np.eye(seq, k=-1, dtype=weights.dtype)
    return np.einsum("bhij,ij->h", weights, below) / (batch * below.sum())


def _flat(weights):
    batch, heads, seq, _ = weights.shape
    every = weights.reshape(batch, heads, seq * seq)[:, :, seq :: seq + 1]  # from (1, 0) on, a row and a column farther
    return every.swapaxes(1, 0).reshape(heads, -1).mean(axis=1)


def _loop(weights):
    batch, heads, seq, _ = weights.shape
    totals = np.zeros(heads, weights.dtype)
    for b in range(batch):
        for i in range(seq - 1):
            totals += weights[b, :, i + 1, i]
    return totals / (batch * (seq - 1))


EXERCISE = Exercise(
    name="previous-token-score",
    title="Heads that look at the token before",
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
>>> previous_token_score(weights)
array([0.625])
""",
    hints=(
        "Mark the entries that count in a map of three tokens: which row and which column has each? How many are they?",
        "They lie on the diagonal just below the main one. np.diagonal takes an offset and the two axes of the map.",
        "What np.diagonal returns has the diagonal as its last axis. Take the mean over that axis and over the batch, "
        "and keep the heads.",
    ),
    aspects=(
        Aspect("values", 2, "the mean over all queries that have a token before them, for each head", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "diagonal": _diagonal,
        "indexed": _indexed,
        "trace": _trace,
        "einsum": _einsum,
        "flat": _flat,
        "loop": _loop,
    },
    mistakes=MISTAKES,
)
