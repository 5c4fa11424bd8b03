"""Our CUDA kernels on NumPy arrays, emulated on the CPU."""

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Float, Int
from manyheads.kernels.cuda.launches import full_lengths, head_stride_launch, lesson_launch, tiled_launch
from manyheads.kernels.cuda.sources import KERNELS, source
from manyheads.kernels.launching import Launch, Out


def emulated_attention(
    q: Float[Array, "batch heads q_len head_dim"],
    k: Float[Array, "batch kv_heads k_len head_dim"],
    v: Float[Array, "batch kv_heads k_len v_head_dim"],
    *,
    kernel: str = "tiled",
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    lengths: Int[Array, "batch"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    order: str = "up",
    check: str | None = None,
    return_lse: bool = False,
):
    """Attention by one of the CUDA kernels, run on the CPU.

    Parameters
    ----------
    q, k, v : float32 arrays (batch, heads, length, dim)
        For "head_stride" views of any strides, whose dims lie side by side; the others get contiguous copies.
    kernel : {"lesson", "tiled", "head_stride"}
        "lesson" knows neither window nor lengths nor softcap, and gives no lse.
    causal, window, scale, softcap
        As in `manyheads.reference.attention`.
    lengths : integer array (batch,), optional
        How many keys of each batch item there are; what lies beyond is not read.
    order, check
        As in `manyheads.kernels.emulate.launch`: in which order the threads run, and what is looked for.
    return_lse : bool
        Give the logarithm of each row's sum of exponentials (batch, heads, q_len) as well.

    Returns
    -------
    float32 array (batch, heads, q_len, v_head_dim); with `return_lse` a pair
        A query that may attend to nothing gets 0 and an lse of minus infinity. "head_stride" gives a view of
        (batch, q_len, heads, v_head_dim).

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or the kernel cannot do what is asked.
    KernelError
        If `check` finds something.
    NotHere
        If there is no C++ compiler.

    Notes
    -----
    ``out = softmax(scale q k^T) v`` (Vaswani et al. 2017, section 3.2.1).

    Examples
    --------
    >>> q, k = np.zeros((1, 2, 2, 4), np.float32), np.ones((1, 1, 2, 4), np.float32)
    >>> v = np.array([[[[10.0], [20.0]]]], np.float32)
    >>> emulated_attention(q, k, v, causal=True)[0, 0, :, 0]
    array([10., 15.], dtype=float32)
    """
    from manyheads.kernels import emulate  # needs a compiler only when something is launched

    launch = numpy_launch(q, k, v, kernel, lengths, causal, window, scale, softcap)
    if return_lse and "lse" not in launch.outputs:
        raise ValueError(f"kernel={kernel!r} gives no lse; use 'tiled' or 'head_stride'")
    if 0 in launch.grid:  # no block, nothing to launch: one of the axes is empty
        found = {name: np.zeros(out.shape, out.dtype) for name, out in launch.arguments.items() if isinstance(out, Out)}
    else:
        found = emulate.launch(source(kernel), launch, order=order, check=check, name=f"{KERNELS[kernel]}.cu")
    out = found["out"].transpose(0, 2, 1, 3) if kernel == "head_stride" else found["out"]
    return (out, found["lse"]) if return_lse else out


def numpy_launch(q, k, v, kernel, lengths=None, causal=False, window=None, scale=None, softcap=None) -> Launch:
    """The launch of a kernel by its short name, on NumPy arrays.

    Examples
    --------
    >>> x = np.zeros((3, 6, 5, 16), np.float32)
    >>> numpy_launch(x, x, x, "lesson").grid
    (6, 3)
    """
    _require.one_of("kernel", kernel, tuple(KERNELS))
    for name, x in (("q", q), ("k", k), ("v", v)):
        _require.axes(name, x, "batch", "heads", "length", "dim")
    if kernel == "lesson":
        given = {"window": window, "lengths": lengths, "softcap": softcap}
        lacks = [name for name, value in given.items() if value is not None]
        if lacks:
            raise ValueError(f"kernel='lesson' cannot do {' and '.join(lacks)}; use 'tiled' or 'head_stride'")
        return lesson_launch(*map(np.ascontiguousarray, (q, k, v)), causal=causal, scale=scale)
    lengths = _lengths(lengths, k.shape[0], k.shape[2])
    options = {"causal": causal, "window": window, "scale": scale, "softcap": softcap}
    if kernel == "head_stride":
        return head_stride_launch(q, k, v, lengths, **options)
    q, k, v = map(np.ascontiguousarray, (q, k, v))
    return tiled_launch(q, k, v, lengths, **options)


def _lengths(lengths, batch: int, k_len: int) -> np.ndarray:
    if lengths is None:
        return full_lengths(batch, k_len)
    lengths = _require.integers("lengths", lengths, np.asarray)
    if lengths.shape != (batch,) or lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be whole numbers, ({batch},), got {lengths.dtype} of shape {lengths.shape}")
    if batch and not (lengths.min() >= 0 and lengths.max() <= k_len):
        raise ValueError(f"lengths must be 0 to k_len={k_len}, got {lengths.min()} to {lengths.max()}")
    return lengths.astype(np.int32)
