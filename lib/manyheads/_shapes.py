"""Shapes in signatures: ``Float[Array, "batch seq d_model"]``.

jaxtyping gives these names their meaning for the type checker, and at run time when something has already
imported it (the test hook does). Everywhere else (students, Pyodide) they are inert, so that importing the
library costs NumPy alone.
"""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

Array = np.ndarray
AnyArray = Any  # NumPy's or torch's: for functions that only move numbers about

if TYPE_CHECKING or sys.modules.get("jaxtyping"):
    from jaxtyping import Bool, Float, Int, Shaped
else:

    class _Inert:
        """``_Inert[Array, "any shape"]`` is just ``Array``."""

        def __class_getitem__(cls, item):
            return item[0]

    Bool = Float = Int = Shaped = _Inert

__all__ = ["AnyArray", "Array", "Bool", "Float", "Int", "Shaped"]
