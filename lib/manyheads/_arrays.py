"""The few operations that NumPy and torch name differently, for functions that only move numbers about."""

import sys

import numpy as np

from manyheads import _require


def concatenate(parts, axis: int):
    """Arrays end to end."""
    if _require.kind_of(parts[0]) == _require.TORCH:
        return sys.modules["torch"].cat(list(parts), dim=axis)
    return np.concatenate(parts, axis=axis)


def stack(parts, axis: int):
    """Arrays along a new axis."""
    if _require.kind_of(parts[0]) == _require.TORCH:
        return sys.modules["torch"].stack(list(parts), dim=axis)
    return np.stack(parts, axis=axis)
