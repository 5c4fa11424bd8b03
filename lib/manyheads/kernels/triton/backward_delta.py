"""The first step backward: each query's average gradient, which the softmax takes away from all its scores."""

import triton
import triton.language as tl

from manyheads.kernels.triton.tiles import load_tile, of_head


@triton.jit
def delta_kernel(
    out, out_strides, d_out, d_out_strides, delta, q_len,
    V_HEAD_DIM: tl.constexpr, V_COLUMNS: tl.constexpr, BLOCK_Q: tl.constexpr,
):  # fmt: skip
    """``delta_i = sum_d out_id d_out_id``, which is ``sum_j P_ij dP_ij`` without P. Grid as forward's."""
    first_query = tl.program_id(0) * BLOCK_Q
    head = tl.program_id(1)
    batch = tl.program_id(2)
    wide: tl.constexpr = delta.dtype.element_ty
    queries = first_query + tl.arange(0, BLOCK_Q)
    wanted = queries < q_len
    out_head = of_head(out, out_strides, batch, head)
    d_out_head = of_head(d_out, d_out_strides, batch, head)
    out_tile = load_tile(out_head, out_strides, first_query, wanted, V_HEAD_DIM, BLOCK_Q, V_COLUMNS)
    d_out_tile = load_tile(d_out_head, d_out_strides, first_query, wanted, V_HEAD_DIM, BLOCK_Q, V_COLUMNS)
    products = out_tile.to(wide) * d_out_tile.to(wide)
    row = (tl.cast(batch, tl.int64) * tl.num_programs(1) + head) * q_len
    tl.store(delta + row + queries, tl.sum(products, axis=1), mask=wanted)
