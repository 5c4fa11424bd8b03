"""Attention on tensors of any device, with a choice of what computes it."""

from typing import TYPE_CHECKING, Any

from manyheads import _require
from manyheads.kernels import cuda, triton
from manyheads.kernels.triton.decode import decode_attention
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.torch_path._call import Call, checked, drop_unread
from manyheads.torch_path._choosing import (
    BACKENDS,
    Asked,
    Choice,
    check_backend,
    choose,
    decodes,
)
from manyheads.torch_path._observe import observable
from manyheads.torch_path._precision import own_precision
from manyheads.torch_path._sdpa import sdpa
from manyheads.torch_path._shapes import Bool, Float, Tensor
from manyheads.torch_path.scores import scores_up_to

__all__ = ["BACKENDS", "Choice", "attention", "check_backend"]

if TYPE_CHECKING:  # callers without `explain` have nothing to rule out
    Explained = Any
else:
    Explained = Choice


@observable
def attention(
    q: Float[Tensor, "batch heads q_len head_dim"],
    k: Float[Tensor, "batch kv_heads k_len head_dim"],
    v: Float[Tensor, "batch kv_heads k_len v_head_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    return_weights: bool = False,
    backend: str = "auto",
    explain: bool = False,
) -> (
    Float[Tensor, "batch heads q_len v_head_dim"]
    | Explained
    | tuple[
        Float[Tensor, "batch heads q_len v_head_dim"],
        Float[Tensor, "batch heads q_len k_len"],
    ]
):
    """Scaled dot-product attention, for MHA, GQA and MQA alike. Differentiable; works compiled and under autocast.

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap, return_weights
        As in `manyheads.reference.attention`, on tensors of one device. Beyond it, `bias` may ask for gradients.
    backend : {"auto", "math", "sdpa", "triton", "cuda"}
        ``"math"`` computes it step by step and can do everything. ``"sdpa"`` calls torch's fused
        `scaled_dot_product_attention`, which knows no softcap. ``"triton"`` is ``manyheads.kernels.triton``: all but
        gradients of the bias; on the CPU only interpreted, which is for checking. ``"cuda"`` is
        ``manyheads.kernels.cuda``: float32 on a GPU, no mask and no bias. Only "math" gives weights. ``"auto"`` takes
        "sdpa" where that is fastest, on a GPU "triton" where torch would fall to a slow path, and else "math".
    explain : bool
        Compute nothing, and say what would: which backend, why, and why none of the others.

    Returns
    -------
    float tensor (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_weights` a pair; with `explain` a Choice
        A query that may attend to nothing gets 0, and gradients of 0. A K/V slot that no query of its batch
        item may attend is not read: a NaN there comes out neither forward nor backward.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or the backend cannot do what is asked; the message says which.
    NotHere
        If the backend needs something that this machine lacks: triton, a GPU; the message says what to do.

    Notes
    -----
    ``out = softmax(scale q k^T) v`` (Vaswani et al. 2017, section 3.2.1). "math" computes 16-bit inputs in float32.
    Masks go to torch in its own terms: bottom-right causal as a mask, a row with no allowed key opened and its
    result replaced by 0.

    Examples
    --------
    >>> import torch
    >>> q, k = torch.zeros(1, 2, 2, 4), torch.ones(1, 1, 2, 4)
    >>> v = torch.tensor([[[[10.0], [20.0]]]])
    >>> attention(q, k, v, causal=True)[0, 0, :, 0]
    tensor([10., 15.])
    >>> print(attention(q, k, v, softcap=5.0, explain=True).backend)
    math
    """
    _require.flag("explain", explain)
    call = checked(
        q,
        k,
        v,
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )
    choice = choose(backend, Asked(q, k, v, call, return_weights), explain)
    if explain:
        return choice
    with own_precision(q):
        if choice.backend == "sdpa":
            return sdpa(q, k, v, call)
        if choice.backend in ("triton", "cuda"):
            return _kernel(choice.backend, q, k, v, call)
        allowed = call.allowed()
        weights = scores_up_to("weights", q, k, call, allowed)
        v = drop_unread(v.to(weights.dtype), call.read(allowed))
        stacked = stack_group(weights, call.sizes.kv_heads) @ v
        out = unstack_group(stacked, call.sizes.heads).to(q.dtype)
    return (out, weights.to(q.dtype)) if return_weights else out


def _kernel(backend: str, q: Tensor, k: Tensor, v: Tensor, call: Call):
    """One of our own; the band goes on as a window of two sides."""
    options = {
        "window": call.band,
        "scale": call.scale,
        "softcap": call.softcap,
    }
    if backend == "cuda":
        return cuda.attention(q, k, v, **options)
    if decodes(q, k, v, call):
        return decode_attention(q, k, v, causal=False, **options)
    return triton.attention(
        q, k, v, mask=call.mask, bias=call.bias, **options
    )
