"""Decoding: few queries, many keys. The keys are split over programs, or most of the GPU would have nothing to do."""

import triton
import triton.language as tl

from manyheads.kernels.triton.scores import scores_and_slopes
from manyheads.kernels.triton.tiles import load_tile, of_head
from manyheads.kernels.triton.visible import in_band, key_blocks, seen_by_some


@triton.jit(do_not_specialize=["left", "right", "group", "q_len", "k_len", "splits"])
def decode_split_kernel(
    q, q_strides, k, k_strides, v, v_strides, lengths, parts, logs, left, right, scale, softcap, group, q_len, k_len,
    splits, HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr, V_COLUMNS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Grid (splits, K/V heads x blocks of rows, batch). Attention over one stretch of the keys, as if it were all.

    The rows of a tile are all the queries of all the query heads that share a K/V head: so each key is read once for
    the group, and tl.dot gets its 16 rows. Writes `parts` (batch, heads, q_len, splits, v_head_dim), and `logs`
    (batch, heads, q_len, splits): the logarithm to base 2 of each part's sum of weights, minus infinity for none.
    """
    split = tl.program_id(0)
    row_blocks = tl.cdiv(group * q_len, ROWS)
    kv_head = tl.program_id(1) // row_blocks
    batch = tl.program_id(2)
    kv_heads = tl.num_programs(1) // row_blocks

    rows = tl.program_id(1) % row_blocks * ROWS + tl.arange(0, ROWS)
    wanted = rows < group * q_len
    heads = kv_head * group + rows // q_len
    queries = rows % q_len
    columns = tl.arange(0, COLUMNS)
    row_starts = of_head(q, q_strides, batch, heads) + queries.to(tl.int64) * q_strides[2]
    inside = wanted[:, None] & (columns < HEAD_DIM)[None, :]
    q_tile = tl.load(row_starts[:, None] + columns[None, :] * q_strides[3], mask=inside, other=0.0)

    length = k_len
    if lengths is not None:  # never beyond the cache, whatever the tensor says
        length = tl.minimum(tl.load(lengths + batch), k_len)
    band = (left, right, length, length - q_len)  # the last query stands beside the item's own last key
    first, full_first, full_end, end = key_blocks(0, q_len, band, BLOCK_K)
    blocks = tl.cdiv(tl.maximum(end - first, 0), BLOCK_K)
    each = tl.cdiv(blocks, splits) * BLOCK_K
    begin = tl.minimum(first + split * each, end)  # a split too many begins at the end and finds nothing
    stop = tl.minimum(begin + each, end)

    wide: tl.constexpr = logs.dtype.element_ty
    acc = tl.zeros([ROWS, V_COLUMNS], wide)
    largest = tl.full([ROWS], float("-inf"), wide)
    total = tl.zeros([ROWS], wide)
    kv = (of_head(k, k_strides, batch, kv_head), k_strides, of_head(v, v_strides, batch, kv_head), v_strides)
    if left is not None:
        acc, largest, total = _walk(
            acc, largest, total, q_tile, queries, kv, band, scale, softcap,
            begin, tl.minimum(full_first, stop), True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
        )  # fmt: skip
    acc, largest, total = _walk(
        acc, largest, total, q_tile, queries, kv, band, scale, softcap,
        tl.maximum(full_first, begin), tl.minimum(full_end, stop), False,
        HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
    )  # fmt: skip
    acc, largest, total = _walk(
        acc, largest, total, q_tile, queries, kv, band, scale, softcap,
        tl.maximum(tl.maximum(full_first, full_end), begin), stop, True,
        HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
    )  # fmt: skip

    total_or_one = tl.where(total > 0.0, total, 1.0)
    head_rows = tl.cast(batch, tl.int64) * (kv_heads * group) + heads
    places = (head_rows * q_len + queries) * splits + split
    v_columns = tl.arange(0, V_COLUMNS)
    inside = wanted[:, None] & (v_columns < V_HEAD_DIM)[None, :]
    tl.store(parts + places[:, None] * V_HEAD_DIM + v_columns[None, :], acc / total_or_one[:, None], mask=inside)
    tl.store(logs + places, largest + tl.log2(total_or_one), mask=wanted)


@triton.jit
def _walk(
    acc, largest, total, q_tile, queries, kv, band, scale, softcap, first, end, MASKED: tl.constexpr,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr, V_COLUMNS: tl.constexpr,
    BLOCK_K: tl.constexpr,
):  # fmt: skip
    """As forward's: blocks of keys, with the online softmax. `queries` says which query a row belongs to."""
    k, k_strides, v, v_strides = kv
    for first_key in range(first, end, BLOCK_K):
        keys = first_key + tl.arange(0, BLOCK_K)
        read = None
        if MASKED:
            read = seen_by_some(keys, band)
        k_tile = load_tile(k, k_strides, first_key, read, HEAD_DIM, BLOCK_K, COLUMNS)
        v_tile = load_tile(v, v_strides, first_key, read, V_HEAD_DIM, BLOCK_K, V_COLUMNS)
        products = tl.dot(q_tile, tl.trans(k_tile), input_precision="ieee", out_dtype=acc.dtype)
        scores = scores_and_slopes(products, scale, softcap)[0]
        if MASKED:
            scores = tl.where(in_band(queries[:, None], keys[None, :], band), scores, float("-inf"))
        new_largest = tl.maximum(largest, tl.max(scores, axis=1))
        subtracted = new_largest
        if MASKED:  # nothing seen so far: -inf minus -inf would be NaN
            subtracted = tl.where(new_largest == float("-inf"), 0.0, new_largest)
        weights = tl.exp2(scores - subtracted[:, None])
        rescale = tl.exp2(largest - subtracted)
        total = total * rescale + tl.sum(weights, axis=1)
        acc = acc * rescale[:, None]
        acc += tl.dot(weights.to(v_tile.dtype), v_tile, input_precision="ieee", out_dtype=acc.dtype)
        largest = new_largest
    return acc, largest, total
