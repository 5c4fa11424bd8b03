"""launch-grid: which sequence, heads and queries each block of a launch has to do."""

import numpy as np

from manyheads.exercises.ch08_kernels.launch_grid_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(batch, heads, kv_heads, q_len, block_q):
    kv_head_of = np.repeat(np.arange(kv_heads), heads // kv_heads)
    return np.array(
        [
            (b, h, kv_head_of[h], first, len(range(first, min(first + block_q, q_len))))
            for b in range(batch)
            for h in range(heads)
            for first in range(0, q_len, block_q)
        ],
        np.int64,
    )


def _case(about, *numbers, probe=False):
    names = ("batch", "heads", "kv_heads", "q_len", "block_q")
    return Case(about, dict(zip(names, map(int, numbers), strict=True)), probe)


def _whole(rng):
    batch, heads = rng.permutation([2, 3, 5, 7])[:2]
    tiles, block_q = ((4, 6), (6, 4), (4, 9), (6, 8))[int(rng.integers(4))]
    return [
        _case("queries that fill their tiles", batch, heads, heads, tiles * block_q, block_q),
        _case("one tile of queries", batch + 1, heads + 3, heads + 3, 16, 16),
        # Which rule it is where a tile is not full, or K/V heads are shared.
        _case("a last tile that is not full", batch, heads, heads, tiles * block_q + 1, block_q, probe=True),
        _case("shared K/V heads", 5, 8, 2, 12, 4, probe=True),
    ]


def _partial(rng):
    batch, heads = rng.permutation([2, 3, 5, 7])[:2]
    block_q = int(rng.choice([8, 9, 11]))
    q_len = int(rng.integers(3, 6)) * block_q + int(rng.integers(2, block_q - 1))
    return [
        _case("a last tile that is not full", batch, heads, heads, q_len, block_q),
        _case("two tiles, the last with one query", heads, batch, batch, block_q + 1, block_q),
        _case("shared K/V heads", 5, 8, 2, 12, 4, probe=True),
    ]


def _few(rng):
    """Of their own: who rounds down gets an empty array here, and there are many kinds of those."""
    batch, heads = rng.permutation([2, 3, 5, 7])[:2]
    block_q = int(rng.choice([8, 9, 11]))
    return [
        _case("fewer queries than a tile has room for", batch, heads + 1, heads + 1, block_q - 2, block_q),
        _case("one query, as in decoding", batch, heads, heads, 1, 16),
        _case("a last tile that is not full", heads, batch, batch, 3 * block_q + 2, block_q, probe=True),
        _case("shared K/V heads", 5, 8, 2, 12, 4, probe=True),
    ]


def _shared(rng):
    kv_heads, group = ((2, 3), (2, 4), (3, 4), (4, 3))[int(rng.integers(4))]
    batch, tiles, block_q = ((5, 7, 10), (7, 5, 9), (5, 9, 7))[int(rng.integers(3))]
    return [
        _case("shared K/V heads", batch, kv_heads * group, kv_heads, tiles * block_q, block_q),
        _case("one K/V head for all", batch, kv_heads * group, 1, tiles * block_q, block_q),
        _case("as many K/V heads as in a group", 2, 9, 3, 16, 4),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _from_the_number_of_a_block(batch, heads, kv_heads, q_len, block_q):
    tiles = (q_len + block_q - 1) // block_q
    y, x = np.divmod(np.arange(tiles * heads * batch), tiles)
    first = block_q * x
    head = y % heads
    return np.stack([y // heads, head, head * kv_heads // heads, first, np.clip(q_len - first, None, block_q)], axis=1)


def _an_axis_for_each_number(batch, heads, kv_heads, q_len, block_q):
    firsts = np.arange(0, q_len, block_q)
    counts = np.diff(np.append(firsts, q_len))
    grid = np.empty((batch, heads, firsts.size, 5), np.int64)
    grid[..., 0] = np.arange(batch)[:, None, None]
    grid[..., 1] = np.arange(heads)[:, None]
    grid[..., 2] = np.repeat(np.arange(kv_heads), heads // kv_heads)[:, None]
    grid[..., 3], grid[..., 4] = firsts, counts
    return grid.reshape(-1, 5)


def _queries_counted_one_by_one(batch, heads, kv_heads, q_len, block_q):
    grid = []
    for b in range(batch):
        for kv_head in range(kv_heads):
            for member in range(heads // kv_heads):
                for query in range(q_len):
                    if query % block_q == 0:
                        grid.append([b, kv_head * heads // kv_heads + member, kv_head, query, 0])
                    grid[-1][4] += 1
    return np.array(grid)


def _by_repeating(batch, heads, kv_heads, q_len, block_q):
    one_head = [(q, min(q_len, q + block_q) - q) for q in range(0, q_len, block_q)]
    tiles = len(one_head)
    b = np.repeat(np.arange(batch), heads * tiles)
    h = np.tile(np.repeat(np.arange(heads), tiles), batch)
    return np.column_stack([b, h, h // (heads // kv_heads), np.tile(np.array(one_head), (heads * batch, 1))])


EXERCISE = Exercise(
    name="launch-grid",
    title="Who does what: the grid",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("batch", "whole number: sequences"),
        Parameter("heads", "whole number: query heads"),
        Parameter("kv_heads", "whole number: K/V heads; divides heads"),
        Parameter("q_len", "whole number: queries in a sequence, at least 1"),
        Parameter("block_q", "whole number: queries in a tile; the last tile may have fewer"),
    ),
    returns=(
        Output(
            "result",
            ("block", "column"),
            "int",
            about="an array (blocks, 5) of whole numbers, a row for each block in the order described: sequence, "
            "query head, K/V head, first query, number of queries",
        ),
    ),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> launch_grid(batch=1, heads=2, kv_heads=1, q_len=5, block_q=4).tolist()
[[0, 0, 0, 0, 4], [0, 0, 0, 4, 1], [0, 1, 0, 0, 4], [0, 1, 0, 4, 1]]
""",
    hints=(
        "How many tiles has a sequence? 5 queries in tiles of 4 make 2 tiles: the division is rounded up.",
        "Two loops give the order of the blocks: y outside, x inside. From y, `divmod(y, heads)` gives two of the five "
        "numbers.",
        "The last tile begins at x * block_q like any other. How many queries are there from that one to the end of "
        "the sequence?",
        "The heads of a group stand together and read the same K/V head. With heads = 6 and kv_heads = 2, heads 0, 1 "
        "and 2 read K/V head 0.",
    ),
    aspects=(
        Aspect("whole tiles", 1, "tiles that are all full, as many K/V heads as query heads", _whole),
        Aspect("partial tiles", 1, "a last tile that is not full, down to a single query", _partial),
        Aspect("few queries", 1, "fewer queries than one tile has room for, as in decoding", _few),
        Aspect("shared heads", 1, "fewer K/V heads than query heads", _shared),
    ),
    alternatives={
        "from the number of a block": _from_the_number_of_a_block,
        "an axis for each number": _an_axis_for_each_number,
        "queries counted one by one": _queries_counted_one_by_one,
        "by repeating": _by_repeating,
    },
    mistakes=MISTAKES,
)
