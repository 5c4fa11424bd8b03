"""Masks as tensors: who may attend to whom. Boolean, True where a query may attend."""

from collections.abc import Sequence

import torch

from manyheads import _arguments, _require
from manyheads.torch_path._shapes import Bool, Int, Shaped, Tensor


def causal_mask(
    q_len: int, k_len: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "q_len k_len"]:
    """Each query sees the keys up to its own position; the last query sees every key.

    Parameters
    ----------
    q_len, k_len : int
        Queries and keys, in tokens, aligned at the bottom right.
    device : torch device, optional

    Returns
    -------
    bool tensor (q_len, k_len)

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number of at least 0.

    Notes
    -----
    ``mask[i, j] = j <= i + k_len - q_len``; as `manyheads.reference.causal_mask`, with its source.

    Examples
    --------
    >>> causal_mask(2, 4).int()
    tensor([[1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)
    """
    return band_mask(q_len, k_len, _arguments.Band(None, 0), device)


def sliding_window_mask(
    q_len: int,
    k_len: int,
    window: int | tuple[int | None, int | None],
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "q_len k_len"]:
    """Each query sees only keys near its own position.

    Parameters
    ----------
    q_len, k_len : int
        Queries and keys, in tokens, aligned at the bottom right.
    window : int or pair (left, right)
        A number W is causal: the W keys that end with the query's own position. A pair counts neighbours on
        both sides, without the token itself; None in it sets no limit on that side.
    device : torch device, optional

    Returns
    -------
    bool tensor (q_len, k_len)

    Raises
    ------
    TypeError, ValueError
        If a length or a window is no whole number, or the window has no room for the token itself.

    Notes
    -----
    As `manyheads.reference.sliding_window_mask`, with its source.

    Examples
    --------
    >>> sliding_window_mask(3, 3, 2).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=torch.int32)
    """
    if isinstance(window, tuple | list):
        band = _arguments.side_by_side(window)
    else:
        band = _arguments.Band(_arguments.causal_window(window) - 1, 0)
    return band_mask(q_len, k_len, band, device)


def padding_mask(
    lengths: Int[Tensor, "batch"]
    | Bool[Tensor, "batch k_len"]
    | Sequence[int],
    k_len: int | None = None,
    *,
    device: torch.device | str | None = None,
):
    """No query sees the padding of its own sequence.

    Parameters
    ----------
    lengths : int tensor or list (batch,), or bool tensor (batch, k_len)
        Real tokens in each sequence, which stand at its start; or a flag for every token, True where it is
        real.
    k_len : int, optional
        Tokens in each row of the batch, padding included. Needed with lengths.
    device : torch device, optional
        Default that of `lengths`.

    Returns
    -------
    bool tensor (batch, 1, 1, k_len)

    Raises
    ------
    TypeError, ValueError
        If `lengths` is neither, or `k_len` is missing or does not fit.

    Notes
    -----
    ``mask[b, 0, 0, j] = j < lengths[b]``; as `manyheads.reference.padding_mask`.

    Examples
    --------
    >>> padding_mask(torch.tensor([3, 1]), 4)[:, 0, 0].int()
    tensor([[1, 1, 1, 0],
            [1, 0, 0, 0]], dtype=torch.int32)
    """
    lengths = _require.integers("lengths", lengths, torch.as_tensor)
    lengths = lengths.to(device) if device else lengths
    if lengths.ndim == 2 and lengths.dtype == torch.bool:
        flags = lengths.shape[1]
        _require.same(
            "flags in a row",
            flags,
            "k_len",
            flags if k_len is None else k_len,
        )
        return lengths[:, None, None, :]
    if (
        lengths.ndim != 1
        or lengths.dtype == torch.bool
        or (lengths.is_floating_point() and lengths.numel())
        or lengths.is_complex()
    ):
        raise TypeError(
            "lengths must be integers (batch,) or boolean flags (batch, k_len), "
            f"got {_require.dtype_name(lengths)} of shape {tuple(lengths.shape)}"
        )
    if k_len is None:
        raise ValueError(
            "k_len is missing: with lengths, padding_mask(lengths, k_len) needs it"
        )
    k_len = _require.count("k_len", k_len, 0)
    if lengths.numel() and not (
        int(lengths.min()) >= 0 and int(lengths.max()) <= k_len
    ):
        raise ValueError(
            f"lengths must be from 0 to k_len={k_len}, got {lengths.tolist()}"
        )
    key = torch.arange(k_len, device=lengths.device)
    return (key < lengths[:, None])[:, None, None, :]


def block_sparse_mask(
    layout: Bool[Tensor, "q_blocks k_blocks"], block: int
) -> Bool[Tensor, "q_len k_len"]:
    """Each block of queries sees whole blocks of keys.

    Parameters
    ----------
    layout : bool tensor (q_blocks, k_blocks)
        True where a block of queries may attend to a block of keys.
    block : int
        Tokens in a block.

    Returns
    -------
    bool tensor (q_blocks * block, k_blocks * block)

    Raises
    ------
    TypeError, ValueError
        If `layout` is not a boolean matrix, or `block` not a whole number of at least 1.

    Notes
    -----
    ``mask[i, j] = layout[i // block, j // block]``; as `manyheads.reference.block_sparse_mask`, with its source.

    Examples
    --------
    >>> block_sparse_mask(torch.tensor([[True, False]]), 2).int()
    tensor([[1, 1, 0, 0],
            [1, 1, 0, 0]], dtype=torch.int32)
    """
    _require.axes(
        "layout", layout, "q_blocks", "k_blocks", kind=_require.TORCH
    )
    if layout.dtype != torch.bool:
        raise TypeError(
            f"layout must be boolean, got {_require.dtype_name(layout)}"
        )
    block = _require.count("block", block)
    return layout.repeat_interleave(block, 0).repeat_interleave(block, 1)


def combine_masks(
    *masks: Shaped[Tensor, "..."] | None,
) -> Shaped[Tensor, "..."] | None:
    """A query may attend where every mask lets it.

    Parameters
    ----------
    *masks : bool tensors (q_len, k_len), or four axes that broadcast to (batch, heads, q_len, k_len); or None
        None stands for a mask that forbids nothing.

    Returns
    -------
    bool tensor, the masks broadcast against each other; None if there is none

    Raises
    ------
    TypeError, ValueError
        If a mask is not boolean, has another number of axes, or does not fit the others.

    Notes
    -----
    ``mask = mask_1 & mask_2 & …``; as `manyheads.reference.combine_masks`.

    Examples
    --------
    >>> combine_masks(causal_mask(2, 2), None).int()
    tensor([[1, 0],
            [1, 1]], dtype=torch.int32)
    """
    given = [mask for mask in masks if mask is not None]
    _arguments.masks_fit(given, _require.TORCH)
    both = None
    for mask in given:
        both = mask if both is None else both & mask
    return both


def band_mask(
    q_len: int,
    k_len: int,
    band: _arguments.Band,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "q_len k_len"]:
    """The keys near enough to each query: what `causal` and `window` come to."""
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    position = torch.arange(q_len, device=device)[:, None] + (k_len - q_len)
    key = torch.arange(k_len, device=device)
    near = torch.ones(q_len, k_len, dtype=torch.bool, device=device)
    if band.left is not None:
        near = near & (key >= position - band.left)
    if band.right is not None:
        near = near & (key <= position + band.right)
    return near
