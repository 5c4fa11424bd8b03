"""The kernels as operators of torch: they train, compile, and can be traced without a GPU."""

import torch
from torch import Tensor
from torch.library import custom_op

from manyheads.kernels.triton import launch


@custom_op("manyheads::triton_attention", mutates_args=())
def forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    lengths: Tensor | None,
    left: int | None,
    right: int | None,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp; arguments as `launch.forward` takes them, four axes each, and int32 lengths."""
    return launch.forward(q, k, v, mask, bias, lengths, left, right, scale, softcap)


@forward.register_fake
def _(q, k, v, mask, bias, lengths, left, right, scale, softcap):
    return launch.forward_buffers(q, v)


@custom_op("manyheads::triton_attention_backward", mutates_args=())
def backward(
    d_out: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    lengths: Tensor | None,
    left: int | None,
    right: int | None,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of q, k and v."""
    d_q, d_k, d_v = launch.backward(d_out, q, k, v, out, lse, mask, bias, lengths, left, right, scale, softcap)
    return d_q, d_k, d_v


@backward.register_fake
def _(d_out, q, k, v, out, lse, mask, bias, lengths, left, right, scale, softcap):
    return tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))


def _save(ctx, inputs, output):
    q, k, v, mask, bias, lengths, *ctx.numbers = inputs
    ctx.save_for_backward(q, k, v, *output, mask, bias, lengths)
    ctx.mark_non_differentiable(output[1])


def _gradients(ctx, d_out, _):
    q, k, v, out, lse, mask, bias, lengths = ctx.saved_tensors
    d_q, d_k, d_v = backward(d_out, q, k, v, out, lse, mask, bias, lengths, *ctx.numbers)
    return d_q, d_k, d_v, *(None,) * 7


forward.register_autograd(_gradients, setup_context=_save)
