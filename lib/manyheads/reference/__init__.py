"""The NumPy path: every concept of the course, one a file, written to be read. The oracle for the rest."""

from manyheads.reference.fused_layouts import FUSED_LAYOUTS, split_qkv
from manyheads.reference.heads import combine_heads, split_heads
from manyheads.reference.packing import pack_heads, unpack_heads
from manyheads.reference.projections import (
    fused_projection,
    per_head_projections,
)

__all__ = [
    "FUSED_LAYOUTS",
    "combine_heads",
    "fused_projection",
    "pack_heads",
    "per_head_projections",
    "split_heads",
    "split_qkv",
    "unpack_heads",
]
