"""Shapes in signatures, for tensors: as in `manyheads._shapes`."""

from torch import Tensor

from manyheads._shapes import AnyArray, Bool, Float, Int, Shaped

__all__ = ["AnyArray", "Bool", "Float", "Int", "Shaped", "Tensor"]
