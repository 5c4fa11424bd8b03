"""Attention in Triton, forward and backward, as FlashAttention-2 does it. Nothing heavy is imported before a call."""

from manyheads.kernels.triton.attention import attention
from manyheads.kernels.triton.support import cannot, not_here

__all__ = ["attention", "cannot", "not_here"]
