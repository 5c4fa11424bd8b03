"""From arrays to launches: grid, block, arguments and macros of each kernel.

NumPy arrays and torch tensors alike; nothing is launched or copied here. The emulation, the tests, the book and a GPU
all use these launches.
"""

import numpy as np

from manyheads import _arguments, _require
from manyheads.kernels.cuda.sources import KERNELS
from manyheads.kernels.cuda.strides import in_floats, memory_of
from manyheads.kernels.cuda.tiles import DYNAMIC_SHARED, tiles_for
from manyheads.kernels.launching import Launch, Out

LESSON_THREADS = 128
_GRID_LIMIT = 65535  # blocks along y and z (CUDA C++ Programming Guide)


def lesson_launch(q, k, v, *, causal: bool = False, scale: float | None = None) -> Launch:
    """The launch of `lesson_attention`: one block for each head of each batch item.

    Parameters
    ----------
    q, k, v : contiguous float32 arrays (batch, heads, length, dim)
    causal : bool
    scale : float, optional
        Default ``1 / sqrt(head_dim)``.

    Returns
    -------
    Launch
        Its output ``out`` is (batch, heads, q_len, v_head_dim).

    Raises
    ------
    ValueError
        If a head's keys do not fit into the shared memory of a block.

    Examples
    --------
    >>> import numpy as np
    >>> q, k = np.zeros((3, 6, 5, 16), np.float32), np.zeros((3, 2, 7, 16), np.float32)
    >>> lesson_launch(q, k, k).grid
    (6, 3)
    """
    sizes, v_head_dim = _sizes(q, k, v)
    needed = sizes.k_len * sizes.head_dim * 4
    if needed > DYNAMIC_SHARED:
        raise ValueError(
            f"the lesson's kernel keeps all keys of a head in shared memory: k_len={sizes.k_len} x "
            f"head_dim={sizes.head_dim} x 4 bytes are {needed / 1024:.0f} KiB, and a block has at most "
            f"{DYNAMIC_SHARED // 1024} KiB; the tiled kernel takes any length"
        )
    _require.flag("causal", causal)
    arguments = {"q": q, "k": k, "v": v, "out": Out((*q.shape[:3], v_head_dim))}
    arguments |= {"group": sizes.heads // sizes.kv_heads, "q_len": sizes.q_len, "k_len": sizes.k_len}
    arguments |= {"scale": _arguments.scale(scale, sizes.head_dim), "causal": int(causal)}
    constants = {"HEAD_DIM": sizes.head_dim, "V_HEAD_DIM": v_head_dim, "THREADS": LESSON_THREADS}
    grid = _grid(sizes.heads, sizes.batch)
    return Launch(KERNELS["lesson"], grid, (LESSON_THREADS,), arguments, constants, shared_bytes=needed)


def tiled_launch(q, k, v, lengths, *, causal=False, window=None, scale=None, softcap=None) -> Launch:
    """The launch of `tiled_attention`: a block for each query tile of each head.

    Parameters
    ----------
    q, k, v : contiguous float32 arrays (batch, heads, length, dim)
    lengths : int32 array (batch,)
        How many keys of each batch item there are.
    causal, window, scale, softcap
        As in `manyheads.reference.attention`.

    Returns
    -------
    Launch
        Its outputs are ``out`` (batch, heads, q_len, v_head_dim) and ``lse`` (batch, heads, q_len).

    Raises
    ------
    ValueError
        If the grid or the tiles would be too large.

    Examples
    --------
    >>> import numpy as np
    >>> q, k = np.zeros((3, 6, 70, 16), np.float32), np.zeros((3, 2, 7, 16), np.float32)
    >>> launch = tiled_launch(q, k, k, np.full(3, 7, np.int32), causal=True, window=4)
    >>> launch.grid, launch.block
    ((3, 6, 3), (128,))
    >>> launch.arguments["left"], launch.arguments["right"]
    (3, 0)
    """
    sizes, v_head_dim = _sizes(q, k, v)
    arguments = {"q": q, "k": k, "v": v, "lengths": lengths}
    arguments |= {"out": Out((*q.shape[:3], v_head_dim)), "lse": Out(tuple(q.shape[:3]))}
    return _in_tiles("tiled", sizes, v_head_dim, arguments, causal, window, scale, softcap)


def head_stride_launch(q, k, v, lengths, *, causal=False, window=None, scale=None, softcap=None) -> Launch:
    """The launch of `head_stride_attention`: as `tiled_launch`, on views of any strides.

    Parameters
    ----------
    q, k, v : float32 arrays (batch, heads, length, dim)
        Views of what a projection made, such as ``x.reshape(batch, seq, heads, dim).transpose(0, 2, 1, 3)``. The dims
        of a head must be neighbours in memory.
    lengths, causal, window, scale, softcap
        As in `tiled_launch`.

    Returns
    -------
    Launch
        Its outputs are ``out`` (batch, q_len, heads, v_head_dim) and ``lse`` (batch, heads, q_len).

    Raises
    ------
    ValueError
        If strides are negative or too large, or the dims of a head are no neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> qkv = np.zeros((3, 5, 3, 6, 16), np.float32)  # batch, seq, q or k or v, heads, dim
    >>> q, k, v = qkv.transpose(2, 0, 3, 1, 4)
    >>> launch = head_stride_launch(q, k, v, np.full(3, 5, np.int32))
    >>> [launch.arguments[f"k_{axis}_stride"] for axis in ("batch", "head", "row")]
    [1440, 16, 288]
    """
    sizes, v_head_dim = _sizes(q, k, v)
    arguments = {name: memory_of(x) for name, x in (("q", q), ("k", k), ("v", v))} | {"lengths": lengths}
    arguments["out"] = Out((sizes.batch, sizes.q_len, sizes.heads, v_head_dim))
    arguments["lse"] = Out(tuple(q.shape[:3]))
    for name, x in (("q", q), ("k", k), ("v", v)):
        for axis, stride in zip(("batch", "head", "row"), in_floats(name, x), strict=True):
            arguments[f"{name}_{axis}_stride"] = stride
    return _in_tiles("head_stride", sizes, v_head_dim, arguments, causal, window, scale, softcap)


def full_lengths(batch: int, k_len: int) -> np.ndarray:
    """Lengths where every key is there."""
    return np.full(batch, k_len, np.int32)


def _in_tiles(kernel, sizes, v_head_dim, arguments, causal, window, scale, softcap) -> Launch:
    tiles = tiles_for(sizes.head_dim, v_head_dim)
    band = _arguments.band(causal, window)
    everything = sizes.q_len + sizes.k_len  # as far as any key can be
    left, right = (everything if side is None else min(side, everything) for side in band)
    capped = _arguments.softcap(softcap)
    arguments |= {"kv_heads": sizes.kv_heads, "q_len": sizes.q_len, "k_len": sizes.k_len}
    arguments |= {"left": left, "right": right, "scale": _arguments.scale(scale, sizes.head_dim)}
    arguments["softcap"] = 0.0 if capped is None else capped
    constants = {"HEAD_DIM": sizes.head_dim, "V_HEAD_DIM": v_head_dim}
    constants |= {"BLOCK_Q": tiles.block_q, "BLOCK_K": tiles.block_k}
    grid = (-(-sizes.q_len // tiles.block_q), *_grid(sizes.heads, sizes.batch))
    return Launch(KERNELS[kernel], grid, (tiles.threads,), arguments, constants)


def _sizes(q, k, v) -> tuple[_arguments.Sizes, int]:
    kind = _require.kind_of(q) or _require.NUMPY
    sizes = _arguments.queries_and_keys(q, k, kind)
    _arguments.keys_and_values(k, v, kind)
    for name, x in (("q", q), ("k", k), ("v", v)):
        if _require.dtype_name(x) != "float32":
            raise TypeError(f"the CUDA kernels are float32, but {name} is {_require.dtype_name(x)}; convert it first")
    if max(sizes.q_len, sizes.k_len) >= 2**30:
        raise ValueError(f"q_len={sizes.q_len} and k_len={sizes.k_len} must be less than 2**30")
    return sizes, v.shape[3]


def _grid(heads: int, batch: int) -> tuple[int, int]:
    for name, size in (("heads", heads), ("batch", batch)):
        if size > _GRID_LIMIT:
            raise ValueError(f"{name}={size}, but a grid has at most {_GRID_LIMIT} blocks along this axis")
    return heads, batch
