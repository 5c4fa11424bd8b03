"""Wrong answers to masked-attention: the scores are scaled by something else, or softmax runs along another axis."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _not_scaled(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2)
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _scaled_by_the_whole(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1]
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _scaled_up(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _root_of_v_head_dim(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / v.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _root_of_k_len(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / k.shape[-2] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _root_of_heads(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[1] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _keys_reshaped(q, k, v, mask):
    batch, heads, k_len, head_dim = k.shape
    scores = q @ k.reshape(batch, heads, head_dim, k_len) / head_dim**0.5
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _over_the_queries(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf), axis=-2) @ v


def _over_the_heads(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, scores, -np.inf), axis=1) @ v


def _float64(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


MISTAKES = (
    Mistake(
        "not-scaled",
        _not_scaled,
        "The mask is right, but the scores are not divided by the square root of head_dim.",
        "Before the softmax",
    ),
    Mistake(
        "scaled-by-the-whole",
        _scaled_by_the_whole,
        "The mask is right, but the scores are divided by head_dim: by its root twice, or by head_dim itself. It "
        "must be the square root, once.",
        "Before the softmax",
    ),
    Mistake(
        "scaled-up",
        _scaled_up,
        "The mask is right, but the scores are multiplied by the square root of head_dim. Divide by it.",
        "Before the softmax",
    ),
    Mistake(
        "root-of-v-head-dim",
        _root_of_v_head_dim,
        "You divided the scores by the square root of v_head_dim, the size of a value. A score is a sum of "
        "head_dim products, so it is the size of a query and a key that counts.",
        "Before the softmax",
    ),
    Mistake(
        "root-of-k-len",
        _root_of_k_len,
        "You divided the scores by the square root of k_len, the number of keys. It must be that of head_dim, the "
        "last axis of q and of k.",
        "Before the softmax",
    ),
    Mistake(
        "root-of-heads",
        _root_of_heads,
        "You divided the scores by the square root of the number of heads. It must be that of head_dim, the last "
        "axis of q and of k.",
        "Before the softmax",
    ),
    Mistake(
        "keys-reshaped",
        _keys_reshaped,
        "You reshaped k to (batch, heads, head_dim, k_len). A reshape keeps the reading order, so numbers of "
        "different keys end up in one column. Exchange the two axes instead.",
        "Before the softmax",
    ),
    Mistake(
        "over-the-queries",
        _over_the_queries,
        "Your softmax runs along the queries. Each query shares out its own weights over the keys: the last axis.",
        "Before the softmax",
    ),
    Mistake(
        "over-the-heads",
        _over_the_heads,
        "Your softmax runs along the heads. Each query of each head shares out its own weights over the keys: the "
        "last axis.",
        "Before the softmax",
    ),
    Mistake(
        "float64",
        _float64,
        "Your result is float64, which float32 arrays do not give by themselves. Likely a float64 number came in: "
        "np.sqrt of a whole number returns one, a Python float leaves the dtype alone.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
