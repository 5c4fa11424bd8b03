"""The proof, through real nbgrader, that an assignment's marks are what its definitions say."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat

from manyheads.authoring import files, sample_class
from manyheads.authoring.course import Course
from manyheads.authoring.release import build_release, build_source
from manyheads.exercises import Exercise, of_chapter
from manyheads.grading import batch
from manyheads.grading.results import Result


@dataclass(frozen=True)
class Notebook:
    """One filled-in notebook, and the points that every graded cell must get."""

    name: str
    content: object
    expected: dict[str, float]


def notebooks(assignment: str, source, released) -> list[Notebook]:
    """The solution, the starter, and for each k the k-th mistake of every exercise in one notebook."""
    exercises = of_chapter(assignment)
    right = sample_class.solved(source, released)

    def points(lost: Callable[[Exercise], tuple[str, ...]]) -> dict[str, float]:
        return {e.grade_id(a): 0.0 if a.name in lost(e) else float(a.points) for e in exercises for a in e.aspects}

    made = [
        Notebook("solution", right, points(lambda e: ())),
        Notebook("starter", released, points(lambda e: tuple(a.name for a in e.aspects))),
    ]
    for k in range(max(len(e.mistakes) for e in exercises)):
        filled = sample_class.filled_in(right, sample_class.answers(exercises, sample_class.nth_mistake(k)))
        lost = points(lambda e, k=k: e.lost_by(e.mistakes[k]) if k < len(e.mistakes) else ())
        made.append(Notebook(f"mistake-{k + 1}", filled, lost))
    return made


def prove(
    course: Course, assignment: str, jobs: int, progress=lambda done, of, what: None, most: int | None = None
) -> list[str]:
    """Grade these notebooks in a folder of their own; one line for every cell with other points than it must have.

    `most` limits them to the first so many: solution, starter, first mistakes, …
    """
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        folders = batch.ClassFolders(root, "source", "release", "class")
        built = build_source(course, assignment)
        files.replace_tree(root / "source" / assignment, built)
        misses, options = [], batch.Options(jobs, with_feedback=False)
        for name, data in built.items():
            if not name.endswith(".ipynb"):
                continue
            released = nbformat.reads(build_release(course, assignment)[name].decode(), as_version=4)
            wanted = notebooks(assignment, nbformat.reads(data.decode(), as_version=4), released)[:most]
            for one in wanted:
                content = nbformat.writes(one.content).encode()
                files.write(root / "submitted" / one.name / assignment / name, content)
            graded = batch.grade(folders, root / "submitted", course.seed(), [assignment], options, progress)
            by_name = {result.student: result for result in graded}
            misses += [miss for one in wanted for miss in _misses(assignment, one, by_name[one.name])]
        return misses


def _misses(assignment: str, notebook: Notebook, result: Result) -> list[str]:
    got = {name: points for name, (points, _) in result.cells.items()}
    lines = [f"{assignment}, {notebook.name}: {flag}" for flag in result.flags]
    for name in sorted(set(got) | set(notebook.expected)):
        if got.get(name) != notebook.expected.get(name):
            want = notebook.expected.get(name, "no such cell")
            lines.append(f"{assignment}, {notebook.name}: {name} got {got.get(name, 'no mark')}, expected {want}")
    return lines
