"""The worker: a process that has Triton's interpreter ready, and forks a child for every kernel that it gets.

Started by `triton_runner`. It reads jobs from standard input and answers on standard output (`triton_wire`); what a
kernel prints goes nowhere. It ends when the other end of its input closes.
"""

import contextlib
import os
import signal
import sys
import time

import numpy as np

from manyheads.kernels.handed_in import triton_wire as wire
from manyheads.kernels.handed_in.triton_interpreter import FILE, Interpreter
from manyheads.kernels.handed_in.triton_messages import finding_of
from manyheads.kernels.handed_in.triton_text import read_kernel

_WARM_UP = """
@triton.jit
def warm_up(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N)[:, None] + tl.zeros([N, N], tl.int32))
    y = tl.exp(x - tl.max(x, axis=1)[:, None]) + tl.cdiv(4, 3)
    tl.store(out_ptr + tl.arange(0, N), tl.sum(tl.dot(x, tl.trans(y)), axis=0) + tl.min(y, 1))
"""


def main() -> None:
    jobs, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    try:
        interpreter = Interpreter()
        arrays = {"x_ptr": np.zeros(16, np.float32), "out_ptr": np.zeros(16, np.float32)}
        interpreter.run(read_kernel(_WARM_UP), arrays, {"out_ptr"}, {"N": 16}, (1,))
    except Exception as wrong:  # another version of Triton, or a broken one
        wire.write_all(answers, wire.frame({"broken": f"{type(wrong).__name__}: {wrong}"[:500]}, {}))
        return
    wire.write_all(answers, wire.frame({"ready": True}, {}))
    while (job := wire.read_all(jobs)) is not None:
        header = wire.unframe(job)[0]
        wire.write_all(answers, _in_a_child(interpreter, job, header["seconds"], header["memory"], jobs, answers))


def _in_a_child(interpreter: Interpreter, job: bytes, seconds: float, memory: int, jobs: int, answers: int) -> bytes:
    """The answer's frame, whatever becomes of the process that makes it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        for pipe in (reading, jobs, answers):
            os.close(pipe)
        try:
            _limit(memory, seconds)
            wire.write_all(writing, _answer(interpreter, job))
        except MemoryError:
            with contextlib.suppress(Exception):
                wire.write_all(writing, _found("too much memory", "It needs more memory than it may have."))
        except BaseException as wrong:  # nothing of ours may reach the student as a traceback
            with contextlib.suppress(Exception):
                wire.write_all(writing, _found("crash", f"The kernel could not be run: {type(wrong).__name__}."))
        finally:
            os._exit(0)
    os.close(writing)
    answer = None
    try:
        answer = wire.read_all(reading, time.monotonic() + seconds, also=jobs)
    except TimeoutError:
        answer = _found("endless", f"It did not come to an end within {seconds:g} seconds: does every loop end?")
    except EOFError:  # whoever asked is gone
        os.kill(child, signal.SIGKILL)
        sys.exit()
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is not None:
        return answer
    by = f" by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else ""
    return _found("crash", f"The process that ran the kernel was ended{by}.")


def _answer(interpreter: Interpreter, job: bytes) -> bytes:
    header, arrays = wire.unframe(job)
    kernel = read_kernel(header["source"])  # once more: only what was read here is run here
    arguments = {name: arrays.get(name, header["numbers"].get(name)) for name in header["order"]}
    written = set(header["written"])
    try:
        interpreter.run(kernel, arguments, written, header["constants"], tuple(header["grid"]))
    except Exception as error:
        program = getattr(interpreter.private.builder, "grid_idx", ())[: len(header["grid"])]
        found = finding_of(error, kernel, FILE, program)
        return _found(found.kind, found.message, found.line, found.text)
    return wire.frame({"done": True}, {name: arrays[name] for name in header["written"]})


def _found(kind: str, message: str, line: int | None = None, text: str = "") -> bytes:
    return wire.frame({"finding": [kind, message, line, text]}, {})


def _limit(memory: int, seconds: float) -> None:
    """No files, no core, no more memory than `memory` bytes beyond what the worker already maps."""
    try:
        import resource
    except ImportError:
        return
    mapped = 0
    with contextlib.suppress(OSError), open("/proc/self/statm") as statm:
        mapped = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    if mapped:
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory, mapped + memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cpu = int(seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))


if __name__ == "__main__":
    main()
