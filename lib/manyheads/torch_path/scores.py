"""From queries and keys to weights on tensors, stage by stage."""

import torch

from manyheads import _require
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.reference.scores import STAGES
from manyheads.torch_path._call import Call, checked, drop_unread
from manyheads.torch_path._precision import own_precision, working
from manyheads.torch_path._shapes import Bool, Float, Tensor
from manyheads.torch_path.softmax import softmax


def attention_scores(
    q: Float[Tensor, "batch heads q_len head_dim"],
    k: Float[Tensor, "batch kv_heads k_len head_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    stage: str = "masked",
) -> Float[Tensor, "batch heads q_len k_len"]:
    """What `attention` computes on its way to the weights, up to a stage.

    Parameters
    ----------
    q, k, mask, bias, causal, window, scale, softcap
        As in `attention`.
    stage : {"scaled", "capped", "masked", "weights"}
        The last step that is taken, in this order: scale; softcap; bias and mask; softmax.

    Returns
    -------
    float tensor (batch, heads, q_len, k_len), the dtype of `q`

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and for an unknown stage.

    Notes
    -----
    As `manyheads.reference.attention_scores`, with its source.

    Examples
    --------
    >>> import torch
    >>> q = k = torch.ones(1, 1, 2, 4)
    >>> attention_scores(q, k, causal=True)[0, 0]
    tensor([[2., -inf],
            [2., 2.]])
    """
    _require.one_of("stage", stage, STAGES)
    call = checked(
        q,
        k,
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )
    with own_precision(q):
        scores = scores_up_to(stage, q, k, call, call.allowed())
    return scores.to(q.dtype)


def scores_up_to(
    stage: str, q: Tensor, k: Tensor, call: Call, allowed: Tensor | None
) -> Tensor:
    """The scores after a stage, in the dtype in which they are computed."""
    wide = working(q.dtype)
    k = drop_unread(k.to(wide), call.read(allowed))
    # One product for each K/V head and all the queries that share it.
    queries = stack_group(q.to(wide), call.sizes.kv_heads)
    products = (call.scale * queries) @ k.swapaxes(-1, -2)
    scores = unstack_group(products, call.sizes.heads)
    if stage == "scaled":
        return scores
    if call.softcap is not None:
        scores = call.softcap * torch.tanh(scores / call.softcap)
    if stage == "capped":
        return scores
    if call.bias is not None:
        scores = scores + call.bias.to(wide)
    if allowed is not None:
        scores = torch.where(allowed, scores, -torch.inf)
    return scores if stage == "masked" else softmax(scores)
