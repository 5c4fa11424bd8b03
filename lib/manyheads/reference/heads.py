"""Splitting a width into heads, and putting the heads back together."""

from manyheads import _require
from manyheads._shapes import AnyArray, Shaped


def split_heads(
    x: Shaped[AnyArray, "batch seq width"], n_heads: int
) -> Shaped[AnyArray, "batch n_heads seq dim"]:
    """Cut the last axis into heads, and move the heads in front of the tokens.

    Parameters
    ----------
    x : array (batch, seq, n_heads * head_dim), any dtype
        Head h stands in columns ``h * head_dim`` to ``(h + 1) * head_dim``.
    n_heads : int

    Returns
    -------
    array (batch, n_heads, seq, head_dim), the dtype of `x`
        A view: the head is a stride, nothing is copied.

    Raises
    ------
    TypeError, ValueError
        If `x` is not a 3-D array, or `n_heads` does not divide its width.

    Notes
    -----
    ``out[b, h, n, j] = x[b, n, h * head_dim + j]``; in einops' notation ``b n (h d) -> b h n d``
    (Rogozhnikov 2022). A reshape straight to ``(batch, n_heads, seq, head_dim)`` has the same shape and
    other numbers: it deals the tokens out to the heads.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1, 2, 3, 4], [5, 6, 7, 8]]])    # one item, two tokens, width 4
    >>> split_heads(x, 2)[0, 0]                         # head 0: the left half of every token
    array([[1, 2],
           [5, 6]])
    """
    batch, seq, width = _require.axes(
        "x", x, "batch", "seq", "n_heads * head_dim", kind=_require.EITHER
    )
    head_dim = _require.divides(
        "n_heads", _require.count("n_heads", n_heads), "width", width
    )
    return x.reshape(batch, seq, n_heads, head_dim).swapaxes(1, 2)


def combine_heads(
    x: Shaped[AnyArray, "batch n_heads seq dim"],
) -> Shaped[AnyArray, "batch seq width"]:
    """Lay the heads side by side again: the inverse of `split_heads`.

    Parameters
    ----------
    x : array (batch, n_heads, seq, head_dim), any dtype

    Returns
    -------
    array (batch, seq, n_heads * head_dim), the dtype of `x`
        A copy where the heads of one token do not lie together in memory, as after attention; a view where they
        still do, as right after `split_heads`.

    Raises
    ------
    TypeError, ValueError
        If `x` is not a 4-D array.

    Notes
    -----
    ``out[b, n, h * head_dim + j] = x[b, h, n, j]``; the Concat of Vaswani et al. 2017, section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(24).reshape(1, 2, 12)
    >>> bool((combine_heads(split_heads(x, 3)) == x).all())
    True
    """
    batch, n_heads, seq, head_dim = _require.axes(
        "x", x, "batch", "n_heads", "seq", "head_dim", kind=_require.EITHER
    )
    return x.swapaxes(1, 2).reshape(batch, seq, n_heads * head_dim)
