"""Decoding as an operator of torch: it compiles, and can be traced without a GPU. It has no gradients."""

from torch import Tensor
from torch.library import custom_op

from manyheads.kernels.triton import decode_launch


@custom_op("manyheads::triton_decode", mutates_args=())
def decode(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    left: int | None,
    right: int | None,
    scale: float,
    softcap: float | None,
    splits: int | None,
) -> Tensor:
    """Output; four axes each, int32 lengths."""
    return decode_launch.decode(q, k, v, lengths, left, right, scale, softcap, splits)


@decode.register_fake
def _(q, k, v, lengths, left, right, scale, softcap, splits):
    return q.new_empty((*q.shape[:3], v.shape[3]))
