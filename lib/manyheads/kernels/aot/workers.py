"""Processes that compile: started when first needed, kept, replaced when they die, and never waited for without end."""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time

from manyheads.kernels.aot import store
from manyheads.kernels.launching import Finding, KernelError, NotHere

#: Seconds that a worker may take to start: importing triton takes one, on a busy or cold machine far more.
START_SECONDS = 60.0


class Worker:
    """One process that takes a job at a time, as a line of JSON, and forks for each."""

    def __init__(self):
        # The interpreter of triton is chosen when triton is imported: a worker's must be the compiler.
        environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "manyheads.kernels.aot._worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # what it started dies with it
        )
        assert self.process.stdin and self.process.stdout
        self.jobs, self.answers = self.process.stdin, self.process.stdout

    def run(self, job: dict, seconds: float) -> dict | None:
        """The outcome of a job, or None if the worker died or did not keep to the time."""
        try:
            self.jobs.write(json.dumps({**job, "seconds": seconds}).encode() + b"\n")
            self.jobs.flush()
            answer = self._line(time.monotonic() + seconds + START_SECONDS)
            return json.loads(answer) if answer else None
        except (OSError, ValueError):
            return None

    def _line(self, until: float) -> bytes:
        """What the worker prints, up to the end of a line; empty if it ends or takes too long."""
        got, stream = b"", self.answers.fileno()
        while not got.endswith(b"\n"):
            ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
            part = os.read(stream, 65536) if ready else b""
            if not part:
                return b""
            got += part
        return got

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.jobs, self.answers):
            with contextlib.suppress(OSError):
                stream.close()


_idle: list[Worker] = []
_lock = threading.Lock()
_owner = os.getpid()


def outcome(job: dict, version: str, seconds: float) -> dict:
    """What comes of a job: from disk if it was done before, else from a worker. As many at once as threads call.

    Raises
    ------
    KernelError
        If compiling finds a mistake, takes longer than `seconds`, or kills the compiler.
    NotHere
        If the compiler turns out not to work on this machine.
    """
    key = store.key({**job, "version": version})
    result = store.read(key)
    if result is None:
        result = _run(job, seconds)
        if result.pop("keep", False):
            store.write(key, result)
    if "finding" in result:
        raise KernelError(Finding(**result["finding"]))
    if "not_here" in result:
        raise NotHere(result["not_here"])
    return result["resources"]


def _run(job: dict, seconds: float) -> dict:
    for _ in range(2):  # a worker that was killed while it waited is no fault of the job
        worker = _take()
        result = worker.run(job, seconds)
        if result is not None:
            with _lock:
                _idle.append(worker)
            return result
        worker.close()
    return {"finding": {"kind": "crash", "message": "the compiler's process died twice on this kernel"}}


def _take() -> Worker:
    global _owner
    with _lock:
        if _owner != os.getpid():  # this process is a fork: the workers are its parent's
            _idle.clear()
            _owner = os.getpid()
        if _idle:
            return _idle.pop()
    return Worker()


def close() -> None:
    """End the idle workers; the next job starts one anew."""
    with _lock:
        workers = [*_idle] if _owner == os.getpid() else []
        _idle.clear()
    for worker in workers:
        worker.close()


atexit.register(close)
