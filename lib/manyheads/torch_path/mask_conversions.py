"""Masks as other libraries mean them, to this course's and back, on tensors."""

import torch

from manyheads import _require
from manyheads.reference.mask_conversions import flip_mask
from manyheads.torch_path._shapes import Bool, Float, Tensor


def mask_to_bias(
    mask: Bool[Tensor, "*axes"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*axes"]:
    """From a boolean mask to one that is added.

    Parameters
    ----------
    mask : bool tensor of any shape
        True where a query may attend.
    dtype : torch float dtype

    Returns
    -------
    float tensor of the same shape
        0 where allowed, minus infinity elsewhere.

    Raises
    ------
    TypeError
        If `mask` is not boolean.

    Notes
    -----
    As `manyheads.reference.mask_to_bias`.

    Examples
    --------
    >>> mask_to_bias(torch.tensor([[True, False]]))
    tensor([[0., -inf]])
    """
    forbidden = flip_mask(mask)
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    _require.floats(dtype=zeros)
    return zeros.masked_fill(forbidden, -torch.inf)


def bias_to_mask(bias: Float[Tensor, "*axes"]) -> Bool[Tensor, "*axes"]:
    """From a mask that is added to a boolean one.

    Parameters
    ----------
    bias : float tensor of any shape
        0 where allowed; minus infinity, or a large negative stand-in (-10,000 or less), where not.

    Returns
    -------
    bool tensor of the same shape
        True where a query may attend.

    Raises
    ------
    TypeError
        If `bias` is not floating point.
    ValueError
        If it holds other numbers: then it is more than a mask.

    Notes
    -----
    ``mask = bias == 0``; as `manyheads.reference.bias_to_mask`.

    Examples
    --------
    >>> bias_to_mask(torch.tensor([[0.0, -torch.inf, -1e9]]))
    tensor([[ True, False, False]])
    """
    _require.array("bias", bias, _require.TORCH)
    _require.floats(bias=bias)
    allowed, forbidden = bias == 0, bias <= -1e4
    if not bool((allowed | forbidden).all()):
        other = bias[~(allowed | forbidden)][0].item()
        raise ValueError(
            f"bias holds {other:g}, so it is more than a mask; give it to bias="
        )
    return allowed


def top_left_causal_mask(
    q_len: int, k_len: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "q_len k_len"]:
    """The causal mask of libraries that align it at the top left: query i sees keys 0 to i.

    Parameters
    ----------
    q_len, k_len : int
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
    ``mask[i, j] = j <= i``; as `manyheads.reference.top_left_causal_mask`.

    Examples
    --------
    >>> top_left_causal_mask(2, 3).int()
    tensor([[1, 0, 0],
            [1, 1, 0]], dtype=torch.int32)
    """
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    query = torch.arange(q_len, device=device)[:, None]
    return torch.arange(k_len, device=device) <= query
