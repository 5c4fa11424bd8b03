"""Views as a kernel sees them: a first element, and a step for each axis."""

import numpy as np

from manyheads import _require


def in_floats(name: str, x) -> tuple[int, int, int]:
    """How many floats lie between neighbours along batch, heads and rows; 0 where an axis is expanded.

    Parameters
    ----------
    name : str
        For the message.
    x : float32 array or tensor (batch, heads, length, dim)

    Returns
    -------
    tuple of 3 int

    Raises
    ------
    ValueError
        If the dims of a head are no neighbours, or a stride is negative or beyond 32 bits.

    Examples
    --------
    >>> in_floats("q", np.zeros((3, 5, 2, 16), np.float32).transpose(0, 2, 1, 3))
    (160, 16, 32)
    """
    if 0 in x.shape:  # nothing is read
        return 0, 0, 0
    *outer, last = _strides(x)
    if last != 1 and x.shape[3] > 1:
        raise ValueError(f"neighbouring dims of {name} lie {last} floats apart; the kernel needs them side by side")
    # An axis of one has a stride that nobody uses, and NumPy and torch may put anything there.
    outer = [0 if size == 1 else stride for size, stride in zip(x.shape, outer, strict=False)]
    for axis, stride in zip(("batch", "head", "row"), outer, strict=True):
        if not 0 <= stride < 2**31:
            raise ValueError(f"the {axis} stride of {name} is {stride} floats; it must be 0 to 2**31 - 1; copy it")
    return outer[0], outer[1], outer[2]


def memory_of(x):
    """The memory of a view from its first element to its last, as one axis: what a pointer to it may reach.

    A torch tensor is given back as it is, since its pointer is at its first element already.

    Examples
    --------
    >>> x = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
    >>> memory_of(x[:, :, 1:, :2])
    array([ 4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13., 14., 15., 16.,
           17., 18., 19., 20., 21.], dtype=float32)
    """
    if _require.kind_of(x) != _require.NUMPY:
        return x
    if x.size == 0:
        return np.zeros(0, x.dtype)
    count = 1 + sum((size - 1) * stride for size, stride in zip(x.shape, _strides(x), strict=True))
    return np.lib.stride_tricks.as_strided(x, (count,), (x.itemsize,), writeable=False)


def _strides(x) -> tuple[int, ...]:
    if _require.kind_of(x) == _require.NUMPY:
        return tuple(stride // x.itemsize for stride in x.strides)
    return tuple(x.stride())
