"""How large the blocks are, how many warps work on one, and how many loads are under way: by width and dtype."""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple


class Config(NamedTuple):
    """For one kernel: queries and keys in a block, warps, and pipeline stages."""

    block_q: int
    block_k: int
    num_warps: int
    num_stages: int


#: By the width that is computed with (head dimensions, rounded up to a power of two, at least this).
#: A kernel keeps in registers its accumulators (rows x width) and tiles of scores (block_q x block_k), all in float32,
#: spread over 32 threads a warp of at most 255 registers each: wider heads take more warps or smaller blocks.
#: In shared memory lie the tiles that are under way, num_stages x (K and V rows) x width x bytes: all of these stay
#: under the 99 KiB of GeForce cards (sm_86, sm_89, sm_120), so that there is one table and not one for each GPU.
_HALF = {  # 16-bit inputs
    64: {
        "forward": Config(128, 64, 8, 3),
        "queries": Config(128, 64, 8, 2),
        "keys": Config(32, 128, 8, 2),
    },
    128: {
        "forward": Config(128, 64, 8, 3),
        "queries": Config(128, 32, 8, 2),
        "keys": Config(32, 64, 8, 2),
    },
    256: {
        "forward": Config(64, 32, 8, 2),
        "queries": Config(32, 32, 8, 1),
        "keys": Config(32, 32, 8, 1),
    },
}
#: With a window a kernel has a third loop; masks, biases and softcaps have tiles and steps of their own.
_HALF_DEMANDING = {
    64: {
        "forward": Config(64, 32, 8, 2),
        "queries": Config(64, 32, 8, 1),
        "keys": Config(32, 32, 8, 2),
    },
    128: {
        "forward": Config(64, 32, 8, 1),
        "queries": Config(64, 32, 8, 1),
        "keys": Config(32, 32, 8, 1),
    },
    256: {
        "forward": Config(32, 32, 8, 1),
        "queries": Config(32, 32, 8, 1),
        "keys": Config(16, 32, 8, 1),
    },
}
_SINGLE = {  # float32, multiplied exactly and so without tensor cores: small blocks, to stay in registers
    64: {
        "forward": Config(16, 32, 4, 1),
        "queries": Config(32, 16, 4, 1),
        "keys": Config(16, 16, 4, 1),
    },
    128: {
        "forward": Config(16, 32, 8, 1),
        "queries": Config(16, 32, 8, 1),
        "keys": Config(16, 16, 4, 1),
    },
    256: {
        "forward": Config(16, 16, 4, 1),
        "queries": Config(16, 16, 8, 1),
        "keys": Config(16, 16, 8, 1),
    },
}

#: The widest head that the blocks above fit.
WIDEST = 256

_forced: list[tuple[int, int]] = []


def choose(kernel: str, width: int, itemsize: int, demanding: bool = False) -> Config:
    """The configuration that ships for a kernel.

    Parameters
    ----------
    kernel : {"forward", "queries", "keys"}
    width : int
        The larger of head_dim and v_head_dim.
    itemsize : int
        Bytes of an input element.
    demanding : bool
        Whether there is a window, a mask, a bias or a softcap.

    Examples
    --------
    >>> choose("forward", 80, 2)
    Config(block_q=128, block_k=64, num_warps=8, num_stages=3)
    """
    table = _SINGLE if itemsize > 2 else _HALF_DEMANDING if demanding else _HALF
    config = next(by_kernel[kernel] for most, by_kernel in table.items() if width <= most)
    return config._replace(block_q=_forced[-1][0], block_k=_forced[-1][1]) if _forced else config


def columns(dim: int) -> int:
    """The columns of a tile for this head dimension: a power of two, and at least 16, which a product needs.

    Examples
    --------
    >>> columns(72), columns(8)
    (128, 16)
    """
    return max(16, 1 << (dim - 1).bit_length())


@contextlib.contextmanager
def blocks(block_q: int, block_k: int) -> Iterator[None]:
    """Other block sizes than those that ship, so that a short call has several blocks: for tests and lessons."""
    _forced.append((block_q, block_k))
    try:
        yield
    finally:
        _forced.pop()
