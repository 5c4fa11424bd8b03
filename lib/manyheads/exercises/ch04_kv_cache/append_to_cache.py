"""append-to-cache: new keys or values go behind the old ones, in every sequence behind its own."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter
from manyheads.reference import KVCache


def _reference(cache, lengths, new):
    batch, kv_heads, capacity, head_dim = cache.shape
    held = KVCache(batch, kv_heads, head_dim, capacity, dtype=cache.dtype)
    longest = int(lengths.max())
    held.append(cache[:, :, :longest], cache[:, :, :longest], lengths)
    seen = held.append(new, new)
    after = np.array(cache)
    filled = (seen.key_positions >= 0)[:, None, :, None]
    used = seen.keys.shape[2]
    after[:, :, :used] = np.where(filled, seen.keys, cache[:, :, :used])
    return after


def _case(rng, about, lengths, probe=False, dtype="float32", **ranges):
    """`lengths` of the sequences, given their number and the last slot from which the new tokens still fit."""
    s = sizes.draw(
        rng, **{"batch": (2, 3), "kv_heads": (2, 5), "new": (2, 4), "capacity": (9, 12), "head_dim": (2, 7), **ranges}
    )
    inputs = {
        "cache": sizes.normal(rng, s["batch"], s["kv_heads"], s["capacity"], s["head_dim"], dtype=dtype),
        "lengths": np.array(lengths(rng, s["batch"], s["capacity"] - s["new"])),
        "new": sizes.normal(rng, s["batch"], s["kv_heads"], s["new"], s["head_dim"], dtype=dtype),
    }
    return Case(about, inputs, probe)


def _some(rng, batch, last):
    return [int(rng.integers(2, last - 1))] * batch  # away from both ends: no wrong place is another one too


def _different(rng, batch, last):
    first = int(rng.integers(2, last - 1))
    second = int(rng.integers(first + 1, last))
    return [first, second, 0, 1][:batch]


def _one_token(rng):
    return [
        _case(rng, "one token more, some tokens before it", _some, new=(1, 1)),
        _case(rng, "the very first token", lambda rng, batch, last: [0] * batch, new=(1, 1)),
        _case(rng, "the last free slot", lambda rng, batch, last: [last] * batch, dtype="float64", new=(1, 1)),
        # Tells which token of a chunk is kept.
        _case(rng, "several tokens at once", _some, probe=True),
    ]


def _chunk(rng):
    return [
        _case(rng, "several tokens at once", _some),
        _case(rng, "several tokens into an empty cache", lambda rng, batch, last: [0] * batch, dtype="float64"),
        _case(rng, "several tokens that fill the cache", lambda rng, batch, last: [last] * batch),
    ]


def _ragged(rng):
    return [
        _case(rng, "sequences of different lengths, several tokens", _different, batch=(3, 4)),
        _case(rng, "sequences of different lengths, one token", _different, batch=(3, 4), new=(1, 1)),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _three_pieces(cache, lengths, new):
    rows = []
    for b, length in enumerate(lengths):
        old, behind = cache[b, :, :length], cache[b, :, length + new.shape[2] :]
        rows.append(np.concatenate([old, new[b], behind], axis=1))
    return np.asfortranarray(np.stack(rows))


def _chosen_by_slot(cache, lengths, new):
    after = np.array(cache)
    for slot in range(cache.shape[2]):
        for token in range(new.shape[2]):
            here = lengths + token == slot
            after[here, :, slot] = new[here, :, token]
    return after


def _token_by_token(cache, lengths, new):
    after = np.array(cache)
    (sequence,) = np.indices(lengths.shape)
    for token in range(new.shape[2]):
        after[sequence, :, lengths + token] = new[:, :, token]
    return after


def _put_along_axis(cache, lengths, new):
    slots = lengths[:, np.newaxis] + np.arange(new.shape[2])
    after = np.array(cache)
    np.put_along_axis(after, slots[:, np.newaxis, :, np.newaxis], new, axis=2)
    return after


# -- known mistakes ------------------------------------------------------------------------------------


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


def _a_gap(cache, lengths, new):
    after, t = cache.copy(), new.shape[2]
    for b in range(len(lengths)):
        start = min(lengths[b] + 1, cache.shape[2] - t)
        after[b, :, start : start + t] = new[b]
    return after


def _shifted(cache, lengths, new):
    return np.concatenate([cache[:, :, new.shape[2] :], new], axis=2)


def _last_of_the_chunk(cache, lengths, new):
    after = cache.copy()
    for b in range(len(lengths)):
        after[b, :, lengths[b]] = new[b, :, -1]
    return after


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

EXERCISE = Exercise(
    name="append-to-cache",
    title="Behind the tokens that are there",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("cache", "float array (batch, kv_heads, capacity, head_dim): the buffer, of keys or of values"),
        Parameter("lengths", "integer array (batch,): tokens that each sequence has in it already; 0 is possible"),
        Parameter("new", "float array (batch, kv_heads, new, head_dim): one or more further tokens; they fit"),
    ),
    returns=(Output("result", ("batch", "kv_heads", "capacity", "head_dim")),),
    reference=_reference,
    tolerance=EXACT,
    example="""\
>>> cache = np.array([10.0, 20.0, 0.0, 0.0]).reshape(1, 1, 4, 1)
>>> append_to_cache(cache, np.array([2]), np.array([30.0]).reshape(1, 1, 1, 1)).ravel()
array([10., 20., 30.,  0.])""",
    hints=(
        "With two tokens in the cache, slots 0 and 1 are taken. Which slot is the first free one?",
        "Copy the buffer first, so that the caller's stays as it was. Then a slice of the copy's third axis takes the "
        "new tokens.",
        "Every sequence has a first free slot of its own. Go through the sequences one by one: without the batch axis, "
        "the slots are the second axis.",
    ),
    aspects=(
        Aspect("one token", 1, "all sequences equally long, one new token", _one_token),
        Aspect("a chunk", 1, "all sequences equally long, several new tokens", _chunk),
        Aspect("different lengths", 1, "each sequence has a length of its own", _ragged),
    ),
    alternatives={
        "three pieces": _three_pieces,
        "chosen by slot": _chosen_by_slot,
        "token by token": _token_by_token,
        "put_along_axis": _put_along_axis,
    },
    mistakes=(
        Mistake(
            "from-slot-0",
            _from_slot_0,
            "You wrote the new tokens from slot 0 on, over the oldest ones. Slots 0 to lengths - 1 are taken; the new "
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
            "a-gap",
            _a_gap,
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
            "Of several new tokens you kept the last one only. Later tokens attend to all of them, so each needs its "
            "slot.",
            _WHERE,
            loses=("a chunk", "different lengths"),
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
            "Your result is float64, because np.zeros makes that unless told otherwise. A cache keeps its dtype, or it "
            "takes twice the memory.",
            "What goes wrong and does not crash",
        ),
    ),
)
