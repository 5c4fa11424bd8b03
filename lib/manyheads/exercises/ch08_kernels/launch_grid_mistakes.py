"""The known mistakes of launch-grid."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _rows(batch, heads, tiles, row):
    """Row by row from (b, h, x), tiles fastest."""
    return np.array([row(b, h, x) for b in range(batch) for h in range(heads) for x in range(tiles)], np.int64)


def _right(batch, heads, kv_heads, q_len, block_q):
    def row(b, h, x):
        return b, h, h // (heads // kv_heads), x * block_q, min(block_q, q_len - x * block_q)

    return _rows(batch, heads, -(-q_len // block_q), row)


def _always_full(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 4] = block_q
    return rows


def _pushed_back(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 3] = np.clip(rows[:, 3], 0, max(q_len - block_q, 0))
    rows[:, 4] = min(block_q, q_len)
    return rows


def _shared_out_evenly(batch, heads, kv_heads, q_len, block_q):
    rows, tiles = _right(batch, heads, kv_heads, q_len, block_q), -(-q_len // block_q)
    parts = np.array_split(np.arange(q_len), tiles)
    rows[:, 3:] = np.tile(np.array([(part[0], len(part)) for part in parts]), (batch * heads, 1))
    return rows


def _remainder_only(batch, heads, kv_heads, q_len, block_q):
    rows, tiles = _right(batch, heads, kv_heads, q_len, block_q), -(-q_len // block_q)
    rows[tiles - 1 :: tiles, 4] = q_len % block_q
    return rows


def _end_instead_of_number(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 4] += rows[:, 3]
    return rows


def _all_that_is_left(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 4] = q_len - rows[:, 3]
    return rows


def _tile_numbers(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 3] //= block_q
    return rows


def _x_slowest(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    return rows.reshape(batch * heads, -1, 5).swapaxes(0, 1).reshape(-1, 5)


def _sequences_faster_than_heads(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    return rows.reshape(batch, heads, -1, 5).swapaxes(0, 1).reshape(-1, 5)


def _heads_faster_than_tiles(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    return rows.reshape(batch, heads, -1, 5).swapaxes(1, 2).reshape(-1, 5)


def _divided_by_batch(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 0], rows[:, 1] = np.divmod(rows[:, 0] * heads + rows[:, 1], batch)
    rows[:, 2] = rows[:, 1] // (heads // kv_heads)
    return rows


def _last_tile_lost(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    return rows[rows[:, 4] == block_q]


def _a_tile_too_many(batch, heads, kv_heads, q_len, block_q):
    def row(b, h, x):
        return b, h, h // (heads // kv_heads), x * block_q, min(block_q, q_len - x * block_q)

    return _rows(batch, heads, q_len // block_q + 1, row)


def _query_head_as_kv_head(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 2] = rows[:, 1]
    return rows


def _remainder_by_kv_heads(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 2] = rows[:, 1] % kv_heads
    return rows


def _remainder_by_group(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 2] = rows[:, 1] % (heads // kv_heads)
    return rows


def _divided_by_kv_heads(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 2] = rows[:, 1] // kv_heads
    return rows


def _kv_heads_over_the_batch(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 2] += rows[:, 0] * kv_heads
    return rows


def _y_as_head(batch, heads, kv_heads, q_len, block_q):
    rows = _right(batch, heads, kv_heads, q_len, block_q)
    rows[:, 1] += rows[:, 0] * heads
    return rows


_GRID, _SHARING = "Grids, blocks and threads", "Sharing heads without copies"

#: With a single tile, its first query is 0, and there is no order of tiles.
_SEVERAL_TILES = ("whole tiles", "partial tiles", "shared heads")

MISTAKES = (
    Mistake(
        "always-full",
        _always_full,
        "Your last tile has block_q queries, more than are left. A kernel that does that reads past the end: take "
        "what is left from the first query on.",
        _GRID,
        loses=("partial tiles", "few queries"),
    ),
    Mistake(
        "pushed-back",
        _pushed_back,
        "Your last tile is pushed back so that it is full, and does queries of the tile before again. It begins at "
        "x * block_q, and has fewer queries.",
        _GRID,
        loses=("partial tiles",),
    ),
    Mistake(
        "shared-out-evenly",
        _shared_out_evenly,
        "You share out the queries evenly. All tiles but the last have block_q queries: block x begins at x * block_q.",
        _GRID,
        loses=("partial tiles",),
    ),
    Mistake(
        "remainder-only",
        _remainder_only,
        "Your last tile has q_len % block_q queries, and that is 0 where all tiles are full. Take the smaller of "
        "block_q and what is left.",
        _GRID,
        loses=("whole tiles", "shared heads"),
    ),
    Mistake(
        "end-instead-of-number",
        _end_instead_of_number,
        "Your last number says where a tile ends. Asked is how many queries it has.",
        _GRID,
        loses=_SEVERAL_TILES,
    ),
    Mistake(
        "all-that-is-left",
        _all_that_is_left,
        "Your number of queries is all that are left from the first one on. A tile has room for block_q: take the "
        "smaller of the two.",
        _GRID,
        loses=_SEVERAL_TILES,
    ),
    Mistake(
        "tile-numbers",
        _tile_numbers,
        "You give the number of the tile, x. Asked is its first query: x * block_q.",
        _GRID,
        loses=_SEVERAL_TILES,
    ),
    Mistake(
        "x-slowest",
        _x_slowest,
        "In your order the tile changes last. x is fastest: all tiles of one head come first, then those of the next.",
        _GRID,
        loses=_SEVERAL_TILES,
    ),
    Mistake(
        "sequences-faster-than-heads",
        _sequences_faster_than_heads,
        "In your order the sequence changes before the head. y is b * heads + h: all heads of sequence 0 come first.",
        _GRID,
    ),
    Mistake(
        "heads-faster-than-tiles",
        _heads_faster_than_tiles,
        "In your order the head changes before the tile. x is fastest: all tiles of one head come first, then those of "
        "the next.",
        _GRID,
        loses=_SEVERAL_TILES,
    ),
    Mistake(
        "divided-by-batch",
        _divided_by_batch,
        "You divide y by batch. y is b * heads + h, so dividing by heads gives the sequence, and the remainder is the "
        "head.",
        _GRID,
    ),
    Mistake(
        "last-tile-lost",
        _last_tile_lost,
        "Only full tiles have a block, so nobody does the last queries. Round the number of tiles up: "
        "(q_len + block_q - 1) // block_q.",
        _GRID,
        loses=("partial tiles", "few queries"),
    ),
    Mistake(
        "a-tile-too-many",
        _a_tile_too_many,
        "Where all tiles are full you have one more, without queries. q_len // block_q + 1 fits only if there is a "
        "remainder; round up instead.",
        _GRID,
        loses=("whole tiles", "shared heads"),
    ),
    Mistake(
        "query-head-as-kv-head",
        _query_head_as_kv_head,
        "You give the query head as K/V head, and with fewer K/V heads it reads past their end. Divide by the group: "
        "h // (heads // kv_heads).",
        _SHARING,
        loses=("shared heads",),
    ),
    Mistake(
        "remainder-by-kv-heads",
        _remainder_by_kv_heads,
        "You take h % kv_heads, so neighbouring heads read different K/V heads. The heads of a group stand together: "
        "h // group.",
        _SHARING,
        loses=("shared heads",),
    ),
    Mistake(
        "remainder-by-group",
        _remainder_by_group,
        "You take h % group, which is the place of a head inside its group. Its K/V head is the number of the group: "
        "h // group.",
        _SHARING,
    ),
    Mistake(
        "divided-by-kv-heads",
        _divided_by_kv_heads,
        "You divide h by kv_heads. A K/V head is shared by group = heads // kv_heads heads: divide by that.",
        _SHARING,
    ),
    Mistake(
        "kv-heads-over-the-batch",
        _kv_heads_over_the_batch,
        "You count K/V heads on over all sequences, as y // group does. In every sequence they begin at 0: divide the "
        "head, h, and not y.",
        _SHARING,
    ),
    Mistake(
        "y-as-head",
        _y_as_head,
        "You give y as the head. y counts on over the sequences: the head is y % heads.",
        _GRID,
    ),
)
