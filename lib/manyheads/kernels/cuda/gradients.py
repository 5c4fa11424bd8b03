"""Gradients of attention from its output and its lse, with the scores computed again, in plain torch."""

import torch
from torch import Tensor


def attention_gradients(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    d_out: Tensor,
    d_lse: Tensor,
    *,
    visible: Tensor,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients with respect to q, k and v. All scores of a call are in memory at once, unlike in the forward pass.

    Parameters
    ----------
    q, k, v, out : float tensors (batch, heads, length, dim)
    lse : float tensor (batch, heads, q_len)
        Minus infinity in rows that see no key.
    d_out, d_lse
        Gradients with respect to `out` and `lse`.
    visible : bool tensor (batch, q_len, k_len)
        True where a query may attend.
    scale, softcap
        As in the forward pass.

    Returns
    -------
    tuple of 3 float tensors, shaped like q, k and v

    Notes
    -----
    With P the weights: ``dV = P^T dO``, ``dS = P * (dO V^T - rowsum(dO * O))`` (Dao 2023, FlashAttention-2,
    section 2.3.2); lse adds ``P d_lse`` to dS, and a softcap c the factor ``1 - (S / c)^2``.

    Examples
    --------
    >>> q, k, v = torch.zeros(1, 1, 1, 4), torch.ones(1, 1, 1, 4), torch.ones(1, 1, 1, 2)
    >>> lse, everything = torch.zeros(1, 1, 1), torch.ones(1, 1, 1, dtype=torch.bool)
    >>> attention_gradients(q, k, v, v, lse, v, 0 * lse, visible=everything, scale=0.5, softcap=None)[2]
    tensor([[[[1., 1.]]]])
    """
    groups = (k.shape[1], q.shape[1] // k.shape[1])  # query heads that share a K/V head lie side by side
    q, out, lse, d_out, d_lse = (x.unflatten(1, groups) for x in (q, out, lse, d_out, d_lse))
    read = visible.any(dim=1)[:, None, :, None]  # whatever lies in other slots goes nowhere
    k, v = (torch.where(read, x, 0.0)[:, :, None] for x in (k, v))

    scores = scale * q @ k.mT
    capped = scores if softcap is None else softcap * torch.tanh(scores / softcap)
    weights = torch.where(visible[:, None, None], torch.exp(capped - lse[..., None]), 0.0)
    d_weights = d_out @ v.mT
    d_capped = weights * (d_weights - (d_out * out).sum(-1, keepdim=True) + d_lse[..., None])
    d_scores = d_capped if softcap is None else d_capped * (1 - (capped / softcap) ** 2)

    d_q = scale * d_scores @ k
    d_k = scale * (d_scores.mT @ q).sum(2)
    d_v = (weights.mT @ d_out).sum(2)
    return d_q.flatten(1, 2), d_k, d_v


def visible_pairs(
    q_len: int, k_len: int, left: int | None, right: int | None, lengths: Tensor | None, device
) -> Tensor:
    """Which query sees which key, (batch or 1, q_len, k_len); the last query stands beside the last key.

    Examples
    --------
    >>> visible_pairs(2, 3, 1, 0, None, "cpu").int()
    tensor([[[1, 1, 0],
             [0, 1, 1]]], dtype=torch.int32)
    """
    keys = torch.arange(k_len, device=device)
    positions = torch.arange(q_len, device=device)[:, None] + k_len - q_len
    visible = torch.ones(1, q_len, k_len, dtype=torch.bool, device=device)
    if left is not None:
        visible = visible & (keys >= positions - left)
    if right is not None:
        visible = visible & (keys <= positions + right)
    if lengths is not None:
        visible = visible & (keys < lengths[:, None, None])
    return visible
