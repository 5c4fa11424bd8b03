"""The known mistakes of ring-decode."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _slots_for_positions(q, keys, values, length):
    filled = min(length, keys.shape[2])
    scores = q @ keys[:, :, :filled].swapaxes(2, 3) * q.shape[3] ** -0.5
    slot = np.arange(keys.shape[2])
    return reference.softmax(scores) @ values[:, :, :filled], np.where(slot < filled, slot, -1)


def _ordered_by_age(q, keys, values, length):
    filled = min(length, keys.shape[2])
    scores = q @ keys[:, :, :filled].swapaxes(2, 3) * q.shape[3] ** -0.5
    slot = np.arange(keys.shape[2])
    positions = np.where(slot < filled, length - filled + slot, -1)
    return reference.softmax(scores) @ values[:, :, :filled], positions


def _free_slots_read(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = newest - (newest - slot) % len(slot)
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values, np.maximum(positions, -1)


def _added_stand_in(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores + np.where(positions < 0, -1e9, 0).astype(q.dtype)) @ values, positions


def _causal_by_slot(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = slot <= newest % len(slot)
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _itself_forgotten(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = (positions >= 0) & (positions < newest)
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _counted_from_1(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], np.where(seen, positions + 1, -1)


def _one_token_ahead(q, keys, values, length):
    slot = np.arange(keys.shape[2])
    positions = np.maximum(length - (length - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _one_slot_too_many(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = slot <= newest + 1
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _slots_of_the_remainder(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = slot < length % len(slot)
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _slots_always(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], slot


def _zero_for_free(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], np.maximum(positions, 0)


def _no_scale(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3)
    return reference.softmax(scores) @ values[:, :, seen], positions


def _outputs_exchanged(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return positions, reference.softmax(scores) @ values[:, :, seen]


def _float64_from_sqrt(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = np.maximum(newest - (newest - slot) % len(slot), -1)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) / np.sqrt(q.shape[3])
    return reference.softmax(scores) @ values[:, :, seen], positions


def _positions_one_ahead(q, keys, values, length):
    slot = np.arange(keys.shape[2])
    positions = np.maximum(length - (length - slot) % len(slot), -1)
    seen = slot < length
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


def _numbers_before_0(q, keys, values, length):
    newest, slot = length - 1, np.arange(keys.shape[2])
    positions = newest - (newest - slot) % len(slot)
    seen = positions >= 0
    scores = q @ keys[:, :, seen].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, seen], positions


_SECTION = "Which token is in which slot"

MISTAKES = (
    Mistake(
        "slots-for-positions",
        _slots_for_positions,
        "You gave the slots' own numbers. That is right until the ring is full; then token window takes slot 0, "
        "and every later one the slot of its number modulo window.",
        _SECTION,
        loses=("full",),
    ),
    Mistake(
        "ordered-by-age",
        _ordered_by_age,
        "You gave the tokens in order of age, oldest first. A full ring is not in order: its oldest token is in "
        "the slot that the next one will take.",
        _SECTION,
        loses=("full",),
    ),
    Mistake(
        "free-slots-read",
        _free_slots_read,
        "Your query attends to free slots too. Until the ring is full, only the first length slots hold tokens.",
        "Free slots are not read",
        loses=("filling",),
    ),
    Mistake(
        "added-stand-in",
        _added_stand_in,
        "You added a large negative number, such as -1e9, to the scores of free slots. That hides small scores only: "
        "a free slot may hold numbers that make its score larger still.",
        "Free slots are not read",
        loses=("filling",),
    ),
    Mistake(
        "causal-by-slot",
        _causal_by_slot,
        "Your query sees the slots up to its own only. Once the ring is full, the slots behind it hold older "
        "tokens, not later ones, and all of them are in the window.",
        _SECTION,
        loses=("full",),
    ),
    Mistake(
        "itself-forgotten",
        _itself_forgotten,
        "The newest token does not attend to itself. A window of W has W keys, its own included.",
        "One query against the cache",
    ),
    Mistake(
        "counted-from-1",
        _counted_from_1,
        "Your positions are one too large. Tokens are counted from 0, so the newest has the number length - 1.",
        _SECTION,
    ),
    Mistake(
        "one-token-ahead",
        _one_token_ahead,
        "You took length for the number of the newest token. Tokens are counted from 0, so it is length - 1: the "
        "slot of token number length does not hold it yet.",
        _SECTION,
    ),
    Mistake(
        "one-slot-too-many",
        _one_slot_too_many,
        "You read one slot too many while the ring is filling. Tokens are counted from 0: slot number length is "
        "free until it is full.",
        "Free slots are not read",
        loses=("filling",),
    ),
    Mistake(
        "slots-of-the-remainder",
        _slots_of_the_remainder,
        "You read only the first length % window slots. Once the ring is full, every slot holds a token of the window.",
        _SECTION,
        loses=("full",),
    ),
    Mistake(
        "slots-always",
        _slots_always,
        "Your positions are the slots' own numbers, always. A free slot is -1, and once the ring is full, token "
        "window takes slot 0.",
        _SECTION,
    ),
    Mistake(
        "zero-for-free",
        _zero_for_free,
        "You gave free slots the position 0. That is the first token's number: a free slot is -1.",
        "Free slots are not read",
        loses=("filling",),
    ),
    Mistake(
        "no-scale",
        _no_scale,
        "The scores are not divided by the square root of head_dim before the softmax.",
        "One query against the cache",
    ),
    Mistake(
        "outputs-exchanged",
        _outputs_exchanged,
        "You returned the positions first. First comes the result, then the positions.",
        "One query against the cache",
    ),
    Mistake(
        "float64-from-sqrt",
        _float64_from_sqrt,
        "Your result is float64 where float32 came in. np.sqrt of a whole number, for one, is a float64 and makes "
        "that of everything that it divides.",
        "What goes wrong and does not crash",
    ),
    Mistake(
        "positions-one-ahead",
        _positions_one_ahead,
        "Your result is right, but the positions run one token ahead: the newest token has the number length - 1, "
        "not length.",
        _SECTION,
    ),
    Mistake(
        "numbers-before-0",
        _numbers_before_0,
        "Some free slots have other negative numbers. The formula counts on below 0, where there are no tokens: a "
        "free slot is -1.",
        _SECTION,
        loses=("filling",),
    ),
)
