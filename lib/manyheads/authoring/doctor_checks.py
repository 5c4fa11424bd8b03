"""One look at a time: is it there, and which one is it? Nothing here raises; the slowest takes seconds."""

import functools
import importlib.metadata
import importlib.util
import platform
import shutil
import subprocess
import sys
from typing import NamedTuple


class Seen(NamedTuple):
    """Whether it works; its version, or what is missing."""

    works: bool
    what: str


def python() -> Seen:
    """3.11 or newer."""
    version = platform.python_version()
    return Seen(sys.version_info >= (3, 11), version if sys.version_info >= (3, 11) else f"{version}; 3.11 is wanted")


def numpy() -> Seen:
    """2.0 or newer."""
    version = _version("numpy")
    if version is None:
        return Seen(False, "not installed")
    return Seen(True, version) if int(version.split(".")[0]) >= 2 else Seen(False, f"{version}; 2.0 is wanted")


def module(*names: str) -> Seen:
    """Packages that are there or not; they are not imported."""
    lacks = [name for name in names if not _there(name)]
    if lacks:
        return Seen(False, f"not installed: {', '.join(lacks)}" if len(names) > 1 else "not installed")
    return Seen(True, _version(names[0].replace("_", "-")) or "installed")


def program(name: str) -> Seen:
    """A program on the path."""
    found = shutil.which(name)
    return Seen(found is not None, found or "not found")


def emulation() -> Seen:
    """A C++ compiler with the sanitizers, tried."""
    try:
        from manyheads.kernels import emulate

        lacks = emulate.missing()
        return Seen(False, lacks) if lacks else Seen(True, str(emulate.compiler()))
    except Exception as error:  # whatever is wrong with a machine, the other lines are still shown
        return Seen(False, _one_line(error))


def compiler_for_gpus() -> Seen:
    """NVRTC or nvcc."""
    try:
        from manyheads.kernels.aot.missing import cuda_compiler, missing

        lacks = missing("cuda")
        return Seen(False, lacks) if lacks else Seen(True, _compiler_name(cuda_compiler() or "found"))
    except Exception as error:
        return Seen(False, _one_line(error))


def triton() -> Seen:
    """For Linux only."""
    if sys.platform != "linux":
        return Seen(False, f"there is none for {platform.system()}")
    return module("triton")


def torch() -> Seen:
    """Its version and what it computes on."""
    seen = _torch()
    return Seen(seen.works, seen.what.split("\n")[0])


def torch_on_gpu() -> Seen:
    """Whether torch reaches a GPU."""
    seen = _torch()
    if not seen.works:
        return Seen(False, "no torch that works")
    device = seen.what.partition("\n")[2]
    return Seen(bool(device), device or "torch sees none")


@functools.cache
def _torch() -> Seen:
    """Two lines, in a process of its own, since importing it takes seconds and much memory."""
    if not _there("torch"):
        return Seen(False, "not installed")
    code = (
        "import torch; gpu = torch.cuda.is_available()\n"
        "print(torch.__version__, 'on', 'the GPU' if gpu else 'the CPU')\n"
        "print(torch.cuda.get_device_name(0) if gpu else '')"
    )
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return Seen(False, "it is installed, but importing it did not end within 60 s")
    if done.returncode:
        return Seen(False, f"it is installed, but does not import: {done.stderr.strip().splitlines()[-1][:200]}")
    return Seen(True, done.stdout.strip())


def gpu() -> Seen:
    """Whether an NVIDIA driver answers."""
    try:
        from manyheads.kernels.handed_in import gpu

        arch = gpu.architecture()
    except Exception as error:
        return Seen(False, _one_line(error))
    return Seen(True, f"NVIDIA, {arch}") if arch else Seen(False, "no NVIDIA GPU")


def chromium() -> Seen:
    """As the tests look for it."""
    from manyheads.authoring.offline_check import browser

    found = browser()
    return Seen(found is not None, found or "not found")


def _there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # blocked, or half removed
        return False


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _compiler_name(compiler: str) -> str:
    """nvcc's comes with its size and date, for caches."""
    return " ".join(compiler.split()[:2]) if compiler.startswith("nvcc") else compiler


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".split("\n")[0][:200]
