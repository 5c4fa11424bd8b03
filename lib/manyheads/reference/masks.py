"""Masks: who may attend to whom. Boolean, True where a query may attend."""

from collections.abc import Sequence

import numpy as np

from manyheads import _arguments, _require
from manyheads._shapes import Array, Bool, Int, Shaped


def causal_mask(q_len: int, k_len: int) -> Bool[Array, "q_len k_len"]:
    """Each query sees the keys up to its own position; the last query sees every key.

    Parameters
    ----------
    q_len, k_len : int
        Queries and keys, in tokens. With fewer queries than keys the queries are the last tokens, as in
        decoding; with more, the first ``q_len - k_len`` queries see no key at all.

    Returns
    -------
    bool array (q_len, k_len)

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number of at least 0.

    Notes
    -----
    ``mask[i, j] = j <= i + k_len - q_len``: aligned at the bottom right, as in FlashAttention since 2.1.
    torch's ``is_causal=True`` is aligned at the top left; see `top_left_causal_mask`.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    return band_mask(q_len, k_len, _arguments.Band(None, 0))


def sliding_window_mask(
    q_len: int, k_len: int, window: int | tuple[int | None, int | None]
) -> Bool[Array, "q_len k_len"]:
    """Each query sees only keys near its own position.

    Parameters
    ----------
    q_len, k_len : int
        Queries and keys, in tokens; aligned at the bottom right like `causal_mask`.
    window : int or pair (left, right)
        A number W is causal: the W keys that end with the query's own position. A pair counts neighbours on
        both sides, without the token itself; None in it sets no limit on that side.

    Returns
    -------
    bool array (q_len, k_len)

    Raises
    ------
    TypeError, ValueError
        If a length or a window is no whole number, or the window has no room for the token itself.

    Notes
    -----
    With ``p = i + k_len - q_len``: ``mask[i, j] = p - W < j <= p``, or ``p - left <= j <= p + right``.
    W counts as in Mistral 7B (Jiang et al. 2023), whose 4096 includes the token itself; other libraries count
    neighbours: see `window_from_neighbours`.

    Examples
    --------
    >>> sliding_window_mask(4, 4, 2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    if isinstance(window, tuple | list):
        return band_mask(q_len, k_len, _arguments.side_by_side(window))
    width = _arguments.causal_window(window)
    return band_mask(q_len, k_len, _arguments.Band(width - 1, 0))


def padding_mask(
    lengths: Int[Array, "batch"]
    | Bool[Array, "batch k_len"]
    | Sequence[int],
    k_len: int | None = None,
) -> Bool[Array, "batch 1 1 k_len"]:
    """No query sees the padding of its own sequence.

    Parameters
    ----------
    lengths : int array or list (batch,), or bool array (batch, k_len)
        Real tokens in each sequence, which stand at its start; or a flag for every token, True where it is
        real (which serves padding on any side).
    k_len : int, optional
        Tokens in each row of the batch, padding included. Needed with lengths.

    Returns
    -------
    bool array (batch, 1, 1, k_len)
        It broadcasts over heads and queries. From flags, a view of them.

    Raises
    ------
    TypeError, ValueError
        If `lengths` is neither, `k_len` is missing or does not fit, or a length is negative or over `k_len`.

    Notes
    -----
    ``mask[b, 0, 0, j] = j < lengths[b]``. Vaswani et al. 2017 do not mention it; without it the result for a
    sequence depends on what it was batched with.

    Examples
    --------
    >>> padding_mask(np.array([3, 1]), 4)[:, 0, 0].astype(int)
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]])
    """
    if _require.kind_of(lengths):
        _require.array("lengths", lengths)
    lengths = _require.integers("lengths", lengths, np.asarray)
    if lengths.ndim == 2 and _require.is_bool(lengths):
        flags = lengths.shape[1]
        _require.same(
            "flags in a row",
            flags,
            "k_len",
            flags if k_len is None else k_len,
        )
        return lengths[:, None, None, :]
    integers = np.issubdtype(lengths.dtype, np.integer)
    if lengths.ndim != 1 or not (integers or lengths.size == 0):
        raise TypeError(
            "lengths must be integers (batch,) or boolean flags (batch, k_len), "
            f"got {_require.dtype_name(lengths)} of shape {lengths.shape}"
        )
    if k_len is None:
        raise ValueError(
            "k_len is missing: with lengths, padding_mask(lengths, k_len) needs it"
        )
    k_len = _require.count("k_len", k_len, 0)
    if lengths.size and not (lengths.min() >= 0 and lengths.max() <= k_len):
        raise ValueError(
            f"lengths must be from 0 to k_len={k_len}, got {lengths.tolist()}"
        )
    return (np.arange(k_len) < lengths[:, None])[:, None, None, :]


def block_sparse_mask(
    layout: Bool[Array, "q_blocks k_blocks"], block: int
) -> Bool[Array, "q_len k_len"]:
    """Each block of queries sees whole blocks of keys.

    Parameters
    ----------
    layout : bool array (q_blocks, k_blocks)
        True where a block of queries may attend to a block of keys.
    block : int
        Tokens in a block.

    Returns
    -------
    bool array (q_blocks * block, k_blocks * block)
        Slice it for lengths that are no multiple of `block`.

    Raises
    ------
    TypeError, ValueError
        If `layout` is not a boolean matrix, or `block` not a whole number of at least 1.

    Notes
    -----
    ``mask[i, j] = layout[i // block, j // block]`` (Child et al. 2019, "Sparse Transformers").

    Examples
    --------
    >>> block_sparse_mask(np.array([[True, False], [True, True]]), 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 1],
           [1, 1, 1, 1]])
    """
    _require.axes("layout", layout, "q_blocks", "k_blocks")
    if layout.dtype != bool:
        raise TypeError(f"layout must be boolean, got {layout.dtype}")
    block = _require.count("block", block)
    return layout.repeat(block, axis=0).repeat(block, axis=1)


def combine_masks(
    *masks: Shaped[Array, "..."] | None,
) -> Shaped[Array, "..."] | None:
    """A query may attend where every mask lets it.

    Parameters
    ----------
    *masks : bool arrays (q_len, k_len), or four axes that broadcast to (batch, heads, q_len, k_len); or None
        None stands for a mask that forbids nothing.

    Returns
    -------
    bool array, the masks broadcast against each other; None if there is none

    Raises
    ------
    TypeError, ValueError
        If a mask is not boolean, has another number of axes, or does not fit the others.

    Notes
    -----
    ``mask = mask_1 & mask_2 & …``. A mask that is added (a bias) is not one of them.

    Examples
    --------
    >>> both = combine_masks(causal_mask(2, 2), padding_mask(np.array([2, 1]), 2))
    >>> both.shape, both[1, 0].astype(int).tolist()
    ((2, 1, 2, 2), [[1, 0], [1, 0]])
    """
    given = [mask for mask in masks if mask is not None]
    _arguments.masks_fit(given, _require.NUMPY)
    return (
        np.logical_and.reduce(np.broadcast_arrays(*given))
        if given
        else None
    )


def band_mask(
    q_len: int, k_len: int, band: _arguments.Band
) -> Bool[Array, "q_len k_len"]:
    """The keys near enough to each query: what `causal` and `window` come to."""
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    position = np.arange(q_len)[:, None] + (k_len - q_len)
    key = np.arange(k_len)
    near = np.ones((q_len, k_len), bool)
    if band.left is not None:
        near &= key >= position - band.left
    if band.right is not None:
        near &= key <= position + band.right
    return near
