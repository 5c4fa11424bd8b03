"""Attention in CUDA C++: three kernels as sources, and how they are compiled and launched.

``lesson_attention.cu`` gives a block to each head, ``tiled_attention.cu`` walks over K and V in tiles,
``head_stride_attention.cu`` does the same on heads that lie where a projection left them.
"""

from manyheads.kernels.cuda.attention import attention, cannot
from manyheads.kernels.cuda.building import build
from manyheads.kernels.cuda.emulated import emulated_attention
from manyheads.kernels.cuda.launches import head_stride_launch, lesson_launch, tiled_launch
from manyheads.kernels.cuda.sources import KERNELS, source

__all__ = [
    "KERNELS",
    "attention",
    "build",
    "cannot",
    "emulated_attention",
    "head_stride_launch",
    "lesson_launch",
    "source",
    "tiled_launch",
]
