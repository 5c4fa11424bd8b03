"""From drawn calls to tensors and back."""

import ml_dtypes
import numpy as np
import torch


def to_tensor(x):
    """A tensor with the same strides where torch can have them; bfloat16 included. Anything else as it is."""
    if not isinstance(x, np.ndarray):
        return x
    if any(stride < 0 for stride in x.strides):
        x = x.copy()  # torch has no negative strides
    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.astype("float32")).bfloat16()
    return torch.from_numpy(x)


def to_array(x: torch.Tensor) -> np.ndarray:
    x = x.detach()
    return x.float().numpy().astype(ml_dtypes.bfloat16) if x.dtype == torch.bfloat16 else x.numpy()


def tensors(call):
    """q, k, v and options of an AttentionCall."""
    options = {name: to_tensor(x) for name, x in call.options.items()}
    return to_tensor(call.q), to_tensor(call.k), to_tensor(call.v), options
