"""Weights and heads as other libraries lay them, to this course's and back."""

from manyheads import _require
from manyheads._shapes import AnyArray, Shaped
from manyheads.reference.fused_layouts import merge_qkv, split_qkv
from manyheads.reference.heads import combine_heads, split_heads


def transpose_linear(
    w: Shaped[AnyArray, "rows columns"],
) -> Shaped[AnyArray, "columns rows"]:
    """From the weight of a torch `nn.Linear` to this course's, or back.

    Parameters
    ----------
    w : array (d_out, d_in) as `nn.Linear` stores it, or (d_in, d_out) as this course does; any dtype

    Returns
    -------
    array, the other way round
        A view.

    Raises
    ------
    TypeError, ValueError
        If `w` is not a 2-D array.

    Notes
    -----
    `nn.Linear` computes ``x W^T``, this course ``x W``. GPT-2's checkpoints come from a Conv1D layer that already
    stores (d_in, d_out): its weights are used as they are, and transposing them raises nothing where d_in = d_out.

    Examples
    --------
    >>> import numpy as np
    >>> transpose_linear(np.zeros((3, 2))).shape
    (2, 3)
    """
    _require.axes("w", w, "rows", "columns", kind=_require.EITHER)
    return w.swapaxes(0, 1)


def split_qkv_weights(
    w: Shaped[AnyArray, "d_model width"],
    n_heads: int,
    n_kv_heads: int | None = None,
    layout: str = "concatenated",
) -> tuple[
    Shaped[AnyArray, "d_model q_width"],
    Shaped[AnyArray, "d_model kv_width"],
    Shaped[AnyArray, "d_model kv_width"],
]:
    """Take W_Q, W_K and W_V out of one fused matrix.

    Parameters
    ----------
    w : array (d_model, (n_heads + 2 * n_kv_heads) * head_dim), any dtype
        `nn.MultiheadAttention`'s ``in_proj_weight`` is the transpose of one. For a fused bias give
        ``bias[None]``.
    n_heads, n_kv_heads, layout
        As in `split_qkv`.

    Returns
    -------
    w_q : array (d_model, n_heads * head_dim)
    w_k, w_v : arrays (d_model, n_kv_heads * head_dim)

    Raises
    ------
    TypeError, ValueError
        As in `split_qkv`.

    Notes
    -----
    A row of the matrix is laid out as a token's projection is, so this is `split_qkv` on the rows, with its
    sources.

    Examples
    --------
    >>> import numpy as np
    >>> w_q, w_k, w_v = split_qkv_weights(np.arange(6)[None], 2, layout="per_head")
    >>> w_q.tolist(), w_k.tolist(), w_v.tolist()
    ([[0, 3]], [[1, 4]], [[2, 5]])
    """
    _require.axes(
        "w",
        w,
        "d_model",
        "(n_heads + 2 * n_kv_heads) * head_dim",
        kind=_require.EITHER,
    )
    parts = split_qkv(w[None], n_heads, n_kv_heads, layout)
    w_q, w_k, w_v = (combine_heads(part)[0] for part in parts)
    return w_q, w_k, w_v


