"""Gradients of the queries: one program holds a block of queries and walks the keys that they see, as forward."""

import triton
import triton.language as tl

from manyheads.kernels.triton.scores import load_log_totals, masked_scores, scores_and_slopes
from manyheads.kernels.triton.tiles import load_tile, of_head, store_tile
from manyheads.kernels.triton.visible import key_blocks, seen_by_some


@triton.jit(do_not_specialize=["group", "q_len", "k_len", "left", "right"])
def query_gradients_kernel(
    q, q_strides, k, k_strides, v, v_strides, mask, mask_strides, bias, bias_strides, lengths,
    d_out, d_out_strides, lse, delta, d_q, d_q_strides, left, right, scale, softcap, group, q_len, k_len,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr, V_COLUMNS: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Grid (blocks of queries, heads, batch). Weights are made again from `lse`; none was kept."""
    first_query = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_Q  # the longest first
    head = tl.program_id(1)
    batch = tl.program_id(2)
    kv_head = head // group
    kv = (of_head(k, k_strides, batch, kv_head), k_strides, of_head(v, v_strides, batch, kv_head), v_strides)
    added = (mask, mask_strides, bias, bias_strides, batch, head)
    length = k_len
    if lengths is not None:
        length = tl.minimum(tl.load(lengths + batch), k_len)
    band = (left, right, length, k_len - q_len)

    queries = first_query + tl.arange(0, BLOCK_Q)
    wanted = queries < q_len
    q_head = of_head(q, q_strides, batch, head)
    d_out_head = of_head(d_out, d_out_strides, batch, head)
    q_tile = load_tile(q_head, q_strides, first_query, wanted, HEAD_DIM, BLOCK_Q, COLUMNS)
    d_out_tile = load_tile(d_out_head, d_out_strides, first_query, wanted, V_HEAD_DIM, BLOCK_Q, V_COLUMNS)
    row = (tl.cast(batch, tl.int64) * tl.num_programs(1) + head) * q_len
    log_totals = load_log_totals(lse + row, queries, wanted)
    deltas = tl.load(delta + row + queries, mask=wanted, other=0.0)
    acc = tl.zeros([BLOCK_Q, COLUMNS], lse.dtype.element_ty)

    end_query = tl.minimum(first_query + BLOCK_Q, q_len)
    first, full_first, full_end, end = key_blocks(first_query, end_query, band, BLOCK_K)
    if mask is None and bias is None:
        if left is not None:
            acc = _walk(
                acc, q_tile, d_out_tile, log_totals, deltas, first_query, kv, added, band, scale, softcap, q_len,
                first, tl.minimum(full_first, end), True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
            )  # fmt: skip
        acc = _walk(
            acc, q_tile, d_out_tile, log_totals, deltas, first_query, kv, added, band, scale, softcap, q_len,
            full_first, full_end, False, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
        )  # fmt: skip
        first = tl.maximum(full_first, full_end)
    acc = _walk(
        acc, q_tile, d_out_tile, log_totals, deltas, first_query, kv, added, band, scale, softcap, q_len,
        first, end, True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_K,
    )  # fmt: skip
    d_q_head = of_head(d_q, d_q_strides, batch, head)
    store_tile(d_q_head, d_q_strides, first_query, q_len, acc * scale, HEAD_DIM, BLOCK_Q, COLUMNS)


@triton.jit
def _walk(
    acc, q_tile, d_out_tile, log_totals, deltas, first_query, kv, added, band, scale, softcap, q_len, first, end,
    MASKED: tl.constexpr, HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr,
    V_COLUMNS: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Adds ``dS K`` for the blocks of keys from `first` to `end`."""
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
        d_weights = tl.dot(d_out_tile, tl.trans(v_tile), input_precision="ieee", out_dtype=acc.dtype)
        scores, slopes = scores_and_slopes(products, scale, softcap)
        if MASKED:
            inside = (queries < q_len)[:, None] & read[None, :]
            places = (queries[:, None], keys[None, :], first_query, first_key)
            scores, allowed = masked_scores(scores, places, inside, band, added)
        d_scores = tl.exp2(scores - log_totals[:, None]) * (d_weights - deltas[:, None]) * slopes
        if MASKED:  # 0 already, unless a value that nobody sees was NaN
            d_scores = tl.where(allowed, d_scores, 0.0)
            if (added[0] is not None) or (added[2] is not None):
                seen = tl.max(allowed.to(tl.int32), axis=0) > 0
                k_tile = tl.where(seen[:, None], k_tile, tl.zeros_like(k_tile))
        acc += tl.dot(d_scores.to(k_tile.dtype), k_tile, input_precision="ieee", out_dtype=acc.dtype)
    return acc
