"""append-to-cache: new keys or values go behind the old ones, in every sequence behind its own."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch04_kv_cache.append_to_cache_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter
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
    """The first is neither the shortest nor the longest, and none is at an end."""
    shortest, first, *others = np.sort(rng.permutation(np.arange(2, last))[:batch])
    return [first, *rng.permutation([shortest, *others])]


def _to_the_ends(rng, batch, last):
    return [int(rng.integers(2, last - 1)), last, 0, 1][:batch]


def _empty(rng, batch, last):
    return [0] * batch


def _nearly_full(rng, batch, last):
    return [last] * batch


def _one_token(rng):
    return [
        _case(rng, "one more token behind some others", _some, new=(1, 1)),
        _case(rng, "the very first token", _empty, new=(1, 1)),
        _case(rng, "a token for the last free slot", _nearly_full, dtype="float64", new=(1, 1)),
        # Tells which token of a chunk is kept.
        _case(rng, "several tokens at once", _some, probe=True),
    ]


def _chunk(rng):
    return [
        _case(rng, "several tokens at once", _some),
        _case(rng, "several tokens for an empty cache", _empty, dtype="float64"),
        _case(rng, "several tokens that fill the cache", _nearly_full),
    ]


def _ragged(rng):
    return [
        _case(rng, "sequences of different lengths, several tokens", _different, batch=(3, 4), capacity=(10, 13)),
        _case(rng, "sequences of different lengths, one token", _to_the_ends, batch=(3, 4), new=(1, 1)),
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


EXERCISE = Exercise(
    name="append-to-cache",
    title="Behind the tokens that are there",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("cache", "float array (batch, kv_heads, capacity, head_dim): the buffer, of keys or of values"),
        Parameter(
            "lengths", "integer array (batch,): tokens in the cache already, not counting the new ones; 0 is possible"
        ),
        Parameter("new", "float array (batch, kv_heads, new, head_dim): one or more further tokens; they fit"),
    ),
    returns=(Output("result", ("batch", "kv_heads", "capacity", "head_dim")),),
    reference=_reference,
    tolerance=EXACT,
    example="""\
>>> cache = np.array([[10.0, 20.0, 0.0, 0.0], [50.0, 0.0, 0.0, 0.0]]).reshape(2, 1, 4, 1)
>>> append_to_cache(cache, np.array([2, 1]), np.array([30.0, 60.0]).reshape(2, 1, 1, 1)).reshape(2, 4)
array([[10., 20., 30.,  0.],
       [50., 60.,  0.,  0.]])""",
    hints=(
        "With two tokens in the cache, slots 0 and 1 are taken. Which slot is the first free one, and which slots do "
        "three new tokens take?",
        "np.array(cache) makes a copy of the buffer, in which you can assign to slots.",
        "Every sequence has a first free slot of its own. Try a batch of one first; what would have to change for "
        "another sequence with another length?",
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
    mistakes=MISTAKES,
)
