"""exercises/ from solutions/: nbgrader's own preprocessors do the stripping, in a folder of their own."""

import tempfile
import time
from pathlib import Path

import nbformat

from manyheads.authoring import files, first_cell
from manyheads.authoring.course import Course, CourseError
from manyheads.authoring.source import source_notebook
from manyheads.grading import nbgrader_tools


def build_source(course: Course, assignment: str) -> dict[str, bytes]:
    """The files of nbgrader's source folder for one assignment: the notebook, and whatever lies beside its text."""
    folder = course.solutions / course.assignment(assignment)
    built, wheel = {}, first_cell.wheel_setting(course.root)
    for name, data in files.tree(folder).items():
        if name.endswith(".py"):
            notebook = source_notebook(folder / name, wheel)
            built[str(Path(name).with_suffix(".ipynb"))] = (nbformat.writes(notebook) + "\n").encode()
        elif "__pycache__" not in name:
            built[name] = data
    return built


def build_release(course: Course, assignment: str) -> dict[str, bytes]:
    """The files that students get: what `nbgrader generate_assignment` makes of the source, byte for byte."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        files.replace_tree(root / "source" / assignment, build_source(course, assignment))
        config = nbgrader_tools.config(root, source="source", release="release")
        try:
            nbgrader_tools.generate(config, assignment, database=False)
        except nbgrader_tools.NbgraderError as error:
            raise CourseError(str(error)) from error
        return files.tree(root / "release" / assignment)


def release(course: Course, assignments: list[str]) -> tuple[list[str], Path | None]:
    """Write exercises/ (and nbgrader's source under var/) for some assignments.

    Everything is built before anything is written, and what would be lost is kept: somebody may have worked in
    exercises/.

    Returns
    -------
    changed : list of str
        The files that were written or removed.
    kept : Path or None
        The folder under var/replaced with the old files, if there were any.
    """
    built = [(name, build_source(course, name), build_release(course, name)) for name in assignments]
    changed, kept = [], course.var / "replaced" / time.strftime("%Y-%m-%d-%H%M%S")
    for name, source, released in built:
        for file, how in differences(course, name, released).items():
            changed.append(f"exercises/{name}/{file}")
            if how != "missing":
                files.write(kept / name / file, (course.exercises / name / file).read_bytes())
        files.replace_tree(course.source / name, source)
        files.replace_tree(course.exercises / name, released)
    return changed, kept if kept.exists() else None


def differences(course: Course, assignment: str, released: dict[str, bytes] | None = None) -> dict[str, str]:
    """How exercises/ASSIGNMENT differs from what solutions/ give: file -> missing, extra or changed."""
    released = build_release(course, assignment) if released is None else released
    folder = course.exercises / assignment
    have = files.tree(folder) if folder.exists() else {}
    differ = {}
    for name in sorted(set(have) | set(released)):
        if name not in have:
            differ[name] = "missing"
        elif name not in released:
            differ[name] = "extra"
        elif have[name] != released[name]:
            differ[name] = "changed"
    return differ


def strays(course: Course) -> list[str]:
    """Folders in exercises/ for which there is no solution."""
    if not course.exercises.exists():
        return []
    return sorted(path.name for path in course.exercises.iterdir() if path.name not in course.assignments())
