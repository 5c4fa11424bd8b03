"""Runs tests on a copy of the library with one file changed: each time in a process forked from one that is warm.

Torch and Triton take longer to load than most deletions to be noticed; here they are loaded once. Started in the copy
as ``python -m tests.kernels.planted``; takes one JSON object a line: ``file``, ``source``, ``tests``.
"""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from .deletions import ROOT, Deletion

#: No deletion may make the tests take longer than this: one that does has been noticed.
SECONDS = 900
#: What the tests load sooner or later, apart from the library itself.
WARM = ("hypothesis", "nbformat", "numpy", "pytest", "sympy", "torch._dynamo", "torch._inductor", "triton")


class Copy:
    """A copy of the library and its tests, with a warm process in it. A context manager."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        copy = Path(self.folder.name)
        for name in ("lib", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        env = os.environ | one_thread | {"PYTHONPATH": str(copy / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
        env |= {"TRITON_INTERPRET": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "300"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.kernels.planted"], cwd=copy, env=env, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.asks, self.answers = self.process.stdin, self.process.stdout
        assert self.asks and self.answers
        return self

    def __exit__(self, *_):
        self.asks.close()
        self.process.wait()
        self.folder.cleanup()

    def first_failure(self, deletion: Deletion, tests: list[str]) -> str | None:
        """The first test that fails and why; None where all pass."""
        job = {"file": str(deletion.file.relative_to(ROOT)), "source": deletion.source(), "tests": tests}
        self.asks.write(json.dumps(job) + "\n")
        answer = json.loads(self.answers.readline())
        return _failure(answer["code"], answer["said"])


def _failure(code: int, said: str) -> str | None:
    if code == 0:
        return None
    if code < 0:
        return f"ended by signal {-code}"  # too long, or a crash
    failed = [line for line in said.splitlines() if line.startswith("FAILED ")]
    if code != 1 or not failed:
        raise RuntimeError(f"the tests did not run:\n{said[-3000:]}")
    nonsense = ("NameError", "TypeError", "AttributeError", "does not compile", "SyntaxError", "`other`")
    if any(word in failed[0] for word in nonsense):
        raise RuntimeError(f"a deletion that leaves no kernel proves nothing: {failed[0]}")
    return failed[0].removeprefix("FAILED ")


def _serve() -> None:
    for name in WARM:
        importlib.import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        file = Path(job["file"])
        before = file.read_text("utf-8")
        file.write_text(job["source"], "utf-8")
        try:
            print(json.dumps(_forked(job["tests"])), flush=True)
        finally:
            file.write_text(before, "utf-8")


def _forked(tests: list[str]) -> dict:
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            code = 4
            try:
                signal.alarm(SECONDS)
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                import pytest

                code = int(pytest.main(["-x", "-q", "--tb=line", "-p", "no:cacheprovider", *tests]))
                sys.stdout.flush()
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        said.seek(0)
        return {"code": os.waitstatus_to_exitcode(status), "said": said.read()}


if __name__ == "__main__":
    _serve()
