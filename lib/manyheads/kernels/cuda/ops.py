"""The kernels as one operator of torch: differentiable, and known to torch.compile.

On tensors of a GPU it launches; on CPU tensors the same kernels are emulated, which is slow and for tests.
"""

import torch
from torch import Tensor

from manyheads.kernels.cuda.emulated import emulated_attention
from manyheads.kernels.cuda.gradients import attention_gradients, visible_pairs
from manyheads.kernels.cuda.launches import head_stride_launch, tiled_launch
from manyheads.kernels.cuda.on_gpu import launch_on_gpu


def kernel_for(q: Tensor, k: Tensor, v: Tensor) -> str:
    """ "tiled" for contiguous tensors, "head_stride" for other views: neither needs a copy.

    Only where the dims of a head do not lie side by side is there no kernel: then "tiled", on copies.

    Examples
    --------
    >>> x = torch.zeros(3, 5, 2, 16).transpose(1, 2)
    >>> kernel_for(x, x, x), kernel_for(x.contiguous(), x.contiguous(), x.contiguous())
    ('head_stride', 'tiled')
    """
    if all(x.is_contiguous() for x in (q, k, v)):
        return "tiled"
    return "head_stride" if all(x.stride(-1) == 1 or x.shape[-1] == 1 for x in (q, k, v)) else "tiled"


@torch.library.custom_op("manyheads::cuda_attention", mutates_args=(), device_types="cuda")
def cuda_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    left: int | None,
    right: int | None,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor]:
    """Attention's output and lse; see `manyheads.kernels.cuda.attention`."""
    kernel = kernel_for(q, k, v)
    if lengths is None:
        lengths = torch.full((k.shape[0],), k.shape[2], dtype=torch.int32, device=q.device)
    lengths = lengths.to(torch.int32).contiguous()
    options = {"window": (left, right), "scale": scale, "softcap": softcap}
    if kernel == "head_stride":
        found = launch_on_gpu(kernel, head_stride_launch(q, k, v, lengths, **options), q.device)
        return found["out"].transpose(1, 2), found["lse"]
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    found = launch_on_gpu(kernel, tiled_launch(q, k, v, lengths, **options), q.device)
    return found["out"], found["lse"]


@cuda_attention.register_kernel("cpu")
def _emulated(q, k, v, lengths, left, right, scale, softcap):
    out, lse = emulated_attention(
        *(x.detach().numpy() for x in (q, k, v)),
        kernel=kernel_for(q, k, v),
        lengths=None if lengths is None else lengths.numpy(),
        window=(left, right),
        scale=scale,
        softcap=softcap,
        return_lse=True,
    )
    return torch.from_numpy(out), torch.from_numpy(lse)


@cuda_attention.register_fake
def _shapes(q, k, v, lengths, left, right, scale, softcap):
    batch, heads, q_len, _ = q.shape
    if kernel_for(q, k, v) == "head_stride":
        out = q.new_empty(batch, q_len, heads, v.shape[3]).transpose(1, 2)
    else:
        out = q.new_empty(batch, heads, q_len, v.shape[3])
    return out, q.new_empty(batch, heads, q_len)


@torch.library.custom_op("manyheads::cuda_attention_gradients", mutates_args=())
def cuda_attention_gradients(
    d_out: Tensor,
    d_lse: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    lengths: Tensor | None,
    left: int | None,
    right: int | None,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients of `cuda_attention`, as one operator: torch.compile need not look into it."""
    visible = visible_pairs(q.shape[2], k.shape[2], left, right, lengths, q.device)
    found = attention_gradients(q, k, v, out, lse, d_out, d_lse, visible=visible, scale=scale, softcap=softcap)
    d_q, d_k, d_v = (gradient.contiguous() for gradient in found)
    return d_q, d_k, d_v


@cuda_attention_gradients.register_fake
def _gradients_shapes(d_out, d_lse, q, k, v, *_):
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _remember(ctx, inputs, output):
    q, k, v, lengths, *ctx.options = inputs
    ctx.save_for_backward(q, k, v, *output, lengths)


def _backward(ctx, d_out, d_lse):
    gradients = cuda_attention_gradients(d_out, d_lse, *ctx.saved_tensors, *ctx.options)
    return *gradients, None, None, None, None, None


cuda_attention.register_autograd(_backward, setup_context=_remember)
