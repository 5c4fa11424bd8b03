"""ALiBi: distance as a bias on the scores."""

import math

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Float


def alibi_slopes(n_heads: int) -> list[float]:
    """How steeply each head discounts distance.

    Parameters
    ----------
    n_heads : int

    Returns
    -------
    list of n_heads floats, in units of score per token

    Raises
    ------
    TypeError, ValueError
        If `n_heads` is not a whole number of at least 1.

    Notes
    -----
    For n a power of two, head h has ``2^(-8 (h + 1) / n)``. Else: those of the power of two below, then every
    other one of twice that power (Press et al. 2022, section 3, and the authors' code).

    Examples
    --------
    >>> alibi_slopes(4)
    [0.25, 0.0625, 0.015625, 0.00390625]
    """
    n_heads = _require.count("n_heads", n_heads)
    power = 2 ** int(math.log2(n_heads))
    slopes = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    finer = [2 ** (-8 * (h + 1) / (2 * power)) for h in range(2 * power)]
    return slopes + finer[0::2][: n_heads - power]


def alibi_bias(
    n_heads: int,
    q_len: int,
    k_len: int,
    dtype: type | np.dtype | str = np.float32,
) -> Float[Array, "1 n_heads q_len k_len"]:
    """A bias that takes from each score in proportion to the distance.

    Parameters
    ----------
    n_heads, q_len, k_len : int
        Aligned at the bottom right: the last query stands at the last key.
    dtype : NumPy float dtype
        Default float32.

    Returns
    -------
    float array (1, n_heads, q_len, k_len)
        For `attention`'s ``bias=``.

    Raises
    ------
    TypeError, ValueError
        If a number is not whole or too small.

    Notes
    -----
    ``bias[0, h, i, j] = -slope_h |i + k_len - q_len - j|`` (Press et al. 2022, section 3; theirs is causal, where
    the distance is never negative).

    Examples
    --------
    >>> alibi_bias(8, 2, 3)[0, 0]                                     # slope 1 / 2
    array([[-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]], dtype=float32)
    """
    slopes = np.array(alibi_slopes(n_heads))
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    position = np.arange(q_len)[:, None] + (k_len - q_len)
    distance = np.abs(position - np.arange(k_len))
    bias = -slopes[:, None, None] * distance
    bias = (bias + 0.0)[None].astype(dtype)  # + 0.0: no negative zero
    _require.floats(dtype=bias)
    return bias
