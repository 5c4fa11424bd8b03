"""Launching a built kernel: a process of its own, with limits, for each launch."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from manyheads.kernels.emulate.building import build
from manyheads.kernels.emulate.findings import finding
from manyheads.kernels.emulate.protocol import bytes_back, packed, unpacked
from manyheads.kernels.launching import Finding, KernelError, Launch

#: In which order the threads of a block run between barriers, and the blocks.
ORDERS = ("up", "down", "shuffled")

#: What can be looked for.
CHECKS = (None, "races", "memory", "all")

_PRINTED = 1 << 20  # bytes that a kernel's printf may leave


def launch(
    source: str,
    launch: Launch,
    *,
    order: str = "up",
    check: str | None = None,
    seconds: float = 20.0,
    memory: int = 2 << 30,
    name: str = "kernel.cu",
) -> dict[str, np.ndarray]:
    """Run a CUDA C++ kernel on the CPU.

    Parameters
    ----------
    source : str
        CUDA C++; the very text that nvcc or NVRTC would get.
    launch : Launch
        Arrays go to the kernel as they lie in memory, from their first element to their last.
    order : "up", "down" or "shuffled"
        In which order threads run between barriers, and blocks. A missing barrier shows as numbers that depend on it.
    check : None, "races", "memory" or "all"
        What to look for in every load and store. ``"races"``: two threads, or two blocks, and nothing that orders
        them. ``"memory"``: accesses out of bounds, and shared memory that nobody has written.
    seconds : float
        What the launch may take.
    memory : int
        Bytes that it may take.
    name : str
        What the source is called in a compiler's words.

    Returns
    -------
    dict of arrays
        The `Out` buffers after the launch, by name, cut to what is `kept`.

    Raises
    ------
    KernelError
        If the kernel cannot be built or does what it must not: `KernelError.finding` says what and where.
    NotHere
        If there is no compiler.

    Examples
    --------
    >>> from manyheads.kernels.launching import Out
    >>> source = '''
    ... extern "C" __global__ void double_it(const float* x, float* out, int n) {
    ...   const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i < n) out[i] = 2.0f * x[i];
    ... }'''
    >>> x = np.array([1, 2, 3], np.float32)
    >>> launch(source, Launch("double_it", (2,), (2,), {"x": x, "out": Out((3,)), "n": 3}))["out"]
    array([2., 4., 6.], dtype=float32)
    """
    _one_of("order", order, ORDERS)
    _one_of("check", check, CHECKS)
    sent = packed(launch, order, check, seconds)
    program = build(source, launch.kernel, launch.constants, check, name=name)
    return _run(program, source, launch, sent, seconds=seconds, memory=memory, name=name)


def launch_many(source: str, launches: list[Launch], **options) -> list[dict[str, np.ndarray] | Finding]:
    """Run several launches of one source; each gives its buffers, or what is wrong with it.

    Parameters
    ----------
    source : str
    launches : list of Launch
        Those with the same kernel and constants share one build.
    **options
        As for `launch`.

    Returns
    -------
    list
        A dict of arrays or a `Finding` for each launch.

    Raises
    ------
    NotHere
        If there is no compiler.

    Examples
    --------
    >>> source = 'extern "C" __global__ void fill(float* x, int n) { x[threadIdx.x] = n; }'
    >>> from manyheads.kernels.launching import Out
    >>> one, two = launch_many(source, [Launch("fill", (1,), (n,), {"x": Out((2,)), "n": n}) for n in (2, 2000)])
    >>> one["x"].tolist(), two.kind
    ([2.0, 2.0], 'too many resources')
    """

    def one(each: Launch) -> dict[str, np.ndarray] | Finding:
        try:
            return launch(source, each, **options)
        except KernelError as error:
            return error.finding

    return [one(each) for each in launches]


def _one_of(name: str, value, known) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _run(program: Path, source: str, launch: Launch, sent: bytes, *, seconds: float, memory: int, name: str):
    """The program sets its own limits before the kernel's code runs; this waits, and kills what does not end.

    A kernel that means harm can get around that: who runs others' work wraps the process in a real sandbox.
    """
    limits = f"{int(memory)},{int(seconds) + 2},{bytes_back(launch) + _PRINTED}"
    with tempfile.TemporaryDirectory(prefix="manyheads-") as folder:
        paths = [Path(folder, file) for file in ("launch", "result", "printed")]
        paths[0].write_bytes(sent)
        with paths[0].open("rb") as stdin, paths[1].open("wb") as stdout, paths[2].open("wb") as stderr:
            process = subprocess.Popen([str(program)], stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder,
                                       env={"CUDA_CPU_LIMITS": limits}, start_new_session=True)  # fmt: skip
            try:
                code = process.wait(seconds + 2)  # by itself it ends after `seconds`, and knows where it was
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process)
        result = paths[1].read_bytes()
        printed = paths[2].read_bytes()[:_PRINTED]
    if printed and sys.stdout is not None:
        print(printed.decode(errors="replace"), end="")  # the kernel's own printf
    if code == 0 and result[:1] == b"K":
        return unpacked(result, launch)
    raise KernelError(finding(result, code, program, source, launch, seconds, memory, name))


def _end(process: subprocess.Popen) -> None:
    """The process and whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
