"""Whether this machine can run it at all."""

import sys
from importlib.util import find_spec


def cannot() -> str | None:
    """Why not, in one line; None if there is a GPU and what reaches it."""
    if find_spec("numpy") is None:
        return f"{sys.executable} has no NumPy; name another Python: make gpu PYTHON_GPU=python3"
    from manyheads.kernels.handed_in.gpu import gpu_here

    if not gpu_here():
        return "there is no NVIDIA GPU here (no driver answers), so nothing was run and nothing measured"
    for module in ("torch", "triton"):
        if find_spec(module) is None:
            return f"there is a GPU, but this Python has no {module}; name another: make gpu PYTHON_GPU=python3"
    import torch

    if not torch.cuda.is_available():
        build = f"torch {torch.__version__}" + ("" if torch.version.cuda else ", a build for the CPU")
        return f"there is a GPU, but {build}, does not reach it; name another Python: make gpu PYTHON_GPU=python3"
    return None
