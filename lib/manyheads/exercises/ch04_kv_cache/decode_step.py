"""decode-step: the newest token's query against a cache that is partly filled."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q, keys, values, lengths):
    return reference.attention(q, keys, values, mask=reference.padding_mask(lengths, keys.shape[2]))


def _case(rng, about, lengths, free, dtype="float64", probe=False, batch=(2, 3)):
    """`lengths` of the sequences, given their number and the capacity; `free` says what is in the free slots."""
    s = sizes.draw(rng, batch=batch, heads=(2, 5), capacity=(9, 12), head_dim=(3, 8), v_head_dim=(2, 7))
    batch, capacity = s["batch"], s["capacity"]
    filled = np.array(lengths(rng, batch, capacity, s["head_dim"]))
    inputs = {
        "q": sizes.normal(rng, batch, s["heads"], 1, s["head_dim"], dtype=dtype),
        "keys": sizes.normal(rng, batch, s["heads"], capacity, s["head_dim"], dtype=dtype),
        "values": sizes.normal(rng, batch, s["heads"], capacity, s["v_head_dim"], dtype=dtype),
        "lengths": filled,
    }
    is_free = (np.arange(capacity) >= filled[:, None])[:, None, :, None]
    # Signs in turn, so that in each sequence some of the large scores are positive.
    large = (-1.0) ** np.arange(capacity)[:, None] * np.sign(inputs["q"]) * 1e12
    k, v = inputs["keys"], inputs["values"]
    left_k, left_v = {
        "zeros": (0, 0),
        "leftovers": (3 * k, 3 * v),
        "large": (large, 1e6),
        "large and NaN": (large, np.nan),
        "NaN": (np.nan, np.nan),
    }[free]
    inputs["keys"] = np.where(is_free, left_k, k).astype(dtype)
    inputs["values"] = np.where(is_free, left_v, v).astype(dtype)
    return Case(about, inputs, probe)


def _equal(rng, batch, capacity, head_dim):
    return [int(rng.choice([n for n in range(3, capacity - 1) if n != head_dim]))] * batch


def _different(rng, batch, capacity, head_dim):
    # The first is the shortest, so that its length, taken for all, reads nothing that is free.
    return [3, *(int(n) for n in rng.permutation(range(4, capacity - 1))[: batch - 1])]


def _in_step(rng):
    return [
        _case(rng, "all sequences equally long, zeros in the free slots", _equal, "zeros"),
        _case(rng, "a full cache", lambda rng, batch, capacity, _: [capacity] * batch, "zeros", "float32"),
        _case(rng, "the very first token", lambda rng, batch, capacity, _: [1] * batch, "zeros"),
        # Tells how the free slots come to be seen.
        _case(rng, "leftovers in the free slots", _equal, "leftovers", probe=True),
    ]


def _ragged(rng):
    return [
        _case(rng, "sequences of different lengths", _different, "leftovers", "float32", batch=(3, 4)),
        _case(rng, "sequences of different lengths, zeros in the free slots", _different, "zeros", probe=True),
    ]


def _free_slots(rng):
    return [
        _case(rng, "NaN in the free slots", _different, "NaN", "float32"),
        _case(rng, "large keys and NaN for values in the free slots", _different, "large and NaN", "float32"),
        # Each tells one way to hide a free slot from another.
        _case(rng, "large numbers in the free slots", _different, "large", probe=True),
        _case(rng, "leftovers in the free slots", _different, "leftovers", probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _masked(q, keys, values, lengths):
    filled = (np.arange(values.shape[2]) < lengths[:, None])[:, None, None]
    scores = np.where(filled, q @ keys.swapaxes(2, 3) * keys.shape[3] ** -0.5, -np.inf)
    columns, filled = reference.softmax(scores).swapaxes(2, 3), filled.swapaxes(2, 3)
    return np.where(filled, columns * values, 0).sum(axis=2, keepdims=True)


def _einsum_in_float64(q, keys, values, lengths):
    out = np.empty_like(values[:, :, :1])
    for b, n in enumerate(lengths):
        scores = np.einsum("hqd,hkd->hqk", q[b], keys[b, :, :n], dtype="float64") / np.sqrt(keys.shape[3])
        out[b] = np.einsum("hqk,hkd->hqd", reference.softmax(scores), values[b, :, :n])
    return np.asfortranarray(out)


def _head_by_head(q, keys, values, lengths):
    rows = []
    for b, n in enumerate(lengths):
        for h in range(values.shape[1]):
            scores = keys[b, h, :n] @ q[b, h].T / values.dtype.type(keys.shape[3] ** 0.5)
            rows.append(reference.softmax(scores, axis=0).T @ values[b, h, :n])
    return np.reshape(rows, (*values[:, :, :1].shape,))


def _key_by_key(q, keys, values, lengths):
    out = np.zeros_like(values[:, :, :1])
    for b, n in enumerate(lengths):
        total = 0
        for i in range(n):
            score = (q[b] * keys[b, :, i : i + 1]).sum(axis=2, keepdims=True) * keys.shape[3] ** -0.5
            total = total + np.exp(score)
            out[b] += np.exp(score) * values[b, :, i : i + 1]
        out[b] /= total
    return out


# -- known mistakes ------------------------------------------------------------------------------------


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


def _no_scale(q, keys, values, lengths):
    out = np.zeros((*q.shape[:3], values.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        out[b] = reference.softmax(q[b] @ keys[b, :, :n].swapaxes(1, 2)) @ values[b, :, :n]
    return out


def _first_key_only(q, keys, values, lengths):
    scores = q @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
    weights = reference.softmax(np.where(np.tri(1, keys.shape[2], dtype=bool), scores, -np.inf))
    return weights[..., :1] @ values[:, :, :1]


def _length_of_the_first(q, keys, values, lengths):
    n = lengths[0]
    scores = q @ keys[:, :, :n].swapaxes(2, 3) * q.shape[3] ** -0.5
    return reference.softmax(scores) @ values[:, :, :n]


_QUERY, _FREE = "One query against the cache", "Free slots are not read"

EXERCISE = Exercise(
    name="decode-step",
    title="One query against the cache",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, 1, head_dim): the query of the newest token of each sequence"),
        Parameter("keys", "float array (batch, heads, capacity, head_dim)"),
        Parameter("values", "float array (batch, heads, capacity, v_head_dim)"),
        Parameter("lengths", "integer array (batch,): filled slots of each sequence, the newest token's among them"),
    ),
    returns=(Output("result", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=_reference,
    tolerance=ATTENTION,
    given=("softmax",),
    example="""\
