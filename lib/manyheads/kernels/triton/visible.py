"""Which keys a query sees, and which blocks are walked at all.

A band is ``(left, right, length, shift)``. Query i stands at position ``i + shift``, with ``shift = k_len - q_len``
(bottom-right), and sees the keys from ``position - left`` to ``position + right``, as far as they lie before `length`.
None for `left` or `right` is no limit, and costs nothing: the compiler drops what depends on it.
"""

import triton
import triton.language as tl


@triton.jit
def in_band(queries, keys, band):
    """Query against key, whichever of the two runs along the rows: they broadcast."""
    left, right, length, shift = band
    allowed = keys < length
    if left is not None:
        allowed = allowed & (keys >= queries + shift - left)
    if right is not None:
        allowed = allowed & (keys <= queries + shift + right)
    return allowed


@triton.jit
def seen_by_some(keys, band):
    """The keys that some query sees. The others are not read: what lies there may be anything, even NaN."""
    left, _, length, shift = band
    seen = keys < length
    if left is not None:
        seen = seen & (keys >= shift - left)
    return seen


@triton.jit
def key_blocks(first_query, end_query, band, BLOCK_K: tl.constexpr):
    """Keys that a block of queries walks: from `first` to `end`, of which `full_first` to `full_end` need no mask.

    `first`, `full_first` and `full_end` are multiples of the block. The full part may be empty (its end is then no
    larger than its beginning).
    """
    left, right, length, shift = band
    first = 0
    full_first = 0
    end = length
    full_end = length
    if left is not None:  # the first query's window begins first, the last query's begins last
        first = tl.maximum(first_query + shift - left, 0) // BLOCK_K * BLOCK_K
        full_first = tl.cdiv(tl.maximum(end_query - 1 + shift - left, 0), BLOCK_K) * BLOCK_K
    if right is not None:
        end = tl.minimum(length, end_query + shift + right)
        full_end = tl.minimum(length, first_query + 1 + shift + right)
    full_end = tl.maximum(full_end, 0) // BLOCK_K * BLOCK_K
    return first, full_first, full_end, end


@triton.jit
def query_blocks(first_key, band, q_len, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    """Queries that a block of keys walks, as `key_blocks`. Rows after the last query do no harm: they hold zeros."""
    left, right, length, shift = band
    end_key = first_key + BLOCK_K
    first = 0
    full_first = 0
    end = q_len
    full_end = tl.cdiv(q_len, BLOCK_Q) * BLOCK_Q
    if right is not None:
        first = tl.maximum(first_key - shift - right, 0) // BLOCK_Q * BLOCK_Q
        full_first = tl.cdiv(tl.maximum(end_key - 1 - shift - right, 0), BLOCK_Q) * BLOCK_Q
    if left is not None:
        end = tl.minimum(q_len, end_key - shift + left)
        full_end = tl.minimum(full_end, tl.maximum(first_key + 1 - shift + left, 0) // BLOCK_Q * BLOCK_Q)
    full_end = tl.where(end_key <= length, full_end, 0)  # a block with keys that nobody sees is never full
    end = tl.where(first_key < length, end, 0)
    return first, full_first, full_end, end
