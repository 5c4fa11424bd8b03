"""needed-tiles: which tiles of the score matrix have a pair that the causal mask allows."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch07_tiles.needed_tiles_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(q_len, k_len, block_q, block_k):
    allowed = reference.causal_mask(q_len, k_len)
    return np.array(
        [
            [allowed[i : i + block_q, j : j + block_k].any() for j in range(0, k_len, block_k)]
            for i in range(0, q_len, block_q)
        ]
    )


def _case(about, *numbers, probe=False):
    names = ("q_len", "k_len", "block_q", "block_k")
    return Case(about, dict(zip(names, map(int, numbers), strict=True)), probe)


def _beyond(rng, length, block):
    """A length with a shorter last block, of at least one and at most `block - 1`."""
    return length * block + int(rng.integers(1, block))


def _equal(rng):
    small, large = (3, 5) if rng.integers(2) else (4, 7)
    length = int(rng.choice([37, 38, 41, 43, 44]))
    return [
        _case("narrow blocks of queries, wide blocks of keys", length, length, small, large),
        _case("wide blocks of queries, narrow blocks of keys", length, length, large, small),
        _case("blocks of one query and one key", 6, 6, 1, 1),
        _case("lengths that are multiples of the blocks", 24, 24, 4, 3),
        _case("a single tile", 5, 5, 8, 16),
    ]


def _fewer(rng):
    block_q, block_k = (3, 4) if rng.integers(2) else (5, 4)
    q_len = _beyond(rng, 3, block_q)
    return [
        _case("new queries behind older keys", q_len, _beyond(rng, 7, block_k), block_q, block_k),
        _case("many older keys, wide blocks of queries", 2 * block_q + 1, 31, block_q + 2, 3),
        _case("a block of keys that begins just behind a block of queries", 9, 13, 4, 2),
        _case("one query, as in decoding", 1, 11, 4, 3),
        _case("two blocks of queries, one block of keys", 7, 9, 4, 16),
    ]


def _more(rng):
    block_q, block_k = (3, 4) if rng.integers(2) else (4, 5)
    k_len = _beyond(rng, 2, block_k)
    # The first query that sees a key stands inside a block, and the last block is shorter.
    fits = [n for n in range(2 * block_q + 1, 6 * block_q) if n % block_q and (k_len + n) % block_q]
    none = int(rng.choice(fits))
    return [
        _case("more queries than keys, so that the first see none", k_len + none, k_len, block_q, block_k),
        _case("more queries than keys, wide blocks of queries", 23, 9, 5, 2),
        _case("more queries than keys, wide blocks of keys", 17, 12, 2, 5),
        _case("fewer queries than keys", 12, 17, 5, 2, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _corner_by_corner(q_len, k_len, block_q, block_k):
    rows = []
    for i in range(0, q_len, block_q):
        position = i + block_q - 1 + k_len - q_len  # past the end in the last block, which sees every key
        rows.append([first_key <= position for first_key in range(0, k_len, block_k)])
    return np.array(rows)


def _counted_from_the_end(q_len, k_len, block_q, block_k):
    queries_after = q_len - np.arange(block_q, q_len + block_q, block_q)
    keys_from = k_len - np.arange(0, k_len, block_k)
    return np.greater.outer(keys_from, queries_after).T


def _reduced_masks(q_len, k_len, block_q, block_k):
    allowed = np.tri(q_len, k_len, k_len - q_len, dtype=bool)
    rows = np.logical_or.reduceat(allowed, range(0, q_len, block_q))
    return np.logical_or.reduceat(rows, range(0, k_len, block_k), axis=1)


def _pair_by_pair(q_len, k_len, block_q, block_k):
    needed = np.zeros((-(-q_len // block_q), -(-k_len // block_k)), bool)
    for query in range(q_len):
        for key in range(k_len):
            if q_len - query <= k_len - key:
                needed[query // block_q, key // block_k] = True
    return needed


def _tiles_in_a_row(q_len, k_len, block_q, block_k):
    starts = np.arange(0, k_len, block_k)
    rows = []
    for end in range(block_q, q_len + block_q, block_q):
        count = (k_len - q_len + end + block_k - 1) // block_k
        rows.append(np.arange(starts.size) < count)
    return np.stack(rows)


EXERCISE = Exercise(
    name="needed-tiles",
    title="Which tiles are needed",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter("q_len", "whole number: queries, at least 1"),
        Parameter("k_len", "whole number: keys, at least 1"),
        Parameter("block_q", "whole number: queries in a block; the last block may have fewer"),
        Parameter("block_k", "whole number: keys in a block; the last block may have fewer"),
    ),
    returns=(Output("result", ("query blocks", "key blocks"), "bool"),),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> needed_tiles(5, 6, 2, 4)
array([[ True, False],
       [ True,  True],
       [ True,  True]])
""",
    hints=(
        "How many blocks are there? 5 queries in blocks of 2 make 3 blocks: the division is rounded up.",
        "Draw the mask of the example, 5 rows and 6 columns, and lines between the blocks. Which query of a block sees "
        "the most keys? Which key of a block is seen by the most queries?",
        "So one pair decides: the last query of the block and the first key. Write down its two numbers.",
        "Query number i sees key number j where j <= i + k_len - q_len.",
    ),
    aspects=(
        Aspect("equal lengths", 2, "as many queries as keys", _equal),
        Aspect("older keys", 1, "more keys than queries", _fewer),
        Aspect("empty rows", 1, "more queries than keys, so that the first queries see none", _more),
    ),
    alternatives={
        "corner by corner": _corner_by_corner,
        "counted from the end": _counted_from_the_end,
        "masks reduced by blocks": _reduced_masks,
        "pair by pair": _pair_by_pair,
        "tiles in a row, counted": _tiles_in_a_row,
    },
    mistakes=MISTAKES,
)
