"""blocked-causal-attention: attention from tiles that are handed out one by one, and only where they are needed."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.blocked_answers import ALTERNATIVES
from manyheads.exercises.ch07_tiles.blocked_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.supply import Supply

#: As for attention, with room for weights that are taken from log-sum-exps over 1,000, rounded to 1e-13 or so.
_BLOCKED = {"float64": 2e-12}


def _reference(tile, q_len, k_len, block_q, block_k):
    allowed = reference.causal_mask(q_len, k_len)
    q_blocks, k_blocks = {}, {}
    for i in range(-(-q_len // block_q)):
        for j in range(-(-k_len // block_k)):
            if allowed[i * block_q : (i + 1) * block_q, j * block_k : (j + 1) * block_k].any():
                q_blocks[i], *k_blocks[j] = tile(i, j)
    q = np.concatenate([q_blocks[i] for i in sorted(q_blocks)], axis=2)
    k, v = (np.concatenate([k_blocks[j][n] for j in sorted(k_blocks)], axis=2) for n in (0, 1))
    out = reference.attention(q, k, v, causal=True)
    return np.pad(out, ((0, 0), (0, 0), (q_len - q.shape[2], 0), (0, 0)))  # blocks in front that see no key


def _supply(q, k, v, block_q, block_k):
    """What gives tile (i, j): copies of the i-th block of queries, the j-th of keys and of values."""
    counts = -(-q.shape[2] // block_q), -(-k.shape[2] // block_k)

    def tile(i, j):
        if not (type(i) is int and type(j) is int):
            raise ValueError(f"tile(i, j) takes whole numbers, got {type(i).__name__} and {type(j).__name__}")
        if not (0 <= i < counts[0] and 0 <= j < counts[1]):
            raise IndexError(f"there is no tile ({i}, {j}): i goes from 0 to {counts[0] - 1}, j to {counts[1] - 1}")
        rows, columns = slice(i * block_q, (i + 1) * block_q), slice(j * block_k, (j + 1) * block_k)
        return q[:, :, rows].copy(), k[:, :, columns].copy(), v[:, :, columns].copy()

    tile.__qualname__ = "tile"  # what Python's own messages call it
    return Supply(tile)


def _case(rng, about, q_len, k_len, block_q, block_k, large=False, asks=False, probe=False, alone=False):
    s = sizes.draw(rng, batch=(2, 3), heads=(2, 4), head_dim=(3, 8), v_head_dim=(4, 9), q_len=(q_len, q_len))
    if alone:
        s.update(batch=1, heads=1)
    heads = (s["batch"], s["heads"])
    q = sizes.normal(rng, *heads, q_len, s["head_dim"])
    k = sizes.normal(rng, *heads, k_len, s["head_dim"])
    v = sizes.normal(rng, *heads, k_len, s["v_head_dim"])
    if large:
        q[..., 0], k[..., 0] = 100, 30 + 0.02 * k[..., 0]  # scores well over 1,000, not far from each other
        places = np.indices(q.shape[:3]).sum(axis=0)
        q[..., 0] *= np.where(places % 2, 1, -1)  # and in every other row of every head as far below 0
    inputs = {
        "tile": _supply(q, k, v, block_q, block_k),
        "q_len": q_len,
        "k_len": k_len,
        "block_q": block_q,
        "block_k": block_k,
    }
    return Case(about, inputs, probe, asks=asks)


def _lengths(rng, block_q, block_k, older=0):
    """Lengths that are no multiples of the blocks, with at least three of each; `older` keys more than queries.

    The last block has two queries or more: where it has one, mistakes that differ little would differ in it alone.
    """
    fits = [n for n in range(10, 18) if n % block_q > 1 and (n + older) % block_k]
    q_len = int(rng.choice(fits))
    return q_len, q_len + older


def _values(rng):
    return [
        _case(rng, "older keys, wide blocks of queries", *_lengths(rng, 4, 3, older=5), 4, 3),
        _case(rng, "older keys, wide blocks of keys", *_lengths(rng, 3, 5, older=4), 3, 5),
        _case(rng, "as many queries as keys", *_lengths(rng, 4, 3), 4, 3, alone=True),
        _case(rng, "blocks of one query and one key", 5, 6, 1, 1),
        _case(rng, "one query, as in decoding", 1, 12, 4, 3),
        _case(rng, "a single tile", 5, 7, 8, 16),
    ]


def _tiles(rng):
    return [
        _case(rng, "which tiles are asked for, wide blocks of queries", *_lengths(rng, 5, 3, older=2), 5, 3, asks=True),
        _case(rng, "which tiles are asked for, wide blocks of keys", *_lengths(rng, 3, 4, older=3), 3, 4, asks=True),
        _case(rng, "which tiles are asked for, equal lengths", *_lengths(rng, 4, 3), 4, 3, asks=True),
    ]


def _empty_rows(rng):
    q_len = int(rng.choice([13, 16, 19]))
    return [
        _case(rng, "more queries than keys: blocks that see nothing, and one that sees one key", q_len, 8, 3, 5),
        _case(rng, "more queries than keys: the second block is the first that sees a key", 13, 9, 4, 2),
        _case(rng, "more queries than keys: some queries of a block see nothing", 14, 8, 4, 3),
    ]


def _large(rng):
    return [
        _case(rng, "scores in the thousands, wide blocks of queries", *_lengths(rng, 4, 3, older=5), 4, 3, large=True),
        _case(rng, "scores in the thousands, wide blocks of keys", *_lengths(rng, 3, 5, older=4), 3, 5, large=True),
    ]


EXERCISE = Exercise(
    name="blocked-causal-attention",
    title="Attention, tile by tile",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter(
            "tile",
            "a function. tile(i, j), for whole numbers i and j, gives three float64 arrays: block i of the queries "
            "(batch, heads, up to block_q, head_dim), block j of the keys (batch, heads, up to block_k, head_dim), and "
            "block j of the values (batch, heads, up to block_k, v_head_dim)",
        ),
        Parameter("q_len", "whole number: queries in all, at least 1"),
        Parameter("k_len", "whole number: keys in all, at least 1"),
        Parameter("block_q", "whole number: queries in a block; the last block may have fewer"),
        Parameter("block_k", "whole number: keys in a block; the last block may have fewer"),
    ),
    returns=(Output("result", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=_reference,
    given=("softmax", "causal_mask"),
    tolerance=_BLOCKED,
    example="""
