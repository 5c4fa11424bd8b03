"""One matrix a head, or all of them side by side: the same weights, packed and unpacked."""

from manyheads import _require
from manyheads._shapes import AnyArray, Shaped


def pack_heads(
    w: Shaped[AnyArray, "n_heads d_model dim"],
) -> Shaped[AnyArray, "d_model width"]:
    """Lay the per-head matrices side by side in one matrix.

    Parameters
    ----------
    w : array (n_heads, d_model, head_dim), any dtype
        ``w[h]`` is head h's matrix.

    Returns
    -------
    array (d_model, n_heads * head_dim), the dtype of `w`
        Head h's matrix in columns ``h * head_dim`` to ``(h + 1) * head_dim``.

    Raises
    ------
    TypeError, ValueError
        If `w` is not a 3-D array.

    Notes
    -----
    ``packed[i, h * head_dim + j] = w[h, i, j]``: the matrix whose one product with `x` is every head's
    (Vaswani et al. 2017, section 3.2.2, where the heads are written one by one).

    Examples
    --------
    >>> import numpy as np
    >>> pack_heads(np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))
    array([[1, 2, 5, 6],
           [3, 4, 7, 8]])
    """
    n_heads, d_model, head_dim = _require.axes(
        "w", w, "n_heads", "d_model", "head_dim", kind=_require.EITHER
    )
    return w.swapaxes(0, 1).reshape(d_model, n_heads * head_dim)


def unpack_heads(
    w: Shaped[AnyArray, "d_model width"], n_heads: int
) -> Shaped[AnyArray, "n_heads d_model dim"]:
    """Take the per-head matrices out of the packed one: the inverse of `pack_heads`.

    Parameters
    ----------
    w : array (d_model, n_heads * head_dim), any dtype
    n_heads : int

    Returns
    -------
    array (n_heads, d_model, head_dim), the dtype of `w`
        A view.

    Raises
    ------
    TypeError, ValueError
        If `w` is not a 2-D array, or `n_heads` does not divide its width.

    Notes
    -----
    ``w_heads[h, i, j] = w[i, h * head_dim + j]``; the inverse of `pack_heads`, with its source.

    Examples
    --------
    >>> import numpy as np
    >>> unpack_heads(np.array([[1, 2, 5, 6], [3, 4, 7, 8]]), 2)[1]
    array([[5, 6],
           [7, 8]])
    """
    d_model, width = _require.axes(
        "w", w, "d_model", "n_heads * head_dim", kind=_require.EITHER
    )
    head_dim = _require.divides(
        "n_heads", _require.count("n_heads", n_heads), "width", width
    )
    return w.reshape(d_model, n_heads, head_dim).swapaxes(0, 1)
