"""Putting attention over parts of the keys together, on tensors."""

from collections.abc import Sequence

import torch

from manyheads import _require
from manyheads.reference.merging import check_parts
from manyheads.torch_path._precision import working
from manyheads.torch_path._shapes import Float, Tensor


def merge_attention(
    parts: Sequence[
        tuple[
            Float[Tensor, "batch heads q_len v_head_dim"],
            Float[Tensor, "batch heads q_len"],
        ]
    ],
) -> tuple[
    Float[Tensor, "batch heads q_len v_head_dim"],
    Float[Tensor, "batch heads q_len"],
]:
    """Merge the results of the same queries over disjoint parts of the keys.

    Parameters
    ----------
    parts : sequence of pairs (out, lse)
        As `blocked_attention` gives them with ``return_lse=True``. A part in which a query may attend to
        nothing has minus infinity there and weighs nothing.

    Returns
    -------
    out : float tensor (batch, heads, q_len, v_head_dim), the dtype of the parts' out
    lse : float tensor (batch, heads, q_len)

    Raises
    ------
    TypeError, ValueError
        If there is no part, or the parts differ in shape or dtype.

    Notes
    -----
    ``lse = log sum_i e^(lse_i)``, ``out = sum_i e^(lse_i - lse) out_i``; as `manyheads.reference.merge_attention`,
    with its source.

    Examples
    --------
    >>> import torch
    >>> one = torch.full((1, 1, 1, 2), 10.0), torch.zeros(1, 1, 1)
    >>> two = torch.full((1, 1, 1, 2), 20.0), torch.zeros(1, 1, 1)
    >>> merge_attention([one, two])[0]
    tensor([[[[15., 15.]]]])
    """
    outs, lses = check_parts(parts, _require.TORCH)
    wide = working(outs[0].dtype)
    lse = torch.stack([one.to(wide) for one in lses])
    largest = lse.detach().amax(0)
    largest = torch.where(torch.isneginf(largest), 0.0, largest)
    weights = torch.exp(lse - largest)
    total = weights.sum(0)
    some = total > 0
    total = torch.where(some, total, 1.0)
    stacked = torch.stack([one.to(wide) for one in outs])
    out = ((weights / total)[..., None] * stacked).sum(0)
    merged = torch.where(some, largest + torch.log(total), -torch.inf)
    return out.to(outs[0].dtype), merged
