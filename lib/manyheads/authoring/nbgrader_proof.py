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
class HandIn:
    """One filled-in assignment, and the points that every graded cell must get."""

    name: str
    notebooks: dict[str, object]  #: by file
    expected: dict[str, float]


def hand_ins(assignment: str, source: dict[str, object], released: dict[str, object]) -> list[HandIn]:
    """The solution, the starter, and for each k the k-th mistake of every exercise; notebooks by file."""
    exercises = of_chapter(assignment)
    right = {name: sample_class.solved(source[name], released[name]) for name in released}

    def points(lost: Callable[[Exercise], tuple[str, ...]]) -> dict[str, float]:
        return {e.grade_id(a): 0.0 if a.name in lost(e) else float(a.points) for e in exercises for a in e.aspects}

    made = [
        HandIn("solution", right, points(lambda e: ())),
        HandIn("starter", released, points(lambda e: tuple(a.name for a in e.aspects))),
    ]
    for k in range(max(len(e.mistakes) for e in exercises)):
        answers = sample_class.answers(exercises, sample_class.nth_mistake(k))
        filled = {name: sample_class.filled_in(notebook, answers) for name, notebook in right.items()}
        lost = points(lambda e, k=k: e.lost_by(e.mistakes[k]) if k < len(e.mistakes) else ())
        made.append(HandIn(f"mistake-{k + 1}", filled, lost))
    return made


def prove(
    course: Course, assignment: str, jobs: int, progress=lambda done, of, what: None, most: int | None = None
) -> list[str]:
    """Grade these hand-ins in a folder of their own; one line for every cell with other points than it must have.

    `most` limits them to the first so many: solution, starter, first mistakes, …
    """
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        folders = batch.ClassFolders(root, "source", "release", "class")
        built, released = build_source(course, assignment), build_release(course, assignment)
        files.replace_tree(root / "source" / assignment, built)
        wanted = hand_ins(assignment, _notebooks(built), _notebooks(released))[:most]
        for one in wanted:
            for file, notebook in one.notebooks.items():
                content = nbformat.writes(notebook).encode()
                files.write(root / "submitted" / one.name / assignment / file, content)
        options = batch.Options(jobs, with_feedback=False)
        graded = batch.grade(folders, root / "submitted", course.seed(), [assignment], options, progress)
        by_name = {result.student: result for result in graded}
        return [miss for one in wanted for miss in _misses(assignment, one, by_name[one.name])]


def _notebooks(built: dict[str, bytes]) -> dict[str, object]:
    return {n: nbformat.reads(data.decode(), as_version=4) for n, data in built.items() if n.endswith(".ipynb")}


def _misses(assignment: str, one: HandIn, result: Result) -> list[str]:
    got = {name: points for name, (points, _) in result.cells.items()}
    lines = [f"{assignment}, {one.name}: {flag}" for flag in result.flags]
    for name in sorted(set(got) | set(one.expected)):
        if got.get(name) != one.expected.get(name):
            want = one.expected.get(name, "no such cell")
            lines.append(f"{assignment}, {one.name}: {name} got {got.get(name, 'no mark')}, expected {want}")
    return lines
