"""Gradients of keys and values: one program holds a block of keys and walks the queries that see them.

It goes through all the query heads that share its K/V head, one after the other. So nobody else adds to its rows: no
atomics, and the same bits every time.
"""

import triton
import triton.language as tl

from manyheads.kernels.triton.scores import load_log_totals, masked_scores, scores_and_slopes
from manyheads.kernels.triton.tiles import load_tile, of_head, store_tile
from manyheads.kernels.triton.visible import query_blocks, seen_by_some


@triton.jit(do_not_specialize=["group", "q_len", "k_len", "left", "right"])
def key_gradients_kernel(
    q, q_strides, k, k_strides, v, v_strides, mask, mask_strides, bias, bias_strides, lengths,
    d_out, d_out_strides, lse, delta, d_k, d_k_strides, d_v, d_v_strides,
    left, right, scale, softcap, group, q_len, k_len,
    HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr, V_COLUMNS: tl.constexpr,
    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Grid (blocks of keys, K/V heads, batch). The first keys of a causal call are seen most, and begin first."""
    first_key = tl.program_id(0) * BLOCK_K
    kv_head = tl.program_id(1)
    batch = tl.program_id(2)
    length = k_len
    if lengths is not None:
        length = tl.minimum(tl.load(lengths + batch), k_len)
    band = (left, right, length, k_len - q_len)

    read = seen_by_some(first_key + tl.arange(0, BLOCK_K), band)
    k_head = of_head(k, k_strides, batch, kv_head)
    v_head = of_head(v, v_strides, batch, kv_head)
    k_tile = load_tile(k_head, k_strides, first_key, read, HEAD_DIM, BLOCK_K, COLUMNS)
    v_tile = load_tile(v_head, v_strides, first_key, read, V_HEAD_DIM, BLOCK_K, V_COLUMNS)
    wide: tl.constexpr = lse.dtype.element_ty
    k_acc = tl.zeros([BLOCK_K, COLUMNS], wide)
    v_acc = tl.zeros([BLOCK_K, V_COLUMNS], wide)

    first, full_first, full_end, end = query_blocks(first_key, band, q_len, BLOCK_Q, BLOCK_K)
    # Masked up to the full blocks; without any, to the end. What is masked after them a window alone has.
    some_full = full_end > full_first
    masked_end = tl.where(some_full, tl.minimum(full_first, end), end)
    tail = tl.where(some_full, full_end, end)
    for head in range(kv_head * group, (kv_head + 1) * group):
        row = (tl.cast(batch, tl.int64) * tl.num_programs(1) * group + head) * q_len
        rows = (
            of_head(q, q_strides, batch, head), q_strides,
            of_head(d_out, d_out_strides, batch, head), d_out_strides,
            lse + row, delta + row,
        )  # fmt: skip
        added = (mask, mask_strides, bias, bias_strides, batch, head)
        if mask is None and bias is None:
            k_acc, v_acc = _walk(
                k_acc, v_acc, k_tile, v_tile, first_key, rows, added, band, scale, softcap, q_len,
                first, masked_end, True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_Q,
            )  # fmt: skip
            k_acc, v_acc = _walk(
                k_acc, v_acc, k_tile, v_tile, first_key, rows, added, band, scale, softcap, q_len,
                full_first, full_end, False, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_Q,
            )  # fmt: skip
            if left is not None:
                k_acc, v_acc = _walk(
                    k_acc, v_acc, k_tile, v_tile, first_key, rows, added, band, scale, softcap, q_len,
                    tail, end, True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_Q,
                )  # fmt: skip
        else:
            k_acc, v_acc = _walk(
                k_acc, v_acc, k_tile, v_tile, first_key, rows, added, band, scale, softcap, q_len,
                first, end, True, HEAD_DIM, V_HEAD_DIM, COLUMNS, V_COLUMNS, BLOCK_Q,
            )  # fmt: skip
    d_k_head = of_head(d_k, d_k_strides, batch, kv_head)
    d_v_head = of_head(d_v, d_v_strides, batch, kv_head)
    store_tile(d_k_head, d_k_strides, first_key, k_len, k_acc * scale, HEAD_DIM, BLOCK_K, COLUMNS)
    store_tile(d_v_head, d_v_strides, first_key, k_len, v_acc, V_HEAD_DIM, BLOCK_K, V_COLUMNS)


@triton.jit
def _walk(
    k_acc, v_acc, k_tile, v_tile, first_key, rows, added, band, scale, softcap, q_len, first, end,
    MASKED: tl.constexpr, HEAD_DIM: tl.constexpr, V_HEAD_DIM: tl.constexpr, COLUMNS: tl.constexpr,
    V_COLUMNS: tl.constexpr, BLOCK_Q: tl.constexpr,
):  # fmt: skip
    """Adds ``dS^T Q`` and ``P^T dO`` for the blocks of queries from `first` to `end` of one head.

    Scores are made transposed, keys along the rows: then P^T and dS^T are there as the products need them.
    """
    q, q_strides, d_out, d_out_strides, lse, delta = rows
    keys = first_key + tl.arange(0, k_tile.shape[0])
    read = seen_by_some(keys, band)
    for first_query in range(first, end, BLOCK_Q):
        queries = first_query + tl.arange(0, BLOCK_Q)
        wanted = queries < q_len
        q_tile = load_tile(q, q_strides, first_query, wanted, HEAD_DIM, BLOCK_Q, COLUMNS)
        d_out_tile = load_tile(d_out, d_out_strides, first_query, wanted, V_HEAD_DIM, BLOCK_Q, V_COLUMNS)
        log_totals = load_log_totals(lse, queries, wanted)
        deltas = tl.load(delta + queries, mask=wanted, other=0.0)
        products = tl.dot(k_tile, tl.trans(q_tile), input_precision="ieee", out_dtype=k_acc.dtype)
        d_weights = tl.dot(v_tile, tl.trans(d_out_tile), input_precision="ieee", out_dtype=k_acc.dtype)
        scores, slopes = scores_and_slopes(products, scale, softcap)
        if MASKED:
            inside = wanted[None, :] & read[:, None]
            places = (queries[None, :], keys[:, None], first_query, first_key)
            scores, allowed = masked_scores(scores, places, inside, band, added)
        weights = tl.exp2(scores - log_totals[None, :])
        d_scores = weights * (d_weights - deltas[None, :]) * slopes
        if MASKED:  # 0 already, unless a value that nobody sees was NaN
            d_scores = tl.where(allowed, d_scores, 0.0)
        v_acc += tl.dot(weights.to(d_out_tile.dtype), d_out_tile, input_precision="ieee", out_dtype=v_acc.dtype)
        k_acc += tl.dot(d_scores.to(q_tile.dtype), q_tile, input_precision="ieee", out_dtype=k_acc.dtype)
    return k_acc, v_acc
