"""A course to work on, and the command as its users call it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from manyheads.authoring.course import Course

ROOT = Path(__file__).resolve().parents[1]


def copy_of_course(folder: Path, assignment: str = "01-projections") -> Course:
    """One assignment, authored and released, with the configuration: a course of its own."""
    for name in ("solutions", "exercises"):
        shutil.copytree(ROOT / name / assignment, folder / name / assignment)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Course(folder)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Run a command in a folder, as from a terminal of 120 columns."""
    environment = {**os.environ, "COLUMNS": "120", "PYTHONUTF8": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def manyheads(*arguments: str, course: Course) -> subprocess.CompletedProcess:
    """``python -m manyheads …`` in a course."""
    return run([sys.executable, "-m", "manyheads", *arguments], course.root)
