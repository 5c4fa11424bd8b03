"""The forward kernel: one program holds a block of queries and walks the keys that they see (FlashAttention-2)."""

import triton
import triton.language as tl

from manyheads.kernels.triton.scores import LN2, masked_scores, scores_and_slopes
from manyheads.kernels.triton.tiles import load_tile, of_head, store_tile
from manyheads.kernels.triton.visible import key_blocks, seen_by_some


@triton.jit(do_not_specialize=["group", "q_len", "k_len", "left", "right"])
def forward_kernel(
    q, q_strides, k, k_strides, v, v_strides, mask, mask_strides, bias, bias_strides, lengths,
    out, out_strides, lse, left, right, scale, softcap, group, q_len, k_len,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr, V_COLUMNS: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Grid (blocks of queries, heads, batch). Writes `out`, and each query's log-sum-exp for the backward pass."""
    # The last queries of a causal call have the most to do: they begin first, so that no one is waited for at the end.
    first_query = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_Q
    head = tl.program_id(1)
    batch = tl.program_id(2)
    kv_head = head // group  # no K/V head is ever copied for its group
    kv = (of_head(k, k_strides, batch, kv_head), k_strides, of_head(v, v_strides, batch, kv_head), v_strides)
    added = (mask, mask_strides, bias, bias_strides, batch, head)
    length = k_len
    if lengths is not None:
        length = tl.minimum(tl.load(lengths + batch), k_len)
    band = (left, right, length, k_len - q_len)

    queries = first_query + tl.arange(0, BLOCK_Q)
    q_head = of_head(q, q_strides, batch, head)
    q_tile = load_tile(q_head, q_strides, first_query, queries < q_len, HEAD_DIM, BLOCK_Q, COLUMNS)
    wide: tl.constexpr = lse.dtype.element_ty
    acc = tl.zeros([BLOCK_Q, V_COLUMNS], wide)
    largest = tl.full([BLOCK_Q], float("-inf"), wide)
    total = tl.zeros([BLOCK_Q], wide)

    end_query = tl.minimum(first_query + BLOCK_Q, q_len)
    first, full_first, full_end, end = key_blocks(first_query, end_query, band, BLOCK_K)
    if mask is None and bias is None:
        if left is not None:
            acc, largest, total = _walk(
                acc, largest, total, q_tile, first_query, kv, added, band, scale, softcap, q_len,
                first, tl.minimum(full_first, end), True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
            )  # fmt: skip
        # Most blocks of a long call: every pair counts, so nothing is compared and no load has a mask.
        acc, largest, total = _walk(
            acc, largest, total, q_tile, first_query, kv, added, band, scale, softcap, q_len,
            full_first, full_end, False, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
        )  # fmt: skip
        first = tl.maximum(full_first, full_end)
    acc, largest, total = _walk(
        acc, largest, total, q_tile, first_query, kv, added, band, scale, softcap, q_len,
        first, end, True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
    )  # fmt: skip

    some = total > 0.0  # a query that sees no key gives 0, and a log-sum-exp of minus infinity
    total = tl.where(some, total, 1.0)
    out_head = of_head(out, out_strides, batch, head)
    store_tile(out_head, out_strides, first_query, q_len, acc / total[:, None], V_HEAD_DIM, BLOCK_Q, V_COLUMNS)
    row = (tl.cast(batch, tl.int64) * tl.num_programs(1) + head) * q_len
    tl.store(lse + row + queries, largest * LN2 + tl.log(total), mask=queries < q_len)


@triton.jit
def _walk(
    acc, largest, total, q_tile, first_query, kv, added, band, scale, softcap, q_len, first, end,
    MASKED: tl.constexpr, HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr,
    V_COLUMNS: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Blocks of keys from `first` to `end`, added to what is there with the online softmax."""
    k, k_strides, v, v_strides = kv
    queries = first_query + tl.arange(0, q_tile.shape[0])
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
            inside = (queries < q_len)[:, None] & read[None, :]
            places = (queries[:, None], keys[None, :], first_query, first_key)
            scores, allowed = masked_scores(scores, places, inside, band, added)
            if (added[0] is not None) or (
                added[2] is not None
            ):  # 0 times NaN is NaN: a value that nobody sees is no value
                seen = tl.max(allowed.to(tl.int32), axis=0) > 0
                v_tile = tl.where(seen[:, None], v_tile, tl.zeros_like(v_tile))
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
