"""From the tokens to the heads: with a matrix for each head, and with one matrix for all."""

from manyheads import _arrays, _require
from manyheads._shapes import AnyArray, Float
from manyheads.reference.heads import split_heads


def per_head_projections(
    x: Float[AnyArray, "batch seq d_model"],
    w: Float[AnyArray, "n_heads d_model dim"],
) -> Float[AnyArray, "batch n_heads seq dim"]:
    """Project the tokens once for every head, each time with that head's own matrix.

    Parameters
    ----------
    x : float array (batch, seq, d_model)
    w : float array (n_heads, d_model, head_dim)
        ``w[h]`` is head h's matrix: its W_Q, W_K or W_V.

    Returns
    -------
    float array (batch, n_heads, seq, head_dim), the dtype of `x` and `w` together

    Raises
    ------
    TypeError, ValueError
        If an argument has other axes, or the two d_model differ.

    Notes
    -----
    ``out[b, h] = x[b] @ w[h]``, n_heads products (Vaswani et al. 2017, section 3.2.2).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 2.0]]])                         # one token, d_model 2
    >>> w = np.array([[[1.0], [0.0]], [[0.0], [10.0]]])      # two heads of width 1
    >>> per_head_projections(x, w)[0, :, 0, 0]
    array([ 1., 20.])
    """
    _, _, d_model = _require.axes(
        "x", x, "batch", "seq", "d_model", kind=_require.EITHER
    )
    _, w_d_model, _ = _require.axes(
        "w", w, "n_heads", "d_model", "head_dim", kind=_require.EITHER
    )
    _require.same("d_model of x", d_model, "d_model of w", w_d_model)
    _require.product(x=x, w=w)
    return _arrays.stack([x @ w_head for w_head in w], axis=1)


def fused_projection(
    x: Float[AnyArray, "batch seq d_model"],
    w: Float[AnyArray, "d_model width"],
    n_heads: int,
    b: Float[AnyArray, "width"] | None = None,
) -> Float[AnyArray, "batch n_heads seq dim"]:
    """Project the tokens for all heads with one product, then split the result into heads.

    Parameters
    ----------
    x : float array (batch, seq, d_model)
    w : float array (d_model, n_heads * head_dim)
        The per-head matrices side by side, as `pack_heads` lays them.
    n_heads : int
    b : float array (n_heads * head_dim,), optional
        A bias, added before the split.

    Returns
    -------
    float array (batch, n_heads, seq, head_dim), the dtype of `x` and `w` together
        Equal to `per_head_projections` with the same weights unpacked, up to rounding.

    Raises
    ------
    TypeError, ValueError
        If an argument has other axes, the two d_model differ, or `n_heads` does not divide the width.

    Notes
    -----
    ``out = split_heads(x @ w + b)``: a block of columns of a product is the product with that block
    (Vaswani et al. 2017, section 3.2.2).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 2.0]]])
    >>> fused_projection(x, np.array([[1.0, 0.0], [0.0, 10.0]]), n_heads=2)[0, :, 0, 0]
    array([ 1., 20.])
    """
    _, _, d_model = _require.axes(
        "x", x, "batch", "seq", "d_model", kind=_require.EITHER
    )
    w_d_model, width = _require.axes(
        "w", w, "d_model", "n_heads * head_dim", kind=_require.EITHER
    )
    _require.same("d_model of x", d_model, "d_model of w", w_d_model)
    _require.product(x=x, w=w)
    if b is None:
        return split_heads(x @ w, n_heads)
    (b_width,) = _require.axes("b", b, "width", kind=_require.EITHER)
    _require.same("width of w", width, "width of b", b_width)
    _require.product(x=x, b=b)
    return split_heads(x @ w + b, n_heads)
