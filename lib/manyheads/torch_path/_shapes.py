"""Shapes in signatures, for tensors: as in `manyheads._shapes`."""

from torch import Tensor

from manyheads._shapes import Bool, Float, Int, Shaped

__all__ = ["Bool", "Float", "Int", "Shaped", "Tensor"]
