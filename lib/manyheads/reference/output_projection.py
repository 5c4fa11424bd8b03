"""W_O: the only place in the layer where heads mix."""

from manyheads import _require
from manyheads._shapes import AnyArray, Float
from manyheads.reference.heads import combine_heads


def mix_heads(
    x: Float[AnyArray, "batch n_heads seq v_head_dim"],
    w_o: Float[AnyArray, "width d_model"],
) -> Float[AnyArray, "batch seq d_model"]:
    """Lay the heads side by side and take them back to d_model.

    Parameters
    ----------
    x : float array (batch, n_heads, seq, v_head_dim)
        What `attention` gives.
    w_o : float array (n_heads * v_head_dim, d_model)
        Head h's rows are ``h * v_head_dim`` to ``(h + 1) * v_head_dim``.

    Returns
    -------
    float array (batch, seq, d_model)
        The sum over heads of `head_contributions`.

    Raises
    ------
    TypeError, ValueError
        If the axes do not fit.

    Notes
    -----
    ``concat(head_1 … head_h) W_O = sum_h head_h W_O[h]`` (Vaswani et al. 2017, section 3.2.2; Elhage et al. 2021
    for the sum).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[[1.0]], [[10.0]]]])                           # two heads, one token, width 1
    >>> mix_heads(x, np.array([[2.0], [3.0]]))
    array([[[32.]]])
    """
    _checked(x, w_o)
    return combine_heads(x) @ w_o


def head_contributions(
    x: Float[AnyArray, "batch n_heads seq v_head_dim"],
    w_o: Float[AnyArray, "width d_model"],
) -> Float[AnyArray, "batch n_heads seq d_model"]:
    """What each head on its own writes into the output.

    Parameters
    ----------
    x : float array (batch, n_heads, seq, v_head_dim)
    w_o : float array (n_heads * v_head_dim, d_model)

    Returns
    -------
    float array (batch, n_heads, seq, d_model)
        Summed over heads it is `mix_heads`; without one term, the output with that head removed.

    Raises
    ------
    TypeError, ValueError
        If the axes do not fit.

    Notes
    -----
    ``out[:, h] = x[:, h] @ W_O[h]``, with ``W_O[h]`` the rows of head h (Elhage et al. 2021, "A Mathematical
    Framework for Transformer Circuits").

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[[1.0]], [[10.0]]]])
    >>> head_contributions(x, np.array([[2.0], [3.0]]))[0, :, 0, 0]
    array([ 2., 30.])
    """
    n_heads, v_head_dim = _checked(x, w_o)
    return x @ w_o.reshape(n_heads, v_head_dim, -1)


def _checked(x, w_o) -> tuple[int, int]:
    either = _require.EITHER
    _, n_heads, _, v_head_dim = _require.axes(
        "x", x, "batch", "n_heads", "seq", "v_head_dim", kind=either
    )
    rows, _ = _require.axes(
        "w_o", w_o, "n_heads * v_head_dim", "d_model", kind=either
    )
    _require.floats(x=x, w_o=w_o)
    _require.same(
        "n_heads * v_head_dim of x",
        n_heads * v_head_dim,
        "rows of w_o",
        rows,
    )
    return n_heads, v_head_dim
