"""Rotary position embedding on tensors, in both ways of pairing the elements."""

from collections.abc import Sequence

import torch

from manyheads import _require
from manyheads.reference.rotary import check_pairing, check_positions
from manyheads.torch_path._precision import working
from manyheads.torch_path._shapes import AnyArray, Float, Int, Tensor


def apply_rotary(
    x: Float[Tensor, "batch heads seq dim"],
    positions: Int[AnyArray, "..."] | Sequence[int] | None = None,
    *,
    base: float = 10_000.0,
    pairing: str = "interleaved",
) -> Float[Tensor, "batch heads seq dim"]:
    """Turn each pair of elements by an angle that grows with the token's position.

    Parameters
    ----------
    x : float tensor (batch, heads, seq, dim)
        Queries or keys; `dim` is even.
    positions : ints (seq,) or (batch, seq), optional
        Default ``0 … seq - 1``.
    base : float
    pairing : {"interleaved", "halves"}
        Which elements make a pair: 2i and 2i + 1, or i and i + dim / 2.

    Returns
    -------
    float tensor, the shape and dtype of `x`

    Raises
    ------
    TypeError, ValueError
        If `dim` is odd, the positions do not fit, or the pairing is unknown.

    Notes
    -----
    Pair i at position p turns by ``p base^(-2i / dim)``; as `manyheads.reference.apply_rotary`, with its source.

    Examples
    --------
    >>> import torch
    >>> apply_rotary(torch.tensor([[[[1.0, 0.0, 1.0, 0.0]]]]), [1])[0, 0, 0]
    tensor([0.5403, 0.8415, 0.9999, 0.0100])
    """
    batch, _, seq, dim = _require.axes(
        "x", x, "batch", "heads", "seq", "dim", kind=_require.TORCH
    )
    _require.floats(x=x)
    check_pairing("pairing", pairing, "dim", dim)
    half = dim // 2
    base = _require.positive("base", base)
    at = torch.arange(seq)
    if positions is not None:
        at = _require.integers("positions", positions, torch.as_tensor)
    check_positions(at, batch, seq)
    frequency = base ** (
        -torch.arange(0, dim, 2, dtype=torch.float64) / dim
    )
    at = torch.atleast_2d(at.to("cpu"))
    angles = at[:, None, :, None] * frequency
    wide = working(x.dtype)
    cos = torch.cos(angles).to(x.device, wide)
    sin = torch.sin(angles).to(x.device, wide)
    if pairing == "interleaved":
        a, b = x[..., 0::2].to(wide), x[..., 1::2].to(wide)
        side = -1
    else:
        a, b = x[..., :half].to(wide), x[..., half:].to(wide)
        side = -2
    turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=side)
    return turned.reshape(x.shape).to(x.dtype)
