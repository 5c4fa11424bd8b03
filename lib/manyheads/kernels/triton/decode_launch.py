"""How many splits, which blocks, and the two launches."""

import torch
from torch import Tensor

from manyheads.kernels.triton.configs import columns
from manyheads.kernels.triton.decode_merge import decode_merge_kernel
from manyheads.kernels.triton.decode_split import decode_split_kernel

#: More parts than this are no gain: merging them would take as long as making them.
MOST_SPLITS = 128
#: Keys that a split should have at least: shorter ones spend their time on beginning and ending.
SPLIT_KEYS = 256
#: What to keep busy where there is no GPU to ask (the interpreter): little, since it runs one program at a time.
CPU_PROGRAMS = 4


def decode(q, k, v, lengths, left, right, scale, softcap, splits) -> Tensor:
    """Output (batch, heads, q_len, v_head_dim); `splits` None: as many as keep the GPU busy."""
    batch, heads, q_len, head_dim = q.shape
    kv_heads, k_len, v_head_dim = k.shape[1], k.shape[2], v.shape[3]
    out = q.new_empty((batch, heads, q_len, v_head_dim))
    if not out.numel():
        return out
    if not k_len:
        return out.zero_()
    group = heads // kv_heads
    rows, block_k, num_warps, num_stages = blocks(group * q_len, max(head_dim, v_head_dim), q.element_size())
    programs = batch * kv_heads * -(-group * q_len // rows)
    visible = k_len if left is None else min(k_len, left + q_len)
    splits = splits or choose_splits(programs, visible, _multiprocessors(q))
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    parts = q.new_empty((batch, heads, q_len, splits, v_head_dim), dtype=wide)
    logs = q.new_empty((batch, heads, q_len, splits), dtype=wide)
    widths = {"V_HEAD_DIM": v_head_dim, "V_COLUMNS": columns(v_head_dim)}
    tile = {"HEAD_DIM": head_dim, "COLUMNS": columns(head_dim), "ROWS": rows, "BLOCK_K": block_k, **widths}
    merge = {"SPLITS": merged_at_once(splits), **widths}
    with torch.cuda.device_of(q):  # Triton launches on the current device, which need not be the tensors'
        decode_split_kernel[(splits, programs // batch, batch)](
            q, q.stride(), k, k.stride(), v, v.stride(), lengths, parts, logs,
            left, right, scale, softcap, group, q_len, k_len, splits, **tile, **_options(q, num_warps, num_stages),
        )  # fmt: skip
        decode_merge_kernel[(batch * heads * q_len,)](
            parts, logs, out, splits, **merge, **_options(q, merge_warps(splits, v_head_dim), 1)
        )
    return out


def choose_splits(programs: int, visible: int, multiprocessors: int) -> int:
    """Splits of the keys, so that there are about two programs for each multiprocessor.

    Examples
    --------
    >>> choose_splits(8, 32768, 108), choose_splits(8, 600, 108), choose_splits(512, 32768, 108)
    (27, 3, 1)
    """
    wanted = -(-2 * multiprocessors // programs)
    return max(1, min(wanted, -(-visible // SPLIT_KEYS), MOST_SPLITS))


def blocks(rows: int, width: int, itemsize: int) -> tuple[int, int, int, int]:
    """Rows and keys of a tile, warps, stages. The work is to read K and V: what counts is how many loads are under way.

    Examples
    --------
    >>> blocks(4, 128, 2), blocks(40, 128, 2)
    ((16, 64, 4, 3), (64, 64, 4, 3))
    """
    tile_rows = min(64, max(16, 1 << (rows - 1).bit_length()))
    if itemsize > 2:  # multiplied exactly, without tensor cores: small blocks and more warps, to stay in registers
        return (min(tile_rows, 32), 32, 8, 1) if width <= 64 else (16, 16, 8, 1)
    return (tile_rows, 64, 4, 3) if width <= 128 else (16, 32, 8, 2)


def merged_at_once(splits: int) -> int:
    """The merge holds all parts of a row in one tile."""
    return max(2, 1 << (splits - 1).bit_length())


def merge_warps(splits: int, v_head_dim: int) -> int:
    """At most 64 numbers of the tile for each thread."""
    numbers = merged_at_once(splits) * columns(v_head_dim)
    return min(16, max(1, numbers // (64 * 32)))


def _multiprocessors(x: Tensor) -> int:
    return torch.cuda.get_device_properties(x.device).multi_processor_count if x.is_cuda else CPU_PROGRAMS


def _options(x: Tensor, num_warps: int, num_stages: int) -> dict:
    return {"num_warps": num_warps, "num_stages": num_stages} if x.is_cuda else {}  # the interpreter knows neither
