"""The known mistakes of append-to-cache."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _from_slot_0(cache, lengths, new):
    after = cache.copy()
    after[:, :, : new.shape[2]] = new
    return after


def _at_the_end(cache, lengths, new):
    after = cache.copy()
    after[:, :, -new.shape[2] :] = new
    return after


def _over_the_last_token(cache, lengths, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        for b in range(len(lengths)):
            after[b, :, lengths[b] - 1 + i] = new[b, :, i]
    return after


def _slice_over_the_last_token(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b] - 1 : lengths[b] - 1 + new.shape[2]] = new[b]
    return after


def _a_gap(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b] + 1 : lengths[b] + 1 + new.shape[2]] = new[b]
    return after


def _index_after_a_gap(cache, lengths, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        for b in range(len(lengths)):
            after[b, :, lengths[b] + 1 + i] = new[b, :, i]
    return after


def _shifted(cache, lengths, new):
    return np.concatenate([cache[:, :, new.shape[2] :], new], axis=2)


def _last_of_the_chunk(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b]] = new[b, :, -1]
    return after


def _first_of_the_chunk(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b]] = new[b, :, 0]
    return after


def _free_slots_cleared(cache, lengths, new):
    after = np.zeros_like(cache)
    for b in range(len(lengths)):
        after[b, :, : lengths[b]] = cache[b, :, : lengths[b]]
        after[b, :, lengths[b] : lengths[b] + new.shape[2]] = new[b]
    return after


def _in_front(cache, lengths, new):
    return np.concatenate([new, cache], axis=2)[:, :, : cache.shape[2]]


def _added(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b] : lengths[b] + new.shape[2]] += new[b]
    return after


def _length_of_the_first(cache, lengths, new):
    after = cache.copy()
    after[:, :, lengths[0] : lengths[0] + new.shape[2]] = new
    return after


def _length_of_the_longest(cache, lengths, new):
    after, longest = cache.copy(), lengths.max()
    after[:, :, longest : longest + new.shape[2]] = new
    return after


def _length_of_the_shortest(cache, lengths, new):
    after, shortest = cache.copy(), lengths.min()
    after[:, :, shortest : shortest + new.shape[2]] = new
    return after


def _everybodys_slots(cache, lengths, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, lengths + i] = new[:, :, i : i + 1]
    return after


def _float64_buffer(cache, lengths, new):
    after = np.zeros(cache.shape)
    after[:] = cache
    for b in range(len(lengths)):
        after[b, :, lengths[b] : lengths[b] + new.shape[2]] = new[b]
    return after


_WHERE, _LENGTHS = "Where a new token goes", "Sequences of different lengths"

MISTAKES = (
    Mistake(
        "from-slot-0",
        _from_slot_0,
        "You wrote the new tokens from slot 0 on, in every sequence. Slots 0 to lengths - 1 are taken; the new "
        "tokens go behind them.",
        _WHERE,
    ),
    Mistake(
        "at-the-end",
        _at_the_end,
        "You wrote the new tokens into the last slots of the buffer. They go directly behind the tokens that are "
        "there; the rest of the buffer stays free for later ones.",
        _WHERE,
    ),
    Mistake(
        "over-the-last-token",
        _over_the_last_token,
        "You are one slot too early: the newest old token is overwritten. Counting starts at 0, so the token in "
        "slot lengths - 1 is the last old one.",
        _WHERE,
    ),
    Mistake(
        "slice-over-the-last-token",
        _slice_over_the_last_token,
        "You are one slot too early: the newest old token is overwritten. Counting starts at 0, so the token in "
        "slot lengths - 1 is the last old one.",
        _WHERE,
    ),
    Mistake(
        "a-gap",
        _a_gap,
        "You are one slot too late, and left a slot empty between old and new tokens. Counting starts at 0, so "
        "slot number lengths is free.",
        _WHERE,
    ),
    Mistake(
        "index-after-a-gap",
        _index_after_a_gap,
        "You are one slot too late, and left a slot empty between old and new tokens. Counting starts at 0, so "
        "slot number lengths is free.",
        _WHERE,
    ),
    Mistake(
        "shifted",
        _shifted,
        "You pushed everything to the front and put the new tokens at the end. In a cache a token keeps its slot: "
        "only the slots of the new tokens change.",
        _WHERE,
    ),
    Mistake(
        "last-of-the-chunk",
        _last_of_the_chunk,
        "Of several new tokens you kept the last one only. Later tokens attend to all of them, so each needs its slot.",
        _WHERE,
        loses=("a chunk", "different lengths"),
    ),
    Mistake(
        "first-of-the-chunk",
        _first_of_the_chunk,
        "Of several new tokens you kept the first one only. Later tokens attend to all of them, so each needs its "
        "slot.",
        _WHERE,
        loses=("a chunk", "different lengths"),
    ),
    Mistake(
        "free-slots-cleared",
        _free_slots_cleared,
        "You set the free slots to 0. Nobody reads them, so clearing them is work for nothing: only the slots of the "
        "new tokens change.",
        _WHERE,
    ),
    Mistake(
        "in-front",
        _in_front,
        "You put the new tokens in front and moved the old ones back. A token keeps its slot, and the newest comes "
        "last.",
        _WHERE,
    ),
    Mistake(
        "added",
        _added,
        "You added the new tokens to what their slots held. Free slots need not hold zeros: assign instead.",
        _WHERE,
    ),
    Mistake(
        "length-of-the-first",
        _length_of_the_first,
        "You used the length of sequence 0 for the whole batch. Each sequence continues behind its own last token.",
        _LENGTHS,
        loses=("different lengths",),
    ),
    Mistake(
        "length-of-the-longest",
        _length_of_the_longest,
        "You put every sequence's new tokens behind the longest sequence. In a shorter one that leaves free slots "
        "between old and new tokens. Each sequence continues behind its own last token.",
        _LENGTHS,
        loses=("different lengths",),
    ),
    Mistake(
        "length-of-the-shortest",
        _length_of_the_shortest,
        "You put every sequence's new tokens behind the shortest sequence. In a longer one that overwrites tokens. "
        "Each sequence continues behind its own last token.",
        _LENGTHS,
        loses=("different lengths",),
    ),
    Mistake(
        "everybodys-slots",
        _everybodys_slots,
        "Every sequence was written at the slots of all the others too: after[:, :, lengths] takes all lengths for "
        "each sequence. Pair them up: sequence b with lengths[b].",
        _LENGTHS,
        loses=("different lengths",),
    ),
    Mistake(
        "float64-buffer",
        _float64_buffer,
        "Your result is float64 where float32 came in; np.zeros, for one, makes float64 unless told otherwise. A cache "
        "keeps its dtype, or it takes twice the memory.",
        "What goes wrong and does not crash",
    ),
)
