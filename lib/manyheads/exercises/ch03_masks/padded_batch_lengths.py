"""Wrong answers to padded-batch: other tokens are taken for the real ones, or their attention is another one."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _causal_too(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ v[b, :, :n]
    return out


def _not_scaled(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        out[b, :, :n] = reference.softmax(q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2)) @ v[b, :, :n]
    return out


def _scaled_by_the_whole(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        out[b, :, :n] = reference.softmax(q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3]) @ v[b, :, :n]
    return out


def _shortest_for_all(q, k, v, lengths):
    n = lengths.min()
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    scores = q[:, :, :n] @ k[:, :, :n].swapaxes(2, 3) / q.shape[3] ** 0.5
    out[:, :, :n] = reference.softmax(scores) @ v[:, :, :n]
    return out


def _longest_for_all(q, k, v, lengths):
    n = lengths.max()
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    scores = q[:, :, :n] @ k[:, :, :n].swapaxes(2, 3) / q.shape[3] ** 0.5
    out[:, :, :n] = reference.softmax(scores) @ v[:, :, :n]
    return out


def _first_for_all(q, k, v, lengths):
    n = lengths[0]
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    scores = q[:, :, :n] @ k[:, :, :n].swapaxes(2, 3) / q.shape[3] ** 0.5
    out[:, :, :n] = reference.softmax(scores) @ v[:, :, :n]
    return out


def _sorted(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(np.sort(lengths)):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(scores) @ v[b, :, :n]
    return out


def _padding_in_front(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(q.shape[2] - lengths):
        scores = q[b, :, n:] @ k[b, :, n:].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, n:] = reference.softmax(scores) @ v[b, :, n:]
    return out


def _stopped_at_the_empty(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        if n == 0:
            break
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(scores) @ v[b, :, :n]
    return out


def _float64(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]))
    for b, n in enumerate(lengths):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(scores) @ v[b, :, :n]
    return out


MISTAKES = (
    Mistake(
        "causal-too",
        _causal_too,
        "You added a causal mask. Here each real token sees every real token of its sentence, those after it as well.",
        "Padding",
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "The padding is right, but the scores are not divided by the square root of head_dim.",
        "Before the softmax",
    ),
    Mistake(
        "scaled-by-the-whole",
        _scaled_by_the_whole,
        "The padding is right, but the scores are divided by head_dim: by its root twice, or by head_dim itself. "
        "It must be the square root, once.",
        "Before the softmax",
    ),
    Mistake(
        "shortest-for-all",
        _shortest_for_all,
        "You cut every sentence to the shortest length, so the longer ones lose their ends. Each has a length of "
        "its own.",
        "Padding",
    ),
    Mistake(
        "longest-for-all",
        _longest_for_all,
        "You used the longest length for every sentence, so the shorter ones attend to padding. Each has a length "
        "of its own.",
        "Padding",
    ),
    Mistake(
        "first-for-all",
        _first_for_all,
        "You used the first sentence's length for every one. Each has a length of its own; a test with a batch of "
        "1 would not have noticed.",
        "Padding",
    ),
    Mistake(
        "sorted",
        _sorted,
        "You sorted the lengths, so they no longer belong to the sentences of the batch. Keep their order.",
        "Padding",
    ),
    Mistake(
        "padding-in-front",
        _padding_in_front,
        "You took the last tokens of each row for the real ones. Here the real tokens stand first, and the "
        "padding behind them.",
        "Padding",
    ),
    Mistake(
        "stopped-at-the-empty",
        _stopped_at_the_empty,
        "After a sentence without a token you left the loop: the sentences behind it got 0. Go on with the next one.",
        "Padding",
        loses=("values",),
    ),
    Mistake(
        "float64",
        _float64,
        "Your result is float64. np.zeros makes that unless told otherwise, and so does computing with a float64 "
        "number. The result must have the dtype of q.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
