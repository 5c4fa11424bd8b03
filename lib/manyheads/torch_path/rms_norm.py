"""RMSNorm on tensors: a vector brought to unit root mean square."""

import torch

from manyheads import _require
from manyheads.torch_path._precision import working
from manyheads.torch_path._shapes import Float, Tensor


def rms_norm(
    x: Float[Tensor, "*axes width"],
    weight: Float[Tensor, "width"],
    eps: float = 1e-6,
) -> Float[Tensor, "*axes width"]:
    """Divide by the root mean square of the last axis, then weigh each element.

    Parameters
    ----------
    x : float tensor (…, width)
    weight : float tensor (width,)
    eps : float
        Keeps a vector of zeros from dividing by zero.

    Returns
    -------
    float tensor, the shape and dtype of `x`

    Raises
    ------
    TypeError, ValueError
        If the widths differ, or one is not floating point.

    Notes
    -----
    ``x / sqrt(mean(x^2) + eps) * weight``; as `manyheads.reference.rms_norm`, with its source. Under autocast `x` may
    be of 16 bits and `weight` of 32.

    Examples
    --------
    >>> import torch
    >>> rms_norm(torch.tensor([3.0, 4.0]), torch.ones(2))
    tensor([0.8485, 1.1314])
    """
    _require.array("x", x, _require.TORCH)
    (width,) = _require.axes("weight", weight, "width", kind=_require.TORCH)
    _require.floats(x=x)
    _require.floats(weight=weight)
    _require.devices(x=x, weight=weight)
    x_width = x.shape[-1] if x.ndim else 0
    _require.same("width of x", x_width, "width of weight", width)
    wide = x.to(working(x.dtype))
    square = (wide * wide).mean(-1, keepdim=True)
    return (wide * torch.rsqrt(square + eps) * weight).to(x.dtype)
