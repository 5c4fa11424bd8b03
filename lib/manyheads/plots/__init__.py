"""Figures of the course: arrays in, Axes out. `show` puts a figure into a page so that it follows light and dark.

Heads keep their colours through the whole course, and so do Q, K and V. Both palettes are safe for the
colour-blind (heads: Paul Tol's "bright"; Q, K, V: Okabe and Ito), and nothing is said by colour alone.
"""

from manyheads._colours import HEAD_COLOURS, head_colour
from manyheads.plots.blocks import (
    QKV_COLOURS,
    WRONG,
    bars,
    blocks,
    fused_layouts,
    per_head_and_fused,
    where_numbers_went,
)
from manyheads.plots.head_figures import ablation, head_scores
from manyheads.plots.kernel_figures import launch_grid, memory_strip, skipped_tiles, tile_kinds
from manyheads.plots.map_figures import attention_maps
from manyheads.plots.pictures import INK, Picture, canvas, show

__all__ = [
    "HEAD_COLOURS", "INK", "QKV_COLOURS", "WRONG", "Picture", "ablation", "attention_maps", "bars", "blocks", "canvas",
    "fused_layouts", "head_colour", "head_scores", "launch_grid", "memory_strip", "per_head_and_fused", "show",
    "skipped_tiles", "tile_kinds", "where_numbers_went",
]  # fmt: skip
