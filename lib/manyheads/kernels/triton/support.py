"""What the Triton kernels cannot do, and what a machine may lack for them. Imports neither torch nor triton."""

import importlib.util
import os
import sys

from manyheads import _require
from manyheads.kernels.aot.missing import INSTALL
from manyheads.kernels.triton.configs import WIDEST

_DTYPES = ("float16", "bfloat16", "float32", "float64")


def cannot(q, k, v, *, mask=None, bias=None, return_weights=False, **_) -> str | None:
    """Why `attention` cannot do a call; None if it can.

    Parameters
    ----------
    q, k, v, mask, bias, return_weights
        As in `manyheads.torch_path.attention`, which fit together. Other options are all known here.

    Returns
    -------
    str or None
        What is asked for that the kernels do not do, without the alternative.

    Examples
    --------
    >>> import torch
    >>> x = torch.zeros(1, 2, 3, 16)
    >>> cannot(x, x, x, return_weights=True)
    'return_weights: a kernel that never holds all weights has none to give'
    """
    if return_weights:
        return "return_weights: a kernel that never holds all weights has none to give"
    if bias is not None and bias.requires_grad:
        return "a bias that asks for gradients"
    width = max(q.shape[3], v.shape[3])
    if width > WIDEST:
        return f"a head of {width} dimensions: {WIDEST} is the most that fits"
    dtype = _require.dtype_name(q)
    if dtype not in _DTYPES:
        return f"{dtype}"
    if q.device.type == "cpu" and dtype == "bfloat16":
        return "bfloat16 on the CPU, which Triton's interpreter gets wrong without a word"
    if q.device.type == "cuda":
        if dtype == "float64":
            return "float64 on a GPU"
        if max(q.shape[:2]) > 65535:  # the grid's second and third axis
            return f"more than 65535 heads or batch items: q is {tuple(q.shape)}"
    return None


def not_here(device) -> str | None:
    """What this machine lacks to run the kernels on tensors of a device, with the remedy; None if nothing.

    Parameters
    ----------
    device : torch device

    Examples
    --------
    >>> import torch
    >>> not_here(torch.device("meta"))
    'Triton kernels run on a GPU, or interpreted on the CPU; these tensors are on meta'
    """
    if device.type not in ("cuda", "cpu"):
        return f"Triton kernels run on a GPU, or interpreted on the CPU; these tensors are on {device}"
    if importlib.util.find_spec("triton") is None:
        if sys.platform != "linux":
            return f"Triton has no build for {sys.platform} (on Windows: use WSL); backends 'sdpa' and 'math' need none"
        return f"Triton kernels need triton: {INSTALL}"
    interpreted = _interpreted()
    if device.type == "cpu" and not interpreted:
        return (
            "without a GPU, Triton kernels run interpreted: set TRITON_INTERPRET=1 in the environment before triton "
            "is first imported (before Python starts is the safe place)"
        )
    if device.type == "cuda" and not interpreted:
        import torch

        if torch.compiler.is_compiling():  # a trace cannot ask the driver
            return None
        major, minor = torch.cuda.get_device_capability(device)
        if major < 8 and torch.version.hip is None:
            return f"the Triton kernels are for GPUs of compute capability 8.0 and above; this one has {major}.{minor}"
    return None


def _interpreted() -> bool:
    """Whether kernels are the interpreter's: settled when triton defined its own, at its first import."""
    triton = sys.modules.get("triton")
    if triton is None:
        return os.environ.get("TRITON_INTERPRET", "0").lower() in ("1", "true", "on", "yes", "y")
    from triton.runtime.interpreter import InterpretedFunction

    return isinstance(triton.language.sum, InterpretedFunction)
