"""Softmax on tensors: scores to weights that sum to one."""

import torch

from manyheads import _require
from manyheads.torch_path._observe import observable
from manyheads.torch_path._precision import working
from manyheads.torch_path._shapes import Float, Tensor


@observable
def softmax(
    scores: Float[Tensor, "*axes"], axis: int = -1
) -> Float[Tensor, "*axes"]:
    """Turn scores into weights that are not negative and sum to one along an axis.

    Parameters
    ----------
    scores : float tensor of any shape
        Minus infinity forbids an entry: its weight is exactly 0.
    axis : int
        The axis of the keys.

    Returns
    -------
    float tensor, the shape and dtype of `scores`
        A row with nothing in it gives zeros, and zero gradients; torch's own softmax gives NaN.

    Raises
    ------
    TypeError
        If `scores` is not a tensor of floats.

    Notes
    -----
    As `manyheads.reference.softmax`, with its source.

    Examples
    --------
    >>> import torch
    >>> softmax(torch.tensor([[0.0, 0.0, -torch.inf], [-torch.inf, -torch.inf, -torch.inf]]))
    tensor([[0.5000, 0.5000, 0.0000],
            [0.0000, 0.0000, 0.0000]])
    """
    _require.array("scores", scores, _require.TORCH)
    _require.floats(scores=scores)
    _require.axis("scores", scores, axis)
    if scores.shape[axis] == 0:
        return scores.clone()
    wide = scores.to(working(scores.dtype))
    # Softmax does not depend on what is subtracted, so no gradient is lost.
    largest = wide.detach().amax(axis, keepdim=True)
    largest = torch.where(torch.isneginf(largest), 0.0, largest)
    weights = torch.exp(wide - largest)
    total = weights.sum(axis, keepdim=True)
    weights = weights / torch.where(total == 0, 1.0, total)
    return weights.to(scores.dtype)
