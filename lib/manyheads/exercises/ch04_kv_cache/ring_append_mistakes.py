"""The known mistakes of ring-append."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _shifted(cache, length, new):
    return np.concatenate([cache, new], axis=2)[:, :, -cache.shape[2] :]


def _counted_in_the_chunk(cache, length, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, i % cache.shape[2]] = new[:, :, i]
    return after


def _counted_from_1(cache, length, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, (length + 1 + i) % cache.shape[2]] = new[:, :, i]
    return after


def _over_the_newest(cache, length, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, (length - 1 + i) % cache.shape[2]] = new[:, :, i]
    return after


def _stuck_at_the_end(cache, length, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, min(length + i, cache.shape[2] - 1)] = new[:, :, i]
    return after


def _cut_at_the_end(cache, length, new):
    after = cache.copy()
    start = length % cache.shape[2]
    room = min(new.shape[2], cache.shape[2] - start)
    after[:, :, start : start + room] = new[:, :, :room]
    return after


def _first_of_a_long_chunk(cache, length, new):
    after = cache.copy()
    for i in range(min(new.shape[2], cache.shape[2])):
        after[:, :, (length + i) % cache.shape[2]] = new[:, :, i]
    return after


def _survivors_misplaced(cache, length, new):
    after = cache.copy()
    kept = new[:, :, -cache.shape[2] :]
    for i in range(kept.shape[2]):
        after[:, :, (length + i) % cache.shape[2]] = kept[:, :, i]
    return after


def _length_capped(cache, length, new):
    after = cache.copy()
    window = cache.shape[2]
    for i in range(new.shape[2]):
        after[:, :, (min(length, window) + i) % window] = new[:, :, i]
    return after


def _not_advanced(cache, length, new):
    after = cache.copy()
    for i in range(new.shape[2]):
        after[:, :, length % cache.shape[2]] = new[:, :, i]
    return after


def _stuck_at_0(cache, length, new):
    after = cache.copy()
    window = cache.shape[2]
    for i in range(new.shape[2]):
        after[:, :, length + i if length + i < window else 0] = new[:, :, i]
    return after


def _chunk_restarts_at_0(cache, length, new):
    after, window = cache.copy(), cache.shape[2]
    start = length % window
    if start + new.shape[2] > window:
        start = 0
    for i in range(new.shape[2]):
        after[:, :, (start + i) % window] = new[:, :, i]
    return after


def _in_order_of_the_text(cache, length, new):
    after, window = cache.copy(), cache.shape[2]
    if new.shape[2] >= window:
        return new[:, :, -window:]
    for i in range(new.shape[2]):
        after[:, :, (length + i) % window] = new[:, :, i]
    return after


def _float64_buffer(cache, length, new):
    after = np.zeros(cache.shape)
    after[:] = cache
    for i in range(new.shape[2]):
        after[:, :, (length + i) % cache.shape[2]] = new[:, :, i]
    return after


_SECTION = "A ring for a window"

MISTAKES = (
    Mistake(
        "shifted",
        _shifted,
        "You moved everything towards the front and put the new tokens at the end. In a ring no token moves: the "
        "new one takes the slot of the oldest.",
        _SECTION,
    ),
    Mistake(
        "counted-in-the-chunk",
        _counted_in_the_chunk,
        "You counted each chunk's tokens from 0, so that it begins in slot 0. A token's number goes on counting over "
        "all chunks: the first new one has the number length.",
        _SECTION,
    ),
    Mistake(
        "counted-from-1",
        _counted_from_1,
        "You are one slot too late. Tokens are counted from 0: with length tokens seen, the next one has the "
        "number length.",
        _SECTION,
    ),
    Mistake(
        "over-the-newest",
        _over_the_newest,
        "You are one slot too early, and the newest old token is overwritten: it has the number length - 1. The "
        "next one goes one slot farther.",
        _SECTION,
    ),
    Mistake(
        "stuck-at-the-end",
        _stuck_at_the_end,
        "Once the ring is full, all your tokens go into the last slot. After the last slot a ring begins again "
        "with slot 0.",
        _SECTION,
    ),
    Mistake(
        "cut-at-the-end",
        _cut_at_the_end,
        "You stopped at the last slot, and the tokens that did not fit are lost. After the last slot a ring "
        "begins again with slot 0.",
        _SECTION,
        loses=("across the end", "a long chunk"),
    ),
    Mistake(
        "first-of-a-long-chunk",
        _first_of_a_long_chunk,
        "Of a chunk longer than the window you kept the first tokens. The last ones survive: they are the newest.",
        _SECTION,
        loses=("a long chunk",),
    ),
    Mistake(
        "survivors-misplaced",
        _survivors_misplaced,
        "Of a chunk longer than the window you kept the right tokens, but numbered the first of them length. The "
        "tokens before them have numbers too, though nothing of them is kept.",
        _SECTION,
        loses=("a long chunk",),
    ),
    Mistake(
        "length-capped",
        _length_capped,
        "For you a full ring always goes on in slot 0, as if no more tokens had been seen than it has slots. "
        "length counts the overwritten tokens too, and the next token's slot follows from the whole count.",
        _SECTION,
    ),
    Mistake(
        "not-advanced",
        _not_advanced,
        "All tokens of your chunk went into one slot. Each has a number of its own, one more than that of the "
        "token before it, and so a slot of its own.",
        _SECTION,
        loses=("across the end", "a long chunk"),
    ),
    Mistake(
        "stuck-at-0",
        _stuck_at_0,
        "Once the ring is full, all your tokens go into slot 0. After it comes slot 1, and so on.",
        _SECTION,
    ),
    Mistake(
        "chunk-restarts-at-0",
        _chunk_restarts_at_0,
        "A chunk that does not fit before the ring's end begins in slot 0 at yours, all of it. It is cut there: "
        "the slots up to the last are filled first, and what is left goes on in slot 0.",
        _SECTION,
        loses=("across the end", "a long chunk"),
    ),
    Mistake(
        "in-order-of-the-text",
        _in_order_of_the_text,
        "Of a chunk longer than the window you kept the right tokens, but with the oldest of them in slot 0. Each "
        "belongs in the slot of its own number modulo window.",
        _SECTION,
        loses=("a long chunk",),
    ),
    Mistake(
        "float64-buffer",
        _float64_buffer,
        "Your result is float64 where float32 came in; np.zeros, for one, makes float64 unless told otherwise. A cache "
        "keeps its dtype, or it takes twice the memory.",
        "What goes wrong and does not crash",
    ),
)
