"""RMSNorm: a vector brought to unit root mean square."""

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Float
from manyheads.reference._precision import working


def rms_norm(
    x: Float[Array, "*axes width"],
    weight: Float[Array, "width"],
    eps: float = 1e-6,
) -> Float[Array, "*axes width"]:
    """Divide by the root mean square of the last axis, then weigh each element.

    Parameters
    ----------
    x : float array (…, width)
    weight : float array (width,)
    eps : float
        Keeps a vector of zeros from dividing by zero.

    Returns
    -------
    float array, the shape and dtype of `x`

    Raises
    ------
    TypeError, ValueError
        If the widths or dtypes differ.

    Notes
    -----
    ``x / sqrt(mean(x^2) + eps) * weight`` (Zhang and Sennrich 2019). float16 and bfloat16 are computed in
    float32.

    Examples
    --------
    >>> import numpy as np
    >>> rms_norm(np.array([3.0, 4.0]), np.ones(2)).round(4)
    array([0.8485, 1.1314])
    """
    _require.array("x", x)
    (width,) = _require.axes("weight", weight, "width")
    _require.floats(x=x, weight=weight)
    x_width = x.shape[-1] if x.ndim else 0
    _require.same("width of x", x_width, "width of weight", width)
    wide = x.astype(working(x.dtype), copy=False)
    square = (wide * wide).mean(axis=-1, keepdims=True)
    normed = wide / np.sqrt(square + eps) * weight
    return normed.astype(x.dtype, copy=False)
