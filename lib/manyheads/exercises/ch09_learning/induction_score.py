"""induction-score: how much of its attention a head gives to what came after the same token last time."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch09_learning import inputs
from manyheads.exercises.ch09_learning.induction_score_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(weights, tokens):
    total, count = np.zeros(weights.shape[1]), 0
    for maps, row in zip(weights, tokens.tolist(), strict=True):
        for i, token in enumerate(row):
            earlier = [p for p in range(i) if row[p] == token]
            if earlier:
                total += maps[:, i, earlier[-1] + 1]
                count += 1
    return (total / max(count, 1)).astype(weights.dtype)


def _row(rng, names, in_a_row):
    """A sequence in which one token comes three times or more; the first comes back, and the last was there before.

    `in_a_row`: whether a token follows itself.
    """
    while True:
        row = names[rng.integers(0, len(names) // 2 + 1, len(names))].tolist()
        twice = any(row[i] == row[i - 1] for i in range(1, len(row)))
        again = row[0] in row[1:] and row[-1] in row[:-1]
        if again and twice is in_a_row and max(row.count(token) for token in row) > 2:
            return row


def _own_endings(tokens):
    """No other sequence has the token at the end of this one.

    So a place that is kept from a sequence before is a wrong place, and not one outside of the map.
    """
    for b, row in enumerate(tokens):
        row[row == row[-1]] = 90 + b
    return tokens


def _tokens(rng, batch, seq, in_a_row=False, without=0):
    """Sequences with one token three times or more, not all with as many repeats.

    `without`: so many have no repeat; the first is none of these.
    """
    names = rng.permutation(90)[:seq]
    rows: list[list[int]] = []
    while len({len(set(row)) for row in rows}) < min(2, batch - without):
        rows = [_row(rng, names, in_a_row) for _ in range(batch - without)]
    alone = [rng.permutation(names) for _ in range(without)]
    others = [*rows[1:], *alone]
    return _own_endings(np.array([rows[0], *(others[i] for i in rng.permutation(len(others)))]))


def _inputs(rng, dtype="float64", in_a_row=False, without=0, **ranges):
    s = sizes.draw(rng, **{"batch": (2, 4), "heads": (3, 6), "seq": (8, 11), **ranges})
    return {
        "weights": inputs.causal_weights(rng, s["batch"], s["heads"], s["seq"], dtype),
        "tokens": _tokens(rng, s["batch"], s["seq"], in_a_row, without),
    }


def _repeated_half(rng):
    """The second half repeats the first, and nothing else does."""
    found = _inputs(rng, batch=(3, 3), heads=(4, 5), seq=(10, 10))
    halves = [rng.permutation(90)[:5] for _ in range(3)]
    return {**found, "tokens": _own_endings(np.array([[*half, *half] for half in halves]))}


def _one_without(rng, probe=False, dtype="float64"):
    about = "one of the sequences has no repeat"
    return Case(about, _inputs(rng, dtype, without=1, batch=(3, 4), heads=(5, 6)), probe)


def _values(rng):
    return [
        Case("repeats at any distance, some tokens three times", _inputs(rng)),
        Case("the second half repeats the first", _repeated_half(rng)),
        Case("one sequence", _inputs(rng, batch=(1, 1))),
        _one_without(rng, probe=True),  # tells two ways to average the sequences apart, here and below
    ]


def _twice_in_a_row(rng):
    return [
        Case("tokens that come twice in a row, and other repeats", _inputs(rng, in_a_row=True)),
        _one_without(rng, probe=True),
    ]


def _no_repeats(rng):
    none = _inputs(rng)
    names = rng.permutation(90)[: none["weights"].shape[2]]
    none["tokens"] = _own_endings(np.array([rng.permutation(names) for _ in none["tokens"]]))
    return [
        _one_without(rng),
        Case("no sequence has a repeat", none),
    ]


def _float32(rng):
    return [Case("float32 weights", _inputs(rng, "float32")), _one_without(rng, probe=True, dtype="float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _last_seen(weights, tokens):
    found = []
    for maps, row in zip(weights.swapaxes(1, 2), tokens):  # noqa: B905 - as many maps as sequences
        seen = {}
        for i, token in enumerate(row):
            if token in seen:
                found.append(maps[i, :, seen[token] + 1])
            seen[token] = i
    return np.mean(found, axis=0) if found else np.zeros(weights.shape[1], weights.dtype)


def _all_pairs(weights, tokens):
    pairs = np.tril(tokens[:, :, None] == tokens[:, None], -1)
    _, seq, _ = pairs.shape
    after = seq - pairs[:, :, ::-1].argmax(axis=2)  # of the latest, counted from the end, and one farther
    batch, query = pairs.any(axis=2).nonzero()
    found = weights[batch, :, query, after[batch, query]]
    return found.sum(axis=0) / (len(found) or np.inf)


def _backwards(weights, tokens):
    total, count = np.zeros(weights.shape[1], weights.dtype), 0
    for b, row in enumerate(tokens):
        for i, token in enumerate(row):
            for p in reversed(range(i)):
                if row[p] == token:
                    total += weights[b, :, i, p + 1]
                    count += 1
                    break
    return total / count if count else total


def _target_map(weights, tokens):
    batch, _, seq, _ = weights.shape
    wanted = np.zeros((batch, seq, seq), bool)
    for b, row in enumerate(tokens):
        for i, token in enumerate(row):
            for p in np.flatnonzero(row[:i] == token)[-1:]:
                wanted[b, i, p + 1] = True
    total = np.einsum("bhij,bij->h", weights, wanted)
    return total / int(wanted.sum()) if wanted.any() else total


def _from_the_earlier_token(weights, tokens):
    picked = []
    for b, row in enumerate(tokens.tolist()):
        for p, token in enumerate(row):
            if token in row[p + 1 :]:
                i = row.index(token, p + 1)  # its next time: for that query, p is the latest
                picked.append(weights[b, :, i, p + 1])
    return np.sum(picked, axis=0) / len(picked) if picked else np.zeros(weights.shape[1], weights.dtype)


EXERCISE = Exercise(
    name="induction-score",
    title="Heads that continue what came before",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter("weights", "float array (batch, heads, seq, seq): row i of a map has the weights of query i, causal"),
        Parameter("tokens", "integer array (batch, seq): the tokens of each sequence"),
    ),
    returns=(Output("result", ("heads",)),),
    reference=_reference,
    tolerance=inputs.MEAN,
    example="""