>>> q, k = 2 * np.ones((1, 1, 2, 4)), np.log([1.0, 3.0]).reshape(1, 1, 2, 1) / 4 * np.ones(4)
>>> v = np.array([10.0, 20.0]).reshape(1, 1, 2, 1)
>>> tile = lambda i, j: (q[:, :, i : i + 1], k[:, :, j : j + 1], v[:, :, j : j + 1])
>>> blocked_causal_attention(tile, 2, 2, 1, 1).round(6)[0, 0, :, 0]
array([10. , 17.5])
""",
    hints=(
        "Two loops: over the blocks of queries, and for each over the blocks of keys that some query of it sees. "
        "Skip a tile before you ask for it.",
        "For one block of queries you need the state of part 1, for all sequences and heads at once: arrays "
        "(batch, heads, rows, 1) for the largest score and the total, (batch, heads, rows, v_head_dim) for the "
        "weighted sum.",
        "In a tile on the diagonal some pairs are forbidden. Compare the numbers of the tokens, not of the places in "
        "the tile: query i * block_q + r with key j * block_k + c.",
        "Divide once, after the last tile of a block of queries, and only where the total is not 0.",
        "You know the sizes for np.zeros when the first tile arrives. The last block of queries sees every key, so at "
        "least one does.",
    ),
    aspects=(
        Aspect("values", 3, "the right numbers, causal, for any lengths and blocks", _values),
        Aspect("tiles", 2, "only tiles with an allowed pair are asked for, each of them once", _tiles),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gets 0", _empty_rows),
        Aspect("large scores", 1, "scores in the thousands", _large),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
)
