"""padding-mask: which keys are real tokens, for each sequence of a batch."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(about, lengths, k_len, probe=False):
    return Case(about, {"lengths": np.array(lengths, np.int64), "k_len": int(k_len)}, probe)


def _unordered(rng, lengths):
    """Neither the shortest nor the longest first, so neither sorted nor told by its first."""
    shortest, *between, longest = np.sort(lengths)
    first = rng.integers(len(between))
    rest = rng.permutation([shortest, *np.delete(between, first), longest])
    return [between[first], *rest]


def _values(rng):
    batch, k_len = int(rng.integers(3, 6)), int(rng.integers(8, 13))
    lengths = _unordered(rng, rng.permutation(np.arange(1, k_len))[:batch])
    one = int(rng.integers(2, 5))
    return [
        _case("several sequences", lengths, k_len),
        _case("a single sequence", [one], one + 3),
    ]


def _empty_and_full(rng):
    batch, k_len = int(rng.integers(4, 6)), int(rng.integers(7, 11))
    between = rng.permutation(np.arange(1, k_len))[: batch - 2]
    return [
        _case("one sequence without a token, one without padding", _unordered(rng, [0, k_len, *between]), k_len),
        # Tells "everything allowed" from "the longest length for all".
        _case("several sequences", _unordered(rng, [*between, 0]), k_len, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _rows(lengths, k_len):
    mask = np.zeros((len(lengths), 1, 1, k_len), bool)
    for b, length in enumerate(lengths):
        mask[b, ..., :length] = True
    return mask


def _accumulated(lengths, k_len):
    over = np.zeros((len(lengths), k_len + 1), bool)
    for b, length in enumerate(lengths):
        over[b, length] = True
    return ~np.logical_or.accumulate(over, axis=1)[:, None, None, :-1]


def _lists(lengths, k_len):
    return np.array([[[[j < length for j in range(k_len)]]] for length in lengths])


def _outer(lengths, k_len):
    return np.greater.outer(lengths, np.arange(k_len)).reshape(-1, 1, 1, k_len)


def _room_left(lengths, k_len):
    room = k_len - lengths.reshape(-1, 1, 1, 1)
    return np.arange(k_len, 0, -1) > room


# -- known mistakes ------------------------------------------------------------------------------------


def _inverted(lengths, k_len):
    return np.arange(k_len) >= lengths[:, None, None, None]


def _one_too_many(lengths, k_len):
    return np.arange(k_len) <= lengths[:, None, None, None]


def _one_too_few(lengths, k_len):
    return np.arange(k_len) < lengths[:, None, None, None] - 1


def _padding_on_the_left(lengths, k_len):
    return np.arange(k_len) >= k_len - lengths[:, None, None, None]


def _longest_for_all(lengths, k_len):
    return np.repeat(np.arange(k_len)[None, None, None] < lengths.max(), len(lengths), axis=0)


def _first_for_all(lengths, k_len):
    return np.repeat(np.arange(k_len)[None, None, None] < lengths[0], len(lengths), axis=0)


def _sorted(lengths, k_len):
    return np.arange(k_len) < np.sort(lengths)[:, None, None, None]


def _longest_first(lengths, k_len):
    return np.arange(k_len) < np.sort(lengths)[::-1, None, None, None]


def _reshaped(lengths, k_len):
    return (np.arange(k_len)[:, None] < lengths).reshape(len(lengths), 1, 1, k_len)


def _two_axes(lengths, k_len):
    return np.arange(k_len) < lengths[:, None]


def _over_queries(lengths, k_len):
    return (np.arange(k_len) < lengths[:, None])[:, None, :, None]


EXERCISE = Exercise(
    name="padding-mask",
    title="Padding: nobody reads the filling",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("lengths", "integer array (batch,): real tokens in each sequence, from 0 to k_len; they stand first"),
        Parameter("k_len", "whole number: tokens in each row of the batch, padding included"),
    ),
    returns=(Output("mask", ("batch", "1", "1", "k_len"), "bool"),),
    reference=reference.padding_mask,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "True for the real tokens of each sequence", _values),
        Aspect("empty and full", 1, "lengths of 0 and of k_len among them", _empty_and_full),
    ),
    example=(
        ">>> mask = padding_mask(np.array([3, 1]), 4)\n"
        ">>> mask.shape\n"
        "(2, 1, 1, 4)\n"
        ">>> mask[:, 0, 0]\n"
        "array([[ True,  True,  True, False],\n"
        "       [ True, False, False, False]])"
    ),
    hints=(
        "Counted from 0, which is the last real token of a sequence of 3?",
        "Compare the positions 0 to k_len - 1 with each length at once: that needs the lengths along an axis of their "
        "own.",
        "Indexing with None adds an axis of 1. Begin with a (batch, k_len) array, then add two in the middle.",
    ),
    alternatives={
        "row by row": _rows,
        "a mark at the end, accumulated": _accumulated,
        "nested lists": _lists,
        "an outer comparison": _outer,
        "counting from the end": _room_left,
    },
    mistakes=(
        Mistake(
            "inverted",
            _inverted,
            "Your mask is True for the padding. In this course True means: may attend, so it marks the real tokens. "
            "torch's key_padding_mask is the other way round.",
            "Who may attend",
        ),
        Mistake(
            "one-too-many",
            _one_too_many,
            "You let one token of padding through in every sequence. Positions count from 0, so a sequence of length 3 "
            "has the positions 0, 1 and 2.",
            "Padding",
        ),
        Mistake(
            "one-too-few",
            _one_too_few,
            "You shut out the last real token of every sequence. A sequence of length 3 has the positions 0, 1 and 2, "
            "all three of them real.",
            "Padding",
        ),
        Mistake(
            "padding-on-the-left",
            _padding_on_the_left,
            "You put the real tokens at the end. Here they stand at the start, and the padding behind them. (Both are "
            "in use, so read what a tokenizer does.)",
            "Padding",
        ),
        Mistake(
            "longest-for-all",
            _longest_for_all,
            "Every sequence got the longest length, so the shorter ones still read padding. Each has a length of its "
            "own.",
            "Padding",
        ),
        Mistake(
            "first-for-all",
            _first_for_all,
            "Every sequence got the first one's length. Each has a length of its own; a test with a batch of 1 would "
            "not have noticed.",
            "Padding",
        ),
        Mistake(
            "sorted",
            _sorted,
            "You sorted the lengths, so the rows of the mask no longer belong to the rows of the batch. Keep their "
            "order.",
            "Padding",
        ),
        Mistake(
            "longest-first",
            _longest_first,
            "You sorted the lengths, longest first, so the rows of the mask no longer belong to the rows of the batch. "
            "Keep their order.",
            "Padding",
        ),
        Mistake(
            "reshaped",
            _reshaped,
            "You compared with the positions along the first axis, (k_len, batch), and reshaped that to the wanted "
            "shape. A reshape keeps the reading order and exchanges no axes. Put the lengths along the first axis.",
            "Padding",
        ),
        Mistake(
            "two-axes",
            _two_axes,
            "The values are right, but (batch, k_len) would be taken for (q_len, k_len). The two axes of 1 say that it "
            "holds for every head and every query: (batch, 1, 1, k_len).",
            "Padding",
        ),
        Mistake(
            "over-queries",
            _over_queries,
            "You put the tokens on the axis of the queries. What must not be read is a key: the last axis, "
            "(batch, 1, 1, k_len).",
            "Padding",
        ),
    ),
)
