"""From MHA to GQA: the K/V heads of a trained model, averaged."""

from manyheads import _require
from manyheads._shapes import AnyArray, Float


def pool_kv_heads(
    w: Float[AnyArray, "d_model width"], n_heads: int, n_kv_heads: int
) -> Float[AnyArray, "d_model pooled_width"]:
    """Average each group's key or value heads into one.

    Parameters
    ----------
    w : float array (d_model, n_heads * head_dim)
        W_K or W_V of multi-head attention, one head beside the other.
    n_heads : int
        Heads in `w`.
    n_kv_heads : int
        Heads to keep; divides `n_heads`.

    Returns
    -------
    float array (d_model, n_kv_heads * head_dim), the dtype of `w`
        For `gqa`, beside the W_Q and W_O as they were.

    Raises
    ------
    TypeError, ValueError
        If the numbers do not divide.

    Notes
    -----
    ``pooled[j] = mean of w[h] over h // group == j`` (Ainslie et al. 2023, "GQA", section 2.1: better than taking
    the first head or a new one). The model must then be trained on, about 5 % of its steps in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> pool_kv_heads(np.array([[1.0, 3.0, 10.0, 20.0]]), n_heads=4, n_kv_heads=2)
    array([[ 2., 15.]])
    """
    d_model, width = _require.axes(
        "w", w, "d_model", "n_heads * head_dim", kind=_require.EITHER
    )
    _require.floats(w=w)
    n_heads = _require.count("n_heads", n_heads)
    n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
    group = _require.divides("n_kv_heads", n_kv_heads, "n_heads", n_heads)
    head_dim = _require.divides("n_heads", n_heads, "width", width)
    groups = w.reshape(d_model, n_kv_heads, group, head_dim)
    return groups.mean(2).reshape(d_model, n_kv_heads * head_dim)
