"""What has been proved, kept under var/verified by the content of all that it depends on."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from manyheads.authoring import files
from manyheads.authoring.course import Course
from manyheads.exercises import NAMES, of_chapter
from manyheads.exercises.registry import CHAPTERS

_PACKAGE = Path(__file__).resolve().parents[1]

#: What every proof depends on. The definitions of the chapters concerned come on top.
_SHARED = ("__init__.py", "_*.py", "config.py", "models.py", "costs/*.py", "exercises/*.py", "grading/**/*",
           "reference/*.py")  # fmt: skip

#: What runs kernels that are handed in: only that chapter's proofs depend on it.
_KERNELS = ("kernels/*.py", "kernels/emulate/*", "kernels/aot/*.py", "kernels/handed_in/*.py")

#: What makes notebooks, and runs the proofs in the page and through nbgrader.
_NOTEBOOKS = tuple(f"authoring/{name}" for name in (
    "contract.py", "course.py", "files.py", "first_cell.py", "in_pyodide.mjs", "in_pyodide.py", "nbgrader_proof.py",
    "kernel_contract.py", "npm.py", "release.py", "sample_class.py", "source.py", "verification.py",
))  # fmt: skip


def record(course: Course, what: str, names: list[str], *more: object, notebooks: bool = False) -> Path:
    """Where the result of proving `what` of some exercises is kept, `more` being what else it depends on."""
    return course.var / "verified" / f"{what}-{content(names, *more, notebooks=notebooks)[:20]}.json"


def content(names: list[str], *more: object, notebooks: bool = True) -> str:
    """Changes with everything that the proof of these exercises depends on; what makes `notebooks` of them too."""
    digest = hashlib.sha256(json.dumps([np.__version__, names, *map(str, more)]).encode())
    chapters = sorted({CHAPTERS[NAMES[name]] for name in names})
    own = [Path(*chapter.split(".")[1:], "*.py").as_posix() for chapter in chapters]
    asked = [exercise for name in names for exercise in of_chapter(NAMES[name])]
    runners = _KERNELS if any(exercise.kernel for exercise in asked) else ()
    for pattern in (*_SHARED, *own, *runners, *(_NOTEBOOKS if notebooks else ())):
        for path in sorted(p for p in _PACKAGE.glob(pattern) if p.is_file() and "__pycache__" not in p.parts):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def whole(course: Course) -> Path:
    """The committed record of the last proof of everything: its content, and what was tried."""
    return course.solutions / "proved.json"


def read(path: Path) -> Any:
    """What was kept, or None."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def keep(path: Path, result: Any) -> None:
    """Keep a result for the next time."""
    files.write(path, (json.dumps(result, indent=1) + "\n").encode())
