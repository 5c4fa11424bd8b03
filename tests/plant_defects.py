"""Plants one defect after another in a copy of the library, and reports whether the tests catch it.

python -m tests.plant_defects [PART OF A DEFECT'S NAME]
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .defects import DEFECTS, Defect
from .grader_defects import GRADER_DEFECTS

ROOT = Path(__file__).resolve().parents[1]
#: The tests that judge the two paths, the quick ones first; those of books and classes would find the same later.
QUICK = ["tests/test_masks.py", "tests/test_conversions.py", "tests/test_layers_by_hand.py"]
LAST = "tests/test_prefill_and_decode.py"
TESTS = {
    "numpy": [*QUICK, "tests/reference", LAST],
    "torch": [*QUICK, "tests/torch_path", LAST],
    "both": [*QUICK, "tests/reference", "tests/torch_path", LAST],
    "graders": [
        f"tests/grading/{name}"
        for name in (
            "test_compare.py",
            "test_unset.py",
            "test_asking.py",
            "test_memory.py",
            "test_versions.py",
            "verify",
            "test_check.py",
        )
    ],
    "probes": ["tests/probes"],
}

#: By the file with the defect, the tests that find it soonest: they go first, and the rest follow.
SOONEST = {
    "_slots.py": LAST,
    "reference/cache.py": LAST,
    "reference/multi_head.py": LAST,
    "torch_path/multi_head.py": LAST,
    "reference/backward.py": "tests/reference/test_backward.py",
    "reference/_visibility.py": "tests/reference/test_unread_slots.py",
    "reference/blocked.py": "tests/reference/test_attention.py",
    "torch_path/_call.py": "tests/torch_path/test_attention.py",
    "torch_path/blocked.py": "tests/torch_path/test_attention.py",
}


def tests_of(defect: Defect | None, path: str) -> list[str]:
    """The tests to run, in this order."""
    if defect is None:
        return TESTS[path]
    if defect.tests:
        return list(defect.tests)
    soonest = [SOONEST[edit.file] for edit in defect.edits if edit.file in SOONEST]
    return list(dict.fromkeys([*soonest, *TESTS[defect.path]]))


def plant(defect: Defect, library: Path) -> None:
    """Make the edits; each must find its text exactly once, or the list of defects is out of date."""
    for file, old, new in defect.edits:
        path = library / "manyheads" / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise LookupError(f"{defect.kind}: {old!r} stands {text.count(old)} times in {file}, not once")
        path.write_text(text.replace(old, new), encoding="utf-8")


def caught_by(defect: Defect | None, path: str = "both") -> str | None:
    """The first test that fails with the defect planted; None where all pass. Without a defect: a path's own tests."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for name in ("lib", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", copy)
        if defect is not None:
            plant(defect, copy / "lib")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        # Compiling takes long and finds what the rest finds; a failing example need not be made small.
        command += ["-k", "not compiled", "--hypothesis-profile=no-shrink", *tests_of(defect, path)]
        env = os.environ | {"PYTHONPATH": str(copy / "lib"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if done.returncode != 1 or not failed or failed[0].startswith("ERROR"):
            raise RuntimeError(f"the tests did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return failed[0].split(" - ")[0].removeprefix("FAILED ")


def main() -> int:
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    wanted = " ".join(sys.argv[1:])
    chosen = [defect for defect in (*DEFECTS, *GRADER_DEFECTS) if wanted in defect.kind]
    table = Table("planted", "path", "caught by")
    missed = 0
    for defect in track(chosen, description="planting"):
        test = caught_by(defect)
        missed += test is None
        table.add_row(defect.kind, defect.path, test or "[bold red]NOT CAUGHT[/]")
    console = Console(width=150)
    console.print(table)
    console.print(f"{len(chosen) - missed} of {len(chosen)} defects are caught")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
