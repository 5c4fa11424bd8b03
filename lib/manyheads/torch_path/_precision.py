"""In which dtype to compute, and autocast kept out of it."""

import contextlib

import torch
from torch import Tensor


def working(dtype: torch.dtype) -> torch.dtype:
    """float32 for the 16-bit types, else the dtype itself."""
    return dtype if dtype.itemsize >= 4 else torch.float32


def own_precision(x: Tensor):
    """Scores and sums stay in the dtype chosen here, whatever autocast would do to the products."""
    if x.device.type == "meta":  # shapes only, and no autocast
        return contextlib.nullcontext()
    return torch.autocast(x.device.type, enabled=False)