>>> weights = np.zeros((1, 1, 4, 4))
>>> weights[0, 0, 2] = [0.125, 0.75, 0.125, 0.0]
>>> weights[0, 0, 3] = [0.125, 0.125, 0.25, 0.5]
>>> induction_score(weights, np.array([[5, 8, 5, 8]])), induction_score(weights, np.array([[5, 8, 5, 6]]))
(array([0.5]), array([0.75]))
""",
    hints=(
        "Write down, for one short sequence, each query whose token came before, the place p where it came last, and "
        "the key p + 1. Which entries of the map are these?",
        "Plain loops over sequences and queries are fine. Add up the weights, an array with one number for each head, "
        "and count how many queries you added.",
        "A dictionary from token to the place where it was last seen gives p at once. Look up first and note the own "
        "place afterwards: else p is i itself, and for the last query the key p + 1 is out of bounds. Every sequence "
        "begins with an empty dictionary.",
        "Divide once, at the end, by the count over all sequences. What if it is 0? And which dtype does your total "
        "begin with?",
    ),
    aspects=(
        Aspect("values", 2, "repeats at any distance, some tokens three times or more", _values),
        Aspect("twice in a row", 1, "a token that follows itself: the key p + 1 is the query's own", _twice_in_a_row),
        Aspect("no repeats", 1, "sequences without a repeat are left out; without any repeat, 0", _no_repeats),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "last seen": _last_seen,
        "all pairs": _all_pairs,
        "backwards": _backwards,
        "a map of what is wanted": _target_map,
        "from the earlier token": _from_the_earlier_token,
    },
    mistakes=MISTAKES,
)
