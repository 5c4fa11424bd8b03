"""A handed-in kernel on a GPU: the same checks with a real launch, in a process of its own.

The numbers, the launch itself, and what goes past the end of an array are seen here. Races that the emulation finds by
looking at every access show on a GPU only if they happen to change a number.
"""

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from manyheads.kernels.handed_in import gpu_driver
from manyheads.kernels.handed_in.gpu_parameters import number_types
from manyheads.kernels.handed_in.triton_wire import frame, unframe
from manyheads.kernels.launching import Finding, KernelError, Launch, NotHere, Out

_NO_GPU = "this needs an NVIDIA GPU with its driver, and none answers here; without one, kernels run emulated"


def gpu_here() -> bool:
    """Whether an NVIDIA GPU answers. Needs no torch, and is asked once.

    Examples
    --------
    >>> gpu_here() in (True, False)
    True
    """
    return architecture() is not None


@functools.cache
def architecture() -> str | None:
    """The first GPU's, such as ``"sm_90"``; None without one. ``CUDA_VISIBLE_DEVICES`` counts."""
    if gpu_driver.library() is None:
        return None
    # In a process of its own: a driver that has started does not survive a fork of this one.
    done = subprocess.run([sys.executable, "-I", gpu_driver.__file__], capture_output=True, text=True)
    return done.stdout.strip() or None if done.returncode == 0 else None


def run_on_gpu(language: str, source: str, launch: Launch, *, seconds: float = 60.0) -> dict[str, np.ndarray]:
    """Build a kernel for this machine's GPU and launch it there.

    Parameters
    ----------
    language : {"cuda", "triton"}
    source : str
        CUDA C++ that includes nothing, or one ``@triton.jit`` function.
    launch : Launch
    seconds : float
        For building and launching; then the process is ended.

    Returns
    -------
    dict of arrays
        What the kernel left in each `Out`, by name, cut to its `kept`.

    Raises
    ------
    KernelError
        If it does not compile, does not fit the launch, goes out of bounds, crashes or does not end.
    NotHere
        Without a GPU; for Triton also without triton and a torch that reaches the GPU.

    Notes
    -----
    CUDA C++ is compiled with NVRTC or nvcc and launched by the driver (CUDA Driver API, `cuLaunchKernel`). Beside
    every array lie bytes that no kernel may change. Triton launches through torch. There is no sandbox: run what you
    would run yourself.

    Examples
    --------
    >>> source = "__global__ void twice(const float* x, float* out) { out[threadIdx.x] = 2 * x[threadIdx.x]; }"
    >>> x = np.arange(3, dtype=np.float32)
    >>> launch = Launch("twice", (1,), (3,), {"x": x, "out": Out((3,))})
    >>> run_on_gpu("cuda", source, launch)["out"] if gpu_here() else 2 * x
    array([0., 2., 4.], dtype=float32)
    """
    if language not in ("cuda", "triton"):
        raise ValueError(f'language must be "cuda" or "triton", got {language!r}')
    if language != launch.language:
        raise ValueError(f"the launch is one for {launch.language} (block={launch.block}), the language is {language}")
    header, arrays = job(language, source, launch)
    if architecture() is None:
        raise NotHere(_NO_GPU)
    return _answer(_ask(header, arrays, seconds), launch)


def job(language: str, source: str, launch: Launch) -> tuple[dict, dict[str, np.ndarray]]:
    """What the process is asked to do; refuses a source that cannot be launched so."""
    if language == "triton":
        from manyheads.kernels.handed_in.triton_text import read_kernel

        read_kernel(source)
        numbers = {n: None for n, value in launch.arguments.items() if not isinstance(value, np.ndarray | Out)}
    else:
        numbers = number_types(source, launch)
    arrays = {n: v for n, v in launch.arguments.items() if isinstance(v, np.ndarray | Out)}
    buffers = {n: v.buffer() if isinstance(v, Out) else v for n, v in arrays.items()}
    header = {
        "language": language,
        "source": source,
        "kernel": launch.kernel,
        "grid": [*launch.grid, 1, 1][:3],
        "block": [*launch.block, 1, 1][:3],
        "shared_bytes": launch.shared_bytes,
        "constants": {name: _plain(value) for name, value in launch.constants.items()},
        "parameters": list(launch.arguments),
        "numbers": {n: [kind, _plain(launch.arguments[n])] for n, kind in numbers.items()},
        "outputs": launch.outputs,
    }
    return header, buffers


def _plain(number):
    """For JSON: a number of NumPy's is none of Python's."""
    return number.item() if isinstance(number, np.generic) else number


def _ask(header: dict, arrays: dict[str, np.ndarray], seconds: float) -> bytes:
    package = Path(__file__).resolve().parents[3]
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TRITON_INTERPRET": "0"}
    command = [sys.executable, "-m", "manyheads.kernels.handed_in.gpu_process"]
    try:
        done = subprocess.run(
            command, input=frame(header, arrays), capture_output=True, env=environment, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise KernelError(Finding("endless", f"the kernel had not ended after {seconds:g} s")) from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().split("\n")[-1][-300:]
        raise KernelError(Finding("crash", f"the process that launched it ended with status {done.returncode}: {last}"))
    return done.stdout


def _answer(message: bytes, launch: Launch) -> dict[str, np.ndarray]:
    said, arrays = unframe(message)
    if "not_here" in said:
        raise NotHere(said["not_here"])
    if "finding" in said:
        raise KernelError(Finding(**said["finding"]))
    found = {}
    for name in launch.outputs:
        out = launch.arguments[name]
        assert isinstance(out, Out)
        found[name] = arrays[name][out.kept] if out.kept else arrays[name]
    return found
