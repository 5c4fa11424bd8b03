"""The known mistakes of decode-step."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _every_slot(q, keys, values, lengths):
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values


def _zero_for_a_mask(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5 * filled.astype(q.dtype)
    return reference.softmax(scores) @ values


def _added_stand_in(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores + np.where(filled, 0, -1e9).astype(q.dtype)) @ values


def _weight_0_times_nan(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(np.where(filled, scores, -np.inf)) @ values


def _added_infinity(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores + np.where(filled, 0, -np.inf).astype(q.dtype)) @ values


def _nan_made_0(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return np.nan_to_num(reference.softmax(np.where(filled, scores, -np.inf)) @ values)


def _cleared_not_hidden(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, :, None]
    keys, values = np.where(filled, keys, 0), np.where(filled, values, 0)
    return reference.softmax(q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5) @ values


def _mask_after_softmax(q, keys, values, lengths):
    filled = (np.arange(keys.shape[2]) < lengths[:, None])[:, None, None]
    weights = reference.softmax(q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5)
    return np.where(filled, weights, 0) @ values


def _itself_forgotten(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, : n - 1].swapaxes(1, 2) * q.shape[3] ** -0.5
        out[b] = reference.softmax(scores) @ values[b, :, : n - 1]
    return out


def _one_slot_too_many(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, : n + 1].swapaxes(1, 2) * q.shape[3] ** -0.5
        out[b] = reference.softmax(scores) @ values[b, :, : n + 1]
    return out


def _scale_of_the_length(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2) * float(n) ** -0.5
        out[b] = reference.softmax(scores) @ values[b, :, :n]
    return out


def _scale_of_the_capacity(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2) * float(keys.shape[2]) ** -0.5
        out[b] = reference.softmax(scores) @ values[b, :, :n]
    return out


def _no_root(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2) / q.shape[3]
        out[b] = reference.softmax(scores) @ values[b, :, :n]
    return out


def _no_scale(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2)
        out[b] = reference.softmax(scores) @ values[b, :, :n]
    return out


def _no_softmax(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2) * q.shape[3] ** -0.5
        out[b] = scores @ values[b, :, :n]
    return out


def _float64_from_sqrt(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]))
    for b, n in enumerate(lengths):
        scores = q[b] @ keys[b, :, :n].swapaxes(1, 2) / np.sqrt(q.shape[3])
        out[b] = reference.softmax(scores) @ values[b, :, :n]
    return out


def _first_key_only(q, keys, values, lengths):
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    weights = reference.softmax(np.where(np.tri(1, keys.shape[2], dtype=bool), scores, -np.inf))
    return weights[..., :1] @ values[:, :, :1]


def _length_of_the_first(q, keys, values, lengths):
    n = lengths[0]
    scores = q @ keys[:, :, :n].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, :n]


def _length_of_the_shortest(q, keys, values, lengths):
    n = lengths.min()
    scores = q @ keys[:, :, :n].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, :n]


def _length_of_the_longest(q, keys, values, lengths):
    n = lengths.max()
    scores = q @ keys[:, :, :n].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, :n]


_QUERY, _FREE = "One query against the cache", "Free slots are not read"

MISTAKES = (
    Mistake(
        "every-slot",
        _every_slot,
        "The query attends to free slots too. A key of zeros gives a score of 0, and softmax makes a weight of "
        "that: e to the 0 is 1. Only the first lengths slots count.",
        _FREE,
    ),
    Mistake(
        "zero-for-a-mask",
        _zero_for_a_mask,
        "You set the scores of free slots to 0. Softmax makes a weight of that: e to the 0 is 1. A slot that must "
        "not count is left out, or gets a score of minus infinity.",
        _FREE,
    ),
    Mistake(
        "added-stand-in",
        _added_stand_in,
        "You added a large negative number, such as -1e9, to the scores of free slots. That hides small scores only: "
        "a free slot may hold numbers that make its score larger still, or NaN.",
        _FREE,
        loses=("free slots",),
    ),
    Mistake(
        "weight-0-times-nan",
        _weight_0_times_nan,
        "The weights of the free slots are 0, as they must be, but you still multiply the values there by them, "
        "and 0 times NaN is NaN. Leave those values out, or put zeros there first.",
        _FREE,
        loses=("free slots",),
    ),
    Mistake(
        "added-infinity",
        _added_infinity,
        "You added minus infinity to the scores of free slots. A score there may be NaN, and NaN stays NaN whatever "
        "is added to it. Put minus infinity in its place, and do not multiply values from free slots by 0 either.",
        _FREE,
        loses=("free slots",),
    ),
    Mistake(
        "nan-made-0",
        _nan_made_0,
        "You turned NaN in the result into 0. The result was lost by then: a NaN that was multiplied by a weight of 0 "
        "had spoilt the whole sum. Keep the values of free slots out of the sum instead.",
        _FREE,
        loses=("free slots",),
    ),
    Mistake(
        "cleared-not-hidden",
        _cleared_not_hidden,
        "You put zeros into the free slots, and they still take part: a key of zeros gives a score of 0, and e to the "
        "0 is 1. The weights of the real tokens come out too small.",
        _FREE,
    ),
    Mistake(
        "mask-after-softmax",
        _mask_after_softmax,
        "You set the weights of free slots to 0 after the softmax. Its sum has counted their scores by then, so that "
        "the other weights no longer sum to 1. Take the free slots out before the softmax.",
        _FREE,
    ),
    Mistake(
        "itself-forgotten",
        _itself_forgotten,
        "The newest token does not attend to itself: your last slot is missing. Its own key and value are among "
        "the first lengths slots already.",
        _QUERY,
    ),
    Mistake(
        "one-slot-too-many",
        _one_slot_too_many,
        "You read one slot too many: counting starts at 0, so the newest token is in slot lengths - 1, and slot "
        "number lengths is free.",
        _QUERY,
    ),
    Mistake(
        "scale-of-the-length",
        _scale_of_the_length,
        "You divided the scores by the square root of the number of keys. The scale belongs to the width of a key, "
        "head_dim: a score is a sum of so many products.",
        _QUERY,
    ),
    Mistake(
        "scale-of-the-capacity",
        _scale_of_the_capacity,
        "You divided the scores by the square root of the capacity. The scale belongs to the width of a key, "
        "head_dim: a score is a sum of so many products.",
        _QUERY,
    ),
    Mistake(
        "no-root",
        _no_root,
        "You divided the scores by head_dim itself. It is its square root.",
        _QUERY,
    ),
    Mistake(
        "no-softmax",
        _no_softmax,
        "You took the scaled scores for weights: there is no softmax. Weights are positive, and sum to 1.",
        _QUERY,
    ),
    Mistake(
        "float64-from-sqrt",
        _float64_from_sqrt,
        "Your result is float64 where float32 came in. np.sqrt of a whole number is a float64, and so is np.zeros "
        "unless told otherwise.",
        "What goes wrong and does not crash",
    ),
    Mistake(
        "no-scale",
        _no_scale,
        "The scores are not divided by the square root of head_dim before the softmax.",
        _QUERY,
    ),
    Mistake(
        "first-key-only",
        _first_key_only,
        "Your query sees the first key only: your causal mask begins at the top left, where query 0 is token 0. "
        "This query is the newest token, and sees every token in the cache.",
        "Any chunks, the same result",
    ),
    Mistake(
        "length-of-the-first",
        _length_of_the_first,
        "You used the length of sequence 0 for the whole batch. Each sequence has its own number of filled slots.",
        "Sequences of different lengths",
        loses=("different lengths", "free slots"),
    ),
    Mistake(
        "length-of-the-shortest",
        _length_of_the_shortest,
        "You used the length of the shortest sequence for the whole batch. Each sequence has its own number of "
        "filled slots.",
        "Sequences of different lengths",
        loses=("different lengths", "free slots"),
    ),
    Mistake(
        "length-of-the-longest",
        _length_of_the_longest,
        "You used the length of the longest sequence for the whole batch. Each sequence has its own number of filled "
        "slots.",
        "Sequences of different lengths",
        loses=("different lengths", "free slots"),
    ),
)
