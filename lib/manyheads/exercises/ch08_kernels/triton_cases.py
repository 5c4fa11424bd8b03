"""What the cases of the Triton exercises share: arrays with gaps, and random ones whose sizes differ."""

import math

import numpy as np


def spaced(array: np.ndarray, strides: tuple[int, ...], between: float = np.nan) -> np.ndarray:
    """A flat buffer that holds `array` with these strides, in elements, and `between` everywhere else.

    It ends with the array's last element, so what lies behind is out of bounds.

    Examples
    --------
    >>> spaced(np.array([[1.0, 2.0], [3.0, 4.0]]), (5, 2))
    array([ 1., nan,  2., nan, nan,  3., nan,  4.])
    """
    size = 1 + sum((n - 1) * stride for n, stride in zip(array.shape, strides, strict=True))
    flat = np.full(size, between, array.dtype)
    flat[places(array.shape, strides)] = array
    return flat


def places(shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """Where in the flat buffer each element stands: the sum of index times stride over the axes."""
    axes = np.indices(shape, sparse=True)
    return np.asarray(sum(axis * stride for axis, stride in zip(axes, strides, strict=True)))


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of an array without gaps.

    Examples
    --------
    >>> dense((2, 3, 5))
    (15, 5, 1)
    """
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


#: Of the attention exercises: none of 1 / sqrt(HEAD_DIM), and few bits, so that no product with it is rounded.
SCALE = 7 / 32


def apart(q: np.ndarray, k: np.ndarray, every: int = 2, by: float = 560.0) -> None:
    """Make all scores of every second query, or of every one, so low that exp of them is 0, in place.

    Whoever takes away anything but the row's own largest score divides by 0. No product here is rounded.
    """
    k[..., 1] = 1 + np.round(4 * k[..., 1]) / 256
    q[..., every - 1 :: every, :] = 0.0
    q[..., every - 1 :: every, 1] = -by


def growing(k: np.ndarray, q: np.ndarray, by: float = 3.0) -> None:
    """Make later keys fit all queries better, in place: the largest score so far changes from block to block.

    The first number of every query becomes positive, and the same number of the keys rises along the sequence.
    """
    q[..., 0] = 1 + np.abs(q[..., 0])
    k[..., 0] += np.linspace(-by, by, k.shape[-2])
