"""Runs handed-in Triton kernels on the CPU, in a process of their own."""

import atexit
import importlib.util
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

import manyheads
from manyheads.kernels.handed_in import triton_wire as wire
from manyheads.kernels.handed_in.triton_text import check_parameters, read_kernel
from manyheads.kernels.handed_in.triton_unset import unset
from manyheads.kernels.launching import Finding, KernelError, Launch, NotHere, Out

_GIB = 1 << 30
_START = 60.0  # seconds for the worker to load Triton; on a busy machine it takes several
_GRACE = 15.0  # seconds beyond a job's own that the worker may take to say that time is up


def run_triton(source: str, launch: Launch, *, seconds: float = 20.0, memory: int = 2 * _GIB) -> dict[str, np.ndarray]:
    """Run a Triton kernel from its text, interpreted, with every load and store checked.

    The text is one function with ``@triton.jit`` above it. It runs in a process of its own that is forked from one
    with Triton loaded: some 10 ms a launch, beside what the kernel takes. Inputs cannot be changed by it.

    Parameters
    ----------
    source : str
        The kernel as it was handed in.
    launch : Launch
        Grid, arguments in the order of the parameters, and the `tl.constexpr` parameters as `constants`.
    seconds : float
        Wall-clock time that it may take.
    memory : int
        Bytes that it may take beside its arguments.

    Returns
    -------
    dict of str to array
        The buffers of every `Out`, by name, cut to what is `kept`.

    Raises
    ------
    KernelError
        With a `Finding`: what the kernel does that it must not, and on which line.
    NotHere
        Triton is not installed, or does not exist for this system; the message says what to do.
    ValueError
        An argument's dtype is none that the interpreter computes rightly, such as bfloat16.

    Examples
    --------
    >>> source = '''
    ... @triton.jit
    ... def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    ...     i = tl.arange(0, BLOCK)
    ...     tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)
    ... '''
    >>> arguments = {"x_ptr": np.arange(3, dtype=np.float32), "out_ptr": Out((3,)), "n": 3}
    >>> run_triton(source, Launch("double", (1,), arguments=arguments, constants={"BLOCK": 4}))
    {'out_ptr': array([0., 2., 4.], dtype=float32)}
    """
    kernel = read_kernel(source)
    check_parameters(kernel, launch)
    job = _job(kernel.source, launch, seconds, memory)
    why_not = missing()
    if why_not:
        raise NotHere(why_not)
    header, arrays = _WORKER.ask(job, seconds)
    if "finding" in header:
        raise KernelError(Finding(*header["finding"]))
    kept = {name: value.kept for name, value in launch.arguments.items() if isinstance(value, Out)}
    return {name: arrays[name][kept[name]].copy() for name in launch.outputs}


def missing() -> str:
    """Why Triton kernels cannot be run here, and what to do; nothing if they can.

    Examples
    --------
    >>> missing()
    ''
    """
    if sys.platform != "linux":
        return (
            "There is no Triton for this system, so Triton kernels cannot be run here. Open the notebook on Linux: "
            "in WSL on Windows, on a server, or in Colab."
        )
    if importlib.util.find_spec("triton") is None:
        return (
            "Triton is not installed, so Triton kernels cannot be run here. Install it with "
            "`pip install 'manyheads[kernel-exercises]'`; it needs no GPU."
        )
    return ""


def _job(source: str, launch: Launch, seconds: float, memory: int) -> bytes:
    arrays, numbers = {}, {}
    for name, value in launch.arguments.items():
        if isinstance(value, Out | np.ndarray):
            dtype = str(value.dtype)
            if dtype not in wire.DTYPES:
                raise ValueError(
                    f"{name} is {dtype}; interpreted kernels compute with {', '.join(sorted(wire.DTYPES))}"
                )
            arrays[name] = unset(value) if isinstance(value, Out) else value
        elif isinstance(value, bool | int | float | np.integer | np.floating):
            numbers[name] = value.item() if isinstance(value, np.generic) else value
        else:
            raise TypeError(f"{name} is a {type(value).__name__}, expected an array, an Out, an int or a float")
    header = {
        "source": source,
        "grid": [int(n) for n in launch.grid],
        "order": list(launch.arguments),
        "numbers": numbers,
        "written": launch.outputs,
        "constants": {
            name: value.item() if isinstance(value, np.generic) else value for name, value in launch.constants.items()
        },
        "seconds": seconds,
        "memory": memory,
    }
    return wire.frame(header, arrays)


class _Worker:
    """The warm process, started at the first kernel, one for this process (not for one that is forked from it)."""

    def __init__(self):
        self.lock = threading.Lock()
        self.process: subprocess.Popen | None = None
        self.owner = 0

    def ask(self, job: bytes, seconds: float) -> tuple[dict, dict[str, np.ndarray]]:
        """Hand a job over and wait for the answer; a worker that was ended in between is started once more."""
        with self.lock:
            for _ in range(2):
                process = self._running()
                assert process.stdin is not None and process.stdout is not None
                try:
                    wire.write_all(process.stdin.fileno(), job)
                    answer = wire.read_all(process.stdout.fileno(), time.monotonic() + seconds + _GRACE)
                except (TimeoutError, BrokenPipeError):
                    answer = None
                except BaseException:  # Ctrl-C: an answer that comes later must not be taken for that of the next job
                    self.end()
                    raise
                if answer is not None:
                    return wire.unframe(answer)
                self.end()
        raise KernelError(Finding("crash", "The process that runs kernels was ended, twice."))

    def _running(self) -> subprocess.Popen:
        if self.owner != os.getpid():  # forked: the pipes belong to the other process
            self.process = None
        if self.process is not None and self.process.poll() is None:
            return self.process
        environment = {
            **os.environ,
            "TRITON_INTERPRET": "1",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONSAFEPATH": "1",  # a file numpy.py beside the notebook is not ours
            "PYTHONPATH": os.pathsep.join(
                [str(Path(manyheads.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
        }
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "manyheads.kernels.handed_in.triton_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C in a terminal is for us, not for the worker
        )
        assert self.process.stdout is not None
        try:
            hello = wire.read_all(self.process.stdout.fileno(), time.monotonic() + _START)
        except TimeoutError:
            hello = None
        header = {"broken": "it gave no answer"} if hello is None else wire.unframe(hello)[0]
        if "broken" in header:
            self.end()
            raise NotHere(
                f"Triton's interpreter could not be started ({header['broken']}). Kernels here need Triton 3.6 or "
                "3.7: `pip install 'triton>=3.6,<3.8'`."
            )
        return self.process

    def end(self) -> None:
        """End the process, if there is one of ours."""
        process, self.process = self.process, None
        if process is None or self.owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


_WORKER = _Worker()
atexit.register(_WORKER.end)
if hasattr(os, "register_at_fork"):  # a lock that another thread holds would never be released in the child
    os.register_at_fork(after_in_child=lambda: setattr(_WORKER, "lock", threading.Lock()))