>>> keys, values = np.zeros((1, 1, 4, 1)), np.array([10.0, 20.0, 0.0, 0.0]).reshape(1, 1, 4, 1)
>>> decode_step(np.ones((1, 1, 1, 1)), keys, values, np.array([2]))
array([[[[15.]]]])""",
    hints=(
        "The newest token may attend to every token that is in the cache, itself included. Which slots hold those?",
        "A slot that you slice away can do no harm. A weight of 0 is not enough: 0 times NaN is NaN.",
        "Go through the sequences one by one. Cut each to its own length, then it is the attention of one query: "
        "scores, scale, softmax, weighted sum.",
    ),
    aspects=(
        Aspect("in step", 2, "all sequences equally long, zeros in the free slots", _in_step),
        Aspect("different lengths", 1, "each sequence has a length of its own", _ragged),
        Aspect("free slots", 1, "free slots that hold large numbers or NaN", _free_slots),
    ),
    alternatives={
        "everything masked": _masked,
        "einsum in float64": _einsum_in_float64,
        "head by head": _head_by_head,
        "key by key": _key_by_key,
    },
    mistakes=(
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
            "You added -1e9 to the scores of free slots. That hides small scores only: a free slot may hold numbers "
            "that make its score larger than 1e9, or NaN.",
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
            "head_dim: over so many products a score is a sum.",
            _QUERY,
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
    ),
)
