"""The process that compiles (``python -m manyheads.kernels.aot._worker``): a line of JSON in, a line of JSON out.

It imports the compilers once and forks for each job, so that a job pays for no import, and whatever a kernel's text
does to the process ends with the fork.
"""

import contextlib
import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback

MEMORY_BYTES = 8 << 30  # of address space; a compiler of a sane kernel maps a tenth of it


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else prints must not come between the answers
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


def answer(job: dict) -> dict:
    """Run a job in a fork, within its seconds."""
    try:
        run = prepare(job["language"])
        if job.get("module"):
            importlib.import_module(job["module"])  # once, here, and not in every fork
    except Exception as error:
        return {"not_here": f"the compiler for {job['language']} does not start: {error}"}
    folder = tempfile.mkdtemp(prefix="manyheads-")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _child(run, job, folder, write)
    os.close(write)
    text, in_time = _read(read, time.monotonic() + job["seconds"])
    os.close(read)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)  # the assembler that it may have started, too
    _, status = os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    if not in_time:
        message = (
            f"compiling took longer than {job['seconds']:g} seconds; tiles far too large for the registers do that"
        )
        return {"finding": {"kind": "endless", "message": message}}
    try:
        return {**json.loads(text), "keep": True}
    except ValueError:
        how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
        return {"finding": {"kind": "crash", "message": f"the compiler itself crashed on this kernel ({how})"}}


def prepare(language: str):
    """Import a compiler; the function that runs a job of this language."""
    return importlib.import_module(f"manyheads.kernels.aot._{language}_job").run


def _child(run, job: dict, folder: str, write: int) -> None:
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        log = os.open(os.path.join(folder, "log"), os.O_RDWR | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        result = run(job, folder)
        with os.fdopen(write, "w") as pipe:
            json.dump(result, pipe)
    except BaseException:
        traceback.print_exc()  # into the log
        os._exit(1)
    os._exit(0)


def _read(stream: int, until: float) -> tuple[str, bool]:
    got = b""
    while True:
        ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return "", False
        part = os.read(stream, 65536)
        if not part:
            return got.decode(), True
        got += part


if __name__ == "__main__":
    main()
