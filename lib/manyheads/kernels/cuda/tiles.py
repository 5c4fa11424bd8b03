"""How large the tiles are: as large as a block's shared memory lets them be."""

from typing import NamedTuple

from manyheads import _require

#: What a block may have without asking for more, in bytes (CUDA C++ Programming Guide, compute capabilities).
STATIC_SHARED = 48 * 1024
#: What an H100's block may have when the launch asks for it, in bytes; an A100's 163 KiB.
DYNAMIC_SHARED = 227 * 1024

THREADS_PER_ROW = 4
_PAD = 4  # floats after each row of q_tile and k_tile
# Many rows share a K tile, so BLOCK_Q is kept as long as it can be.
_CHOICES = ((32, 32), (32, 16), (32, 8), (16, 8), (8, 8), (8, 4))


class Tiles(NamedTuple):
    """Rows of a block, and keys of a tile."""

    block_q: int
    block_k: int

    @property
    def threads(self) -> int:
        return self.block_q * THREADS_PER_ROW


def tile_bytes(tiles: Tiles, head_dim: int, v_head_dim: int) -> int:
    """Shared memory of a block of `tiled_attention`, in bytes: its queries, K, V and scores.

    Examples
    --------
    >>> tile_bytes(Tiles(32, 32), 64, 64) / 1024
    29.125
    """
    v_width = -(-v_head_dim // THREADS_PER_ROW) * THREADS_PER_ROW
    rows = (tiles.block_q + tiles.block_k) * (head_dim + _PAD)
    return 4 * (rows + tiles.block_k * v_width + tiles.block_q * (tiles.block_k + 1))


def tiles_for(head_dim: int, v_head_dim: int | None = None) -> Tiles:
    """The largest tiles that fit.

    Parameters
    ----------
    head_dim, v_head_dim : int
        Widths of q and k, and of v.

    Returns
    -------
    Tiles

    Raises
    ------
    ValueError
        If not even the smallest tile fits.

    Examples
    --------
    >>> tiles_for(64)
    Tiles(block_q=32, block_k=32)
    >>> tiles_for(192, 128)
    Tiles(block_q=32, block_k=16)
    """
    v_head_dim = head_dim if v_head_dim is None else v_head_dim
    _require.count("head_dim", head_dim)
    _require.count("v_head_dim", v_head_dim)
    for choice in _CHOICES:
        if tile_bytes(Tiles(*choice), head_dim, v_head_dim) <= STATIC_SHARED:
            return Tiles(*choice)
    least = tile_bytes(Tiles(*_CHOICES[-1]), head_dim, v_head_dim)
    raise ValueError(
        f"head_dim={head_dim} and v_head_dim={v_head_dim} need {least / 1024:.0f} KiB of shared memory even in the "
        f"smallest tiles; a block has {STATIC_SHARED // 1024} KiB"
    )
