"""decode-step: the newest token's query against a cache that is partly filled."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch04_kv_cache.decode_step_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, keys, values, lengths):
    return reference.attention(q, keys, values, mask=reference.padding_mask(lengths, keys.shape[2]))


def _case(rng, about, lengths, free, dtype="float64", probe=False, batch=(2, 3), alone=False):
    """`lengths` of the sequences, given their number and the capacity; `free` says what is in the free slots."""
    s = sizes.draw(rng, batch=batch, heads=(2, 5), capacity=(9, 12), head_dim=(3, 8), v_head_dim=(2, 7))
    if alone:
        s.update(batch=1, heads=1)
    batch, heads, capacity = s["batch"], s["heads"], s["capacity"]
    filled = np.array(lengths(rng, batch, capacity, s["head_dim"]))
    inputs = {
        "q": sizes.normal(rng, batch, heads, 1, s["head_dim"], dtype=dtype),
        "keys": sizes.normal(rng, batch, heads, capacity, s["head_dim"], dtype=dtype),
        "values": sizes.normal(rng, batch, heads, capacity, s["v_head_dim"], dtype=dtype),
        "lengths": filled,
    }
    is_free = (np.arange(capacity) >= filled[:, None])[:, None, :, None]
    # Signs in turn, so that every free slot has a large positive score in one head or another.
    signs = (-1.0) ** np.add.outer(np.arange(heads), np.arange(capacity))[..., None]
    large = signs * np.sign(inputs["q"]) * 1e12
    k, v = inputs["keys"], inputs["values"]
    left_k, left_v = {
        "zeros": (0, 0),
        "leftovers": (3 * k, 3 * v),
        "large": (large, 1e6),
        "large and NaN": (large, np.nan),
        "NaN and leftovers": (np.nan, 3 * v),
        "NaN": (np.nan, np.nan),
    }[free]
    inputs["keys"] = np.where(is_free, left_k, k).astype(dtype)
    inputs["values"] = np.where(is_free, left_v, v).astype(dtype)
    return Case(about, inputs, probe)


def _equal(rng, batch, capacity, head_dim):
    return [int(rng.choice([n for n in range(3, capacity - 1) if n != head_dim]))] * batch


def _different(rng, batch, capacity, head_dim):
    """The first is neither the shortest nor the longest."""
    lengths = [n for n in range(3, capacity - 1) if n != head_dim]
    shortest, first, *others = sorted(int(n) for n in rng.permutation(lengths)[:batch])
    return [first, *(int(n) for n in rng.permutation([shortest, *others]))]


def _in_step(rng):
    return [
        _case(rng, "sequences that are equally long, zeros in the free slots", _equal, "zeros"),
        _case(rng, "a full cache", lambda rng, batch, capacity, _: [capacity] * batch, "zeros", "float32"),
        _case(rng, "the very first token", lambda rng, batch, capacity, _: [1] * batch, "zeros"),
        _case(rng, "one sequence, one head", _equal, "zeros", alone=True),
        # Tells how the free slots come to be seen.
        _case(rng, "leftovers in the free slots", _equal, "leftovers", probe=True),
    ]


def _ragged(rng):
    return [
        _case(rng, "sequences of different lengths", _different, "leftovers", "float32", batch=(3, 4)),
        _case(
            rng,
            "sequences of different lengths, zeros in the free slots",
            _different,
            "zeros",
            probe=True,
            batch=(3, 4),
        ),
    ]


def _free_slots(rng):
    return [
        _case(rng, "NaN in the free slots", _different, "NaN", "float32", batch=(3, 4)),
        _case(
            rng, "large keys and NaN for values in the free slots", _different, "large and NaN", "float32", batch=(3, 4)
        ),
        # Each tells one way to hide a free slot from another.
        _case(rng, "large numbers in the free slots", _different, "large", probe=True, batch=(3, 4)),
        _case(rng, "leftovers in the free slots", _different, "leftovers", probe=True, batch=(3, 4)),
        _case(rng, "NaN for keys in the free slots", _different, "NaN and leftovers", probe=True, batch=(3, 4)),
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


EXERCISE = Exercise(
    name="decode-step",
    title="One query against the cache",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, 1, head_dim): the query of the newest token of each sequence"),
        Parameter("keys", "float array (batch, heads, capacity, head_dim)"),
        Parameter("values", "float array (batch, heads, capacity, v_head_dim)"),
        Parameter(
            "lengths",
            "integer array (batch,): filled slots of each sequence, the newest token's among them; at least 1",
        ),
    ),
    returns=(Output("result", ("batch", "heads", "1", "v_head_dim")),),
    reference=_reference,
    tolerance=ATTENTION,
    given=("softmax",),
    example="""\
>>> q, keys, values = np.ones((1, 1, 1, 4)), np.zeros((1, 1, 3, 4)), np.zeros((1, 1, 3, 1))
>>> keys[0, 0, 1], values[0, 0, :2, 0] = np.log(3) / 2, [10, 20]
>>> decode_step(q, keys, values, np.array([2])).round(6)
array([[[[17.5]]]])""",
    hints=(
        "The newest token may attend to every token that is in the cache, itself included. Which slots hold those?",
        "A slot that you slice away can do no harm. A weight of 0 is not enough: 0 times NaN is NaN.",
        "Go through the sequences one by one. With only the filled slots left, it is the attention of one query: "
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
    mistakes=MISTAKES,
)
