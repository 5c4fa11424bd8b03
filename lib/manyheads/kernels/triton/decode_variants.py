"""The decoding kernels with every configuration that ships, as `variants` has the others."""

from collections.abc import Iterator

from manyheads.kernels.triton.configs import columns
from manyheads.kernels.triton.decode_launch import blocks, merge_warps, merged_at_once
from manyheads.kernels.triton.decode_merge import decode_merge_kernel
from manyheads.kernels.triton.decode_split import decode_split_kernel
from manyheads.kernels.triton.variants import DIMS, DTYPES, STRIDES, Variant

#: Rows of a tile: group times q_len, rounded up. The smallest tile and the largest.
ROWS = (1, 64)


def decode_variants(dtypes=DTYPES, dims=DIMS, rows=ROWS) -> Iterator[Variant]:
    """Both kernels times dtypes times head dimensions; plain, and with all that can be asked.

    Yields
    ------
    Variant
    """
    for dtype in dtypes:
        for head_dim, v_head_dim in dims:
            for tile_rows in rows:
                for asked in (False, True):
                    yield _split(dtype, head_dim, v_head_dim, tile_rows, asked)
            for splits in (4, 128):
                yield _merge(dtype, v_head_dim, splits)


def _split(dtype: str, head_dim: int, v_head_dim: int, rows: int, asked: bool) -> Variant:
    tile_rows, block_k, num_warps, num_stages = blocks(rows, max(head_dim, v_head_dim), 4 if dtype == "fp32" else 2)
    signature = dict.fromkeys(("q", "k", "v"), f"*{dtype}")
    signature |= {f"{name}_strides": STRIDES for name in ("q", "k", "v")}
    signature |= {"parts": "*fp32", "logs": "*fp32", "scale": "fp32"}
    signature |= dict.fromkeys(("right", "group", "q_len", "k_len", "splits"), "i32")
    options = {"lengths": "*i32", "left": "i32", "softcap": "fp32"}
    constants = {
        "HEAD_DIM": head_dim,
        "V_HEAD_DIM": v_head_dim,
        "COLUMNS": columns(head_dim),
        "V_COLUMNS": columns(v_head_dim),
        "ROWS": tile_rows,
        "BLOCK_K": block_k,
    }
    if asked:
        signature |= options
    else:
        constants |= dict.fromkeys(options)
    what = "lengths+window+softcap" if asked else "plain"
    name = f"decode_split_kernel {dtype} {head_dim}/{v_head_dim} {tile_rows} rows {what}"
    return Variant(name, decode_split_kernel, signature, constants, num_warps, num_stages)


def _merge(dtype: str, v_head_dim: int, splits: int) -> Variant:
    signature = {"parts": "*fp32", "logs": "*fp32", "out": f"*{dtype}", "splits": "i32"}
    constants = {"V_HEAD_DIM": v_head_dim, "V_COLUMNS": columns(v_head_dim), "SPLITS": merged_at_once(splits)}
    name = f"decode_merge_kernel {dtype} {v_head_dim} {splits} splits"
    return Variant(name, decode_merge_kernel, signature, constants, merge_warps(splits, v_head_dim), 1)
