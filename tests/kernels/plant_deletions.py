"""Deletes each barrier, mask and rescaling of the library's kernels, one at a time, and reports what notices.

python -m tests.kernels.plant_deletions [PART OF A NAME] [--jobs N]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .deletions import KERNELS, ROOT, Deletion, deletions

#: The quick tests first; what passes them meets all tests of its language.
SOON = {"cuda": "tests/kernels/cuda/test_soon.py", "triton": "tests/kernels/triton/test_soon.py"}
DECODE = "tests/kernels/triton/test_decode.py"

#: Deletions after which the kernel does the same, with the reason. By "file: before => after".
SAME: dict[str, str] = {}


def key(deletion: Deletion) -> str:
    """What does not change when lines move: file, and the line before and after."""
    return f"{deletion.file.relative_to(KERNELS)}: {deletion.before.strip()} => {deletion.after.strip()}"


def caught_by(deletion: Deletion | None, language: str) -> str | None:
    """The first test that fails; None where all pass. Without a deletion: the tests as they are."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("lib", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        soon = [SOON[language]]
        if deletion is not None:
            (copy / deletion.file.relative_to(ROOT)).write_text(deletion.source(), "utf-8")
            soon = [DECODE, *soon] if deletion.file.name.startswith("decode") else soon
        for tests in (soon, [f"tests/kernels/{language}"]):
            failed = _first_failure(copy, tests)
            if failed or deletion is None:
                return failed
        return None


def _first_failure(copy: Path, tests: list[str]) -> str | None:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    env = os.environ | {"PYTHONPATH": str(copy / "lib"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if not failed:
        raise RuntimeError(f"the tests did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed[0].split(" - ")[0].removeprefix("FAILED ")


def main() -> int:
    from rich.console import Console
    from rich.progress import track

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="only deletions with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    chosen = [one for one in deletions() if asked.part in one.name and key(one) not in SAME]
    console, missed = Console(width=200, highlight=False), 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = pool.map(lambda one: caught_by(one, one.file.parent.name), chosen)
        for one, test in zip(chosen, track(found, total=len(chosen), description="deleting"), strict=True):
            missed += test is None
            console.print(f"{one.name}: {test or 'NOT CAUGHT'}", markup=False, soft_wrap=True)
    console.print(f"{len(chosen) - missed} of {len(chosen)} deletions turn a test red; {len(SAME)} change nothing")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
