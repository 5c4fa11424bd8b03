"""ring-append: a cache that keeps the last tokens only, each in the slot of its number modulo the window."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch04_kv_cache.ring_append_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter
from manyheads.reference import KVCache


def _reference(cache, length, new):
    batch, kv_heads, window, head_dim = cache.shape
    ring = KVCache(batch, kv_heads, head_dim, window=window, dtype=cache.dtype)
    first = max(0, length - window)  # the oldest token that is still there
    long_gone = np.zeros((batch, kv_heads, first, head_dim), cache.dtype)
    ring.append(long_gone, long_gone)
    held = [cache[:, :, [p % window]] for p in range(first, length)]
    more = [new[:, :, [i]] for i in range(new.shape[2])]
    seen = [ring.append(token, token) for token in [*held, *more]][-1].keys
    return np.concatenate([seen, cache[:, :, seen.shape[2] :]], axis=2)


def _case(rng, about, length, new, dtype="float32", probe=False):
    """`length` and `new` give a number of tokens for a window."""
    for _ in range(1000):
        s = sizes.draw(rng, batch=(2, 3), kv_heads=(2, 5), window=(6, 8), head_dim=(2, 5))
        window = s["window"]
        tokens = int(new(rng, window))
        if tokens == 1 or tokens not in s.values():
            break
    seen = int(length(rng, window, tokens))
    inputs = {
        "cache": sizes.normal(rng, s["batch"], s["kv_heads"], window, s["head_dim"], dtype=dtype),
        "length": seen,
        "new": sizes.normal(rng, s["batch"], s["kv_heads"], tokens, s["head_dim"], dtype=dtype),
    }
    return Case(about, inputs, probe)


def _one(rng, window):
    return 1


def _few(rng, window):
    return rng.integers(3, window - 2)


def _many(rng, window):
    # Not by a whole number of windows more, or the skipped ones would not matter.
    return window * rng.integers(1, 3) + rng.integers(2, window - 1)


def _fits(rng, window, tokens):
    return rng.integers(2, window - tokens) if window - tokens > 2 else 2


def _nothing(rng, window, tokens):
    return 0


def _full(rng, window, tokens):
    """Room for the new tokens before the ring's end, at neither end of it."""
    return window * rng.integers(2, 5) + rng.integers(2, window - 2)  # some times round: once is not enough


def _about_to_wrap(rng, window, tokens):
    return rng.integers(window - tokens + 1, window)


def _about_to_wrap_again(rng, window, tokens):
    return window * rng.integers(2, 5) + rng.integers(window - tokens + 1, window)


def _partly(rng, window, tokens):
    return rng.integers(2, window - 1)


def _one_token(rng):
    return [
        _case(rng, "one more token for a ring that is not yet full", _fits, _one),
        _case(rng, "one more token for a ring that was filled some times over", _full, _one),
        _case(rng, "the very first token", _nothing, _one, "float64"),
        _case(rng, "several tokens across the end of the ring", _about_to_wrap_again, _few, probe=True),
        _case(rng, "more tokens than slots", _full, _many, probe=True),
    ]


def _across_the_end(rng):
    return [
        _case(rng, "several tokens across the end of the ring, for the first time", _about_to_wrap, _few),
        _case(rng, "several tokens across the end of the ring, not for the first time", _about_to_wrap_again, _few),
        _case(rng, "several tokens for a ring that is not yet full", _fits, _few, "float64"),
        _case(rng, "more tokens than slots", _full, _many, probe=True),
    ]


def _long_chunk(rng):
    return [
        _case(rng, "more tokens than slots, for a full ring", _full, _many),
        _case(rng, "more tokens than slots, for a ring that is not yet full", _partly, _many),
        _case(rng, "more tokens than slots, for an empty ring", _nothing, _many, "float64"),
        # Both tell mistakes apart that a long chunk hides.
        _case(rng, "several tokens across the end of the ring", _about_to_wrap_again, _few, probe=True),
        _case(rng, "several tokens for a ring that is not yet full", _fits, _few, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _slots_of_the_survivors(cache, length, new):
    window = cache.shape[2]
    positions = np.arange(length, length + new.shape[2])[-window:]
    after = np.array(cache)
    after[:, :, positions % window] = new[:, :, -window:]
    return np.asfortranarray(after)


def _newest_for_each_slot(cache, length, new):
    window, newest = cache.shape[2], length + new.shape[2] - 1
    slots = []
    for slot in range(window):
        position = newest - (newest - slot) % window
        slots.append(new[:, :, position - length] if position >= length else cache[:, :, slot])
    return np.stack(slots, axis=2)


def _turned(cache, length, new):
    by_age = np.concatenate([np.roll(cache, -length, axis=2), new], axis=2)
    return np.roll(by_age[:, :, new.shape[2] :], length + new.shape[2], axis=2)


def _cut_at_every_end(cache, length, new):
    after, window = np.array(cache), cache.shape[2]
    for piece in np.split(new, np.arange(window - length % window, new.shape[2], window), axis=2):
        start = length % window
        length += piece.shape[2]
        after[:, :, start : start + piece.shape[2]] = piece
    return after


EXERCISE = Exercise(
    name="ring-append",
    title="A ring of slots",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("cache", "float array (batch, kv_heads, window, head_dim): the ring, of keys or of values"),
        Parameter("length", "whole number: tokens seen so far, in every sequence; 0 is possible"),
        Parameter("new", "float array (batch, kv_heads, new, head_dim): one or more further tokens, of any number"),
    ),
    returns=(Output("result", ("batch", "kv_heads", "window", "head_dim")),),
    reference=_reference,
    tolerance=EXACT,
    example="""\
>>> ring = np.array([10.0, 11.0, 12.0]).reshape(1, 1, 3, 1)      # tokens 0, 1 and 2
>>> ring_append(ring, 3, np.array([13.0, 14.0]).reshape(1, 1, 2, 1)).ravel()
array([13., 14., 12.])""",
    hints=(
        "With length tokens seen, the next token has the number length, because counting starts at 0. Which slot is "
        "that in a window of 3, for length 3, 4 and 5?",
        "Take the tokens of a chunk one after the other. Which number has the one with index i in the chunk? Its slot "
        "follows from the number alone.",
        "If a chunk is longer than the window, some of its tokens share a slot. Which of them has to stay?",
    ),
    aspects=(
        Aspect("one token", 1, "one new token, the ring full or not", _one_token),
        Aspect(
            "across the end",
            1,
            "several new tokens, most often across the end of the ring",
            _across_the_end,
        ),
        Aspect("a long chunk", 1, "more new tokens than slots", _long_chunk),
    ),
    alternatives={
        "slots of the survivors": _slots_of_the_survivors,
        "newest token for each slot": _newest_for_each_slot,
        "turned by age and back": _turned,
        "cut at every end": _cut_at_every_end,
    },
    mistakes=MISTAKES,
)
