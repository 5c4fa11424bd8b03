"""Softmax: scores to weights that sum to one."""

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Float
from manyheads.reference._precision import working


def softmax(
    scores: Float[Array, "*axes"], axis: int = -1
) -> Float[Array, "*axes"]:
    """Turn scores into weights that are not negative and sum to one along an axis.

    Parameters
    ----------
    scores : float array of any shape
        Minus infinity forbids an entry: its weight is exactly 0.
    axis : int
        The axis of the keys.

    Returns
    -------
    float array, the shape and dtype of `scores`
        A row in which every entry is minus infinity, or that has no entry, gives zeros and no NaN.

    Raises
    ------
    TypeError
        If `scores` is not an array of floats.

    Notes
    -----
    ``w_j = exp(s_j - m) / sum_i exp(s_i - m)`` with ``m = max_i s_i``, which changes nothing and keeps
    the exponential from overflowing (Goodfellow et al. 2016, section 4.1). float16 and bfloat16 are
    computed in float32.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.array([[0.0, 0.0, -np.inf], [-np.inf, -np.inf, -np.inf]]))
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 0. ]])
    """
    _require.array("scores", scores)
    _require.floats(scores=scores)
    _require.axis("scores", scores, axis)
    wide = scores.astype(working(scores.dtype), copy=False)
    largest = wide.max(axis, keepdims=True, initial=-np.inf)
    # A row with nothing in it has no largest score: take 0.
    largest = np.where(np.isneginf(largest), 0, largest)
    weights = np.exp(wide - largest)
    total = weights.sum(axis, keepdims=True)
    weights /= np.where(total == 0, 1, total)
    return weights.astype(scores.dtype, copy=False)
