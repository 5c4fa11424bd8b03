"""Decoding, the second step: the parts of one query, each with the logarithm of its weights' sum, become one."""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["splits"])
def decode_merge_kernel(
    parts, logs, out, splits, V_HEAD_DIM: tl.constexpr, V_COLUMNS: tl.constexpr, SPLITS: tl.constexpr
):
    """Grid (rows of `out`,). ``out = sum_s 2^(log_s) part_s / sum_s 2^(log_s)``; a query without keys gives 0."""
    row = tl.cast(tl.program_id(0), tl.int64)
    split = tl.arange(0, SPLITS)
    columns = tl.arange(0, V_COLUMNS)
    there = split < splits
    log = tl.load(logs + row * splits + split, mask=there, other=float("-inf"))
    inside = there[:, None] & (columns < V_HEAD_DIM)[None, :]
    places = (row * splits + split[:, None]) * V_HEAD_DIM + columns[None, :]
    part = tl.load(parts + places, mask=inside, other=0.0)
    largest = tl.max(log, axis=0)
    largest = tl.where(largest == float("-inf"), 0.0, largest)  # no part has a key
    weights = tl.exp2(log - largest)
    total = tl.sum(weights, axis=0)
    merged = tl.sum(part * weights[:, None], axis=0) / tl.where(total > 0.0, total, 1.0)
    tl.store(out + row * V_HEAD_DIM + columns, merged.to(out.dtype.element_ty), mask=columns < V_HEAD_DIM)
