"""Widgets that need no kernel: Python hands the numbers over, JavaScript in the page does the rest."""

from manyheads.widgets.attention_maps import AttentionMaps

__all__ = ["AttentionMaps"]
