"""Which compilers are there, and what to install where they are not."""

import importlib.util
import os
import shutil
import sys
from importlib import metadata
from pathlib import Path

INSTALL = 'pip install "manyheads[kernel-exercises]"'


def missing(language: str | None = None) -> str | None:
    """What this machine lacks to compile kernels, with the remedy; None if nothing.

    Parameters
    ----------
    language : "cuda", "triton" or None
        None: both.

    Examples
    --------
    >>> missing("cuda") is None or "install" in missing("cuda")
    True
    """
    if sys.platform != "linux":
        return f"kernels are compiled on Linux (on Windows: in WSL); this is {sys.platform}"
    lacks = []
    if language in (None, "cuda") and cuda_compiler() is None:
        lacks.append(f"CUDA C++ needs NVRTC or nvcc: {INSTALL}, or install the CUDA toolkit")
    if language in (None, "triton") and importlib.util.find_spec("triton") is None:
        lacks.append(f"Triton kernels need triton: {INSTALL}")
    return "; ".join(lacks) or None


def cuda_compiler() -> str | None:
    """Which compiler takes CUDA C++ here, with its version: ``"nvrtc …"``, ``"nvcc …"`` or None."""
    nvrtc = _version("nvidia-cuda-nvrtc") or _version("nvidia-cuda-nvrtc-cu12")
    core = _version("cuda-core")
    if nvrtc and core:
        return f"nvrtc {nvrtc}, cuda-core {core}"
    path = nvcc()
    if path is None:
        return None
    stat = Path(path).resolve().stat()  # asking nvcc itself takes a process; a new one has another size or date
    return f"nvcc {path} {stat.st_size} {stat.st_mtime_ns}"


def nvcc() -> str | None:
    """Where nvcc is, or None."""
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home and (Path(home) / "bin" / "nvcc").exists():
            return str(Path(home) / "bin" / "nvcc")
    return shutil.which("nvcc")


def triton_version() -> str:
    return _version("triton") or ""


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
