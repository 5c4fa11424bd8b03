"""The known mistakes of needed-tiles."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _top_left(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) <= last[:, None]


def _top_left_past_the_end(q_len, k_len, block_q, block_k):
    last = np.arange(block_q, q_len + block_q, block_q) - 1
    return np.arange(0, k_len, block_k) <= last[:, None]


def _shift_the_wrong_way(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) <= last[:, None] + q_len - k_len


def _never_before_the_first_key(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) <= np.maximum(last[:, None] + k_len - q_len, 0)


def _rounded_towards_0(q_len, k_len, block_q, block_k):
    last = np.arange(block_q, q_len + block_q, block_q) - 1 + k_len - q_len
    last_blocks = (last / block_k).astype(int)
    return np.arange(-(-k_len // block_k)) <= last_blocks[:, None]


def _shift_never_negative(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) <= last[:, None] + max(k_len - q_len, 0)


def _all_pairs(q_len, k_len, block_q, block_k):
    first = np.arange(0, q_len, block_q)[:, None]
    last_key = np.minimum(np.arange(block_k, k_len + block_k, block_k), k_len) - 1
    return last_key <= first + k_len - q_len


def _first_query(q_len, k_len, block_q, block_k):
    return np.arange(0, k_len, block_k) <= np.arange(0, q_len, block_q)[:, None] + k_len - q_len


def _last_key(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    last_key = np.minimum(np.arange(block_k, k_len + block_k, block_k), k_len) - 1
    return last_key <= last[:, None] + k_len - q_len


def _end_of_both_blocks(q_len, k_len, block_q, block_k):
    end = np.arange(block_q, q_len + block_q, block_q)
    return np.arange(block_k, k_len + block_k, block_k) <= end[:, None] + k_len - q_len


def _only_earlier_keys(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) < last[:, None] + k_len - q_len


def _one_query_too_far(q_len, k_len, block_q, block_k):
    end = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len)
    return np.arange(0, k_len, block_k) <= end[:, None] + k_len - q_len


def _block_numbers_compared(q_len, k_len, block_q, block_k):
    return np.tri(-(-q_len // block_q), -(-k_len // block_k), dtype=bool)


def _block_numbers_from_the_end(q_len, k_len, block_q, block_k):
    q_blocks, k_blocks = -(-q_len // block_q), -(-k_len // block_k)
    return np.tri(q_blocks, k_blocks, k_blocks - q_blocks, dtype=bool)


def _blocks_exchanged(q_len, k_len, block_q, block_k):
    i = np.arange(-(-q_len // block_q))[:, None]
    last = np.minimum((i + 1) * block_k, q_len) - 1
    return np.arange(-(-k_len // block_k)) * block_q <= last + k_len - q_len


def _every_tile(q_len, k_len, block_q, block_k):
    return np.ones((-(-q_len // block_q), -(-k_len // block_k)), bool)


def _inverted(q_len, k_len, block_q, block_k):
    last = np.minimum(np.arange(block_q, q_len + block_q, block_q), q_len) - 1
    return np.arange(0, k_len, block_k) > last[:, None] + k_len - q_len


def _last_blocks_lost(q_len, k_len, block_q, block_k):
    i, j = np.arange(q_len // block_q)[:, None], np.arange(k_len // block_k)
    return j * block_k <= (i + 1) * block_q - 1 + k_len - q_len


def _a_block_too_many(q_len, k_len, block_q, block_k):
    i, j = np.arange(q_len // block_q + 1)[:, None], np.arange(k_len // block_k + 1)
    return j * block_k <= (i + 1) * block_q - 1 + k_len - q_len


_NEEDED, _RIGHT, _COUNT = "Which tiles are needed", "Aligned at the bottom right", "How many blocks"
_UNEQUAL = ("older keys", "empty rows")

MISTAKES = (
    Mistake(
        "top-left",
        _top_left,
        "Your mask starts at the top left: query i is taken for the token i. The queries are the newest tokens, so "
        "query i stands at the position i + k_len - q_len among the keys.",
        _RIGHT,
        loses=_UNEQUAL,
    ),
    Mistake(
        "top-left-past-the-end",
        _top_left_past_the_end,
        "Your mask starts at the top left: query i is taken for the token i, and the last block reaches past the last "
        "query. The queries are the newest tokens, so query i stands at the position i + k_len - q_len among the keys.",
        _RIGHT,
        loses=_UNEQUAL,
    ),
    Mistake(
        "shift-the-wrong-way",
        _shift_the_wrong_way,
        "Your queries are moved the wrong way: by q_len - k_len. Query i stands at the position i + k_len - q_len: "
        "farther along where there are more keys.",
        _RIGHT,
        loses=_UNEQUAL,
    ),
    Mistake(
        "never-before-the-first-key",
        _never_before_the_first_key,
        "A block of queries that sees no key has a True for its first tile. Its position, i + k_len - q_len, is "
        "negative, and stays so: np.maximum(…, 0) makes key 0 of it.",
        _RIGHT,
        loses=("empty rows",),
    ),
    Mistake(
        "rounded-towards-0",
        _rounded_towards_0,
        "A block of queries that ends just before the first key has a True for its first tile. Its last position is "
        "negative, and int(…) rounds towards 0: of -0.5 it makes 0, block 0. // rounds down, to -1.",
        _RIGHT,
        loses=("empty rows",),
    ),
    Mistake(
        "shift-never-negative",
        _shift_never_negative,
        "With more queries than keys you align the mask at the top left. The rule is the same there: query i stands "
        "at i + k_len - q_len, and where that is negative it sees no key.",
        _RIGHT,
        loses=("empty rows",),
    ),
    Mistake(
        "all-pairs",
        _all_pairs,
        "Only tiles that are allowed as a whole are True. The tiles on the diagonal, with some pairs allowed and some "
        "not, are needed too: one allowed pair is enough.",
        _NEEDED,
    ),
    Mistake(
        "first-query",
        _first_query,
        "You decide by the first query of a block. The last one sees the most keys: if it sees the first key of the "
        "other block, the tile is needed.",
        _NEEDED,
    ),
    Mistake(
        "last-key",
        _last_key,
        "You decide by the last key of a block, so a tile of which only the first keys are seen is missing. The first "
        "key of a block is the one that most queries see.",
        _NEEDED,
    ),
    Mistake(
        "end-of-both-blocks",
        _end_of_both_blocks,
        "You compare where the blocks end, (j + 1) * block_k with (i + 1) * block_q, also past the end of the "
        "sequence. A tile of which only the first keys are seen is missing: take the first key, j * block_k.",
        _NEEDED,
    ),
    Mistake(
        "only-earlier-keys",
        _only_earlier_keys,
        "Your query does not see the key of its own position, so tiles are missing in which that is the only pair. It "
        "is <=, not <. (Or your last query of a block is one too early.)",
        _NEEDED,
    ),
    Mistake(
        "one-query-too-far",
        _one_query_too_far,
        "Your last query of a block is one too far: it is the first of the next block. A block that begins at query s "
        "ends with query s + block_q - 1.",
        _NEEDED,
    ),
    Mistake(
        "block-numbers-compared",
        _block_numbers_compared,
        "You compare the numbers of the blocks, j <= i. That fits only where both kinds of blocks have the same size, "
        "and both lengths too. Compare the numbers of tokens: block i begins at token i times its size.",
        _NEEDED,
    ),
    Mistake(
        "block-numbers-from-the-end",
        _block_numbers_from_the_end,
        "You made a causal mask of blocks. Blocks of queries and of keys have different sizes, and their edges do not "
        "meet; compare the numbers of tokens instead.",
        _NEEDED,
    ),
    Mistake(
        "blocks-exchanged",
        _blocks_exchanged,
        "block_q and block_k have changed places in your comparison: the queries are counted in blocks of keys, and "
        "the keys in blocks of queries.",
        _NEEDED,
    ),
    Mistake(
        "every-tile",
        _every_tile,
        "Every tile is True. A tile whose keys all come after its queries has no allowed pair, and about half of them "
        "are like that when the lengths are equal.",
        _NEEDED,
    ),
    Mistake(
        "inverted",
        _inverted,
        "Your array is the wrong way round: True where a tile has no allowed pair. It is True where one is needed.",
        _NEEDED,
    ),
    Mistake(
        "last-blocks-lost",
        _last_blocks_lost,
        "The shorter blocks at the end are missing: // rounds down. The number of blocks is rounded up, for instance "
        "by (length + block - 1) // block.",
        _COUNT,
    ),
    Mistake(
        "a-block-too-many",
        _a_block_too_many,
        "Where the length is a multiple of the block, you have a block too many, with nothing in it. "
        "length // block + 1 is right only where something is left over; (length + block - 1) // block always is.",
        _COUNT,
        loses=("equal lengths",),
    ),
)
