"""ring-decode: one query against a ring, and which token is in which slot."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch04_kv_cache.ring_decode_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, keys, values, length):
    batch, window = keys.shape[0], keys.shape[2]
    filled = np.full(batch, min(length, window))
    out = reference.attention(q, keys, values, mask=reference.padding_mask(filled, window))
    ring = reference.KVCache(1, 1, 1, window=window)
    tokens = np.zeros((1, 1, length, 1), "float32")
    ring.append(tokens[:, :, 1:], tokens[:, :, 1:])
    held = ring.append(tokens[:, :, :1], tokens[:, :, :1]).key_positions[0]
    positions = np.full(window, -1)
    positions[: held.size] = held
    return out, positions


def _case(rng, about, length, dtype="float64", probe=False, leftovers=1e12, alone=False):
    """`length` gives a number of tokens for a window."""
    s = sizes.draw(rng, batch=(2, 3), heads=(2, 5), window=(7, 10), head_dim=(3, 8), v_head_dim=(2, 6))
    if alone:
        s.update(batch=1, heads=1)
    heads, window = s["heads"], s["window"]
    seen = int(length(rng, window))
    inputs = {
        "q": sizes.normal(rng, s["batch"], heads, 1, s["head_dim"], dtype=dtype),
        "keys": sizes.normal(rng, s["batch"], heads, window, s["head_dim"], dtype=dtype),
        "values": sizes.normal(rng, s["batch"], heads, window, s["v_head_dim"], dtype=dtype),
        "length": seen,
    }
    # Leftovers in the free slots: with 1e12, every free slot has a score in one head or another so high that -1e9
    # more does not hide it.
    signs = (-1.0) ** np.add.outer(np.arange(heads), np.arange(seen, window))[..., None]
    inputs["keys"][:, :, seen:] = signs * np.sign(inputs["q"]) * leftovers
    inputs["values"][:, :, seen:] *= 5
    return Case(about, inputs, probe)


def _some(rng, window):
    return rng.integers(3, window - 2)


def _once_round(rng, window):
    return window + rng.integers(3, window - 1)


def _often_round(rng, window):
    return window * rng.integers(2, 5) + rng.integers(3, window - 1)


def _filling(rng):
    return [
        _case(rng, "fewer tokens than slots", _some),
        _case(rng, "fewer tokens than slots, float32", _some, "float32"),
        _case(rng, "the very first token", lambda rng, window: 1),
        _case(rng, "one sequence, one head", _some, alone=True, leftovers=1.0),
        _case(rng, "fewer tokens than slots, small leftovers", _some, probe=True, leftovers=1.0),
        _case(rng, "a full ring with overwritten tokens", _once_round, probe=True),
    ]


def _full(rng):
    return [
        _case(rng, "a full ring with overwritten tokens", _once_round),
        _case(rng, "a ring that was filled several times over, float32", _often_round, "float32"),
        _case(rng, "exactly as many tokens as slots", lambda rng, window: window),
        _case(rng, "fewer tokens than slots", _some, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _marked_in_turn(q, keys, values, length):
    positions = np.full(values.shape[2], -1, np.int64)
    for token in range(length):
        positions[token % values.shape[2]] = token
    filled = positions >= 0
    scores = np.einsum("bhqd,bhkd->bhqk", q, keys[:, :, filled]) * keys.shape[3] ** -0.5
    return np.einsum("bhqk,bhkd->bhqd", reference.softmax(scores), values[:, :, filled]), positions


def _latest_of_its_residue(q, keys, values, length):
    window = values.shape[2]
    slot = np.arange(window)
    positions = (slot + (length - 1 - slot) // window * window).clip(-1)
    scores = np.matmul(q, keys.swapaxes(2, 3), dtype="float64") / np.sqrt(keys.shape[3])
    scores = np.where(positions < 0, -np.inf, scores)
    return (reference.softmax(scores) @ values).astype(values.dtype), positions


def _by_age(q, keys, values, length):
    window = values.shape[2]
    survivors = np.arange(length)[-window:]
    slots = survivors % window
    positions = np.full(window, -1)
    positions[slots] = survivors
    weights = np.exp((q * keys.shape[3] ** -0.5) @ keys[:, :, slots].swapaxes(2, 3))
    out = weights @ values[:, :, slots] / weights.sum(axis=3, keepdims=True)
    return np.asfortranarray(out), positions


def _counted_back(q, keys, values, length):
    positions = [-1] * values.shape[2]
    out = np.zeros_like(values[:, :, :1])
    total = 0
    for token in range(length)[::-1][: values.shape[2]]:
        slot = token % values.shape[2]
        positions[slot] = token
        score = (q * keys[:, :, slot : slot + 1]).sum(axis=3, keepdims=True) * keys.shape[3] ** -0.5
        out += np.exp(score) * values[:, :, slot : slot + 1]
        total = total + np.exp(score)
    return out / total, np.array(positions)


EXERCISE = Exercise(
    name="ring-decode",
    title="One query against the ring",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, 1, head_dim): the query of the newest token of each sequence"),
        Parameter("keys", "float array (batch, heads, window, head_dim): a ring, the newest key in it already"),
        Parameter("values", "float array (batch, heads, window, v_head_dim): a ring likewise"),
        Parameter("length", "whole number: tokens seen so far, the newest included; at least 1"),
    ),
    returns=(
        Output("result", ("batch", "heads", "1", "v_head_dim")),
        Output("positions", ("window",), "int"),
    ),
    reference=_reference,
    tolerance=ATTENTION,
    given=("softmax",),
    example="""\
>>> keys, values = np.zeros((1, 1, 3, 1)), np.array([40.0, 20.0, 30.0]).reshape(1, 1, 3, 1)
>>> ring_decode(np.ones((1, 1, 1, 1)), keys, values, 4)
(array([[[[30.]]]]), array([3, 1, 2]))""",
    hints=(
        "Write out a window of 3 by hand: the slots after 1, 2, 3, 4 and 5 tokens. When is a slot free, and which "
        "slots may the newest token see once none is?",
        "The order of the keys makes no difference to one query's softmax, so that no sorting is needed. Only the "
        "free slots have to go.",
        "A slot holds the newest of all tokens whose number leaves the slot's number as remainder. A loop over the "
        "tokens, oldest first, that notes each in its slot finds it.",
    ),
    aspects=(
        Aspect("filling", 2, "fewer tokens than slots: the rest holds leftovers that mean nothing", _filling),
        Aspect("full", 2, "as many tokens as slots, or more", _full),
    ),
    alternatives={
        "marked in turn": _marked_in_turn,
        "latest of its residue": _latest_of_its_residue,
        "by age": _by_age,
        "counted back": _counted_back,
    },
    mistakes=MISTAKES,
)