def merge_qkv_weights(
    w_q: Shaped[AnyArray, "d_model q_width"],
    w_k: Shaped[AnyArray, "d_model kv_width"],
    w_v: Shaped[AnyArray, "d_model kv_width"],
    n_heads: int,
    n_kv_heads: int | None = None,
    layout: str = "concatenated",
) -> Shaped[AnyArray, "d_model width"]:
    """Put W_Q, W_K and W_V into one fused matrix: the inverse of `split_qkv_weights`.

    Parameters
    ----------
    w_q : array (d_model, n_heads * head_dim), any dtype
    w_k, w_v : arrays (d_model, n_kv_heads * head_dim)
    n_heads, n_kv_heads, layout
        As in `split_qkv`.

    Returns
    -------
    array (d_model, (n_heads + 2 * n_kv_heads) * head_dim)

    Raises
    ------
    TypeError, ValueError
        As in `merge_qkv`.

    Notes
    -----
    ``x @ merged`` is `merge_qkv` of the three products; sources as for `split_qkv`.

    Examples
    --------
    >>> import numpy as np
    >>> merge_qkv_weights(np.array([[0, 3]]), np.array([[1, 4]]), np.array([[2, 5]]), 2, layout="per_head")
    array([[0, 1, 2, 3, 4, 5]])
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    n_heads = _require.count("n_heads", n_heads)
    n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        _require.axes(name, w, "d_model", "width", kind=_require.EITHER)
        heads = ("n_heads", n_heads)
        if name != "w_q":
            heads = ("n_kv_heads", n_kv_heads)
        _require.divides(*heads, f"columns of {name}", w.shape[1])
        _require.same(
            "rows of w_q", w_q.shape[0], f"rows of {name}", w.shape[0]
        )
    _require.devices(w_q=w_q, w_k=w_k, w_v=w_v)
    q = split_heads(w_q[None], n_heads)
    k = split_heads(w_k[None], n_kv_heads)
    v = split_heads(w_v[None], n_kv_heads)
    return merge_qkv(q, k, v, layout)[0]


def group_heads(
    x: Shaped[AnyArray, "batch heads length dim"], n_kv_heads: int
) -> Shaped[AnyArray, "batch heads length dim"]:
    """Query heads of a model that tiles its K/V heads, in the order that this course expects.

    Parameters
    ----------
    x : array (batch, heads, length, dim), any dtype
        Head h reads K/V head ``h % n_kv_heads``.
    n_kv_heads : int

    Returns
    -------
    array of the same shape
        Head h reads K/V head ``h // (heads // n_kv_heads)``. W_O must be reordered alike.

    Raises
    ------
    TypeError, ValueError
        If `x` has other axes, or the heads do not divide.

    Notes
    -----
    ``grouped[:, j * g + i] = tiled[:, i * n_kv_heads + j]`` with ``g = heads // n_kv_heads``. `tile_heads` is
    the way back. Llama, Mistral and torch group; ``np.tile`` where ``np.repeat`` was meant tiles.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6).reshape(1, 6, 1, 1)                          # heads 0, 2, 4 read K/V head 0 of two
    >>> group_heads(x, 2).ravel()
    array([0, 2, 4, 1, 3, 5])
    """
    batch, heads, length, dim = _require.axes(
        "x", x, "batch", "heads", "length", "dim", kind=_require.EITHER
    )
    n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
    group = _require.divides("n_kv_heads", n_kv_heads, "heads", heads)
    tiled = x.reshape(batch, group, n_kv_heads, length, dim)
    return tiled.swapaxes(1, 2).reshape(x.shape)


def tile_heads(
    x: Shaped[AnyArray, "batch heads length dim"], n_kv_heads: int
) -> Shaped[AnyArray, "batch heads length dim"]:
    """Query heads in the order of a model that tiles its K/V heads: the inverse of `group_heads`.

    Parameters
    ----------
    x : array (batch, heads, length, dim), any dtype
        Head h reads K/V head ``h // (heads // n_kv_heads)``.
    n_kv_heads : int

    Returns
    -------
    array of the same shape
        Head h reads K/V head ``h % n_kv_heads``.

    Raises
    ------
    TypeError, ValueError
        If `x` has other axes, or the heads do not divide.

    Notes
    -----
    ``tiled[:, i * n_kv_heads + j] = grouped[:, j * g + i]``; see `group_heads`.

    Examples
    --------
    >>> import numpy as np
    >>> tile_heads(np.arange(6).reshape(1, 6, 1, 1), 2).ravel()
    array([0, 3, 1, 4, 2, 5])
    """
    _, heads, _, _ = _require.axes(
        "x", x, "batch", "heads", "length", "dim", kind=_require.EITHER
    )
    n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
    return group_heads(
        x, _require.divides("n_kv_heads", n_kv_heads, "heads", heads)
    )
