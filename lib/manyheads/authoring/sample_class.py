"""A class to try the grading on: right answers by several techniques, known mistakes, and a few accidents."""

import copy
from collections.abc import Callable
from pathlib import Path

import nbformat

from manyheads.authoring import files
from manyheads.exercises import Exercise, of_chapter
from manyheads.exercises.source import source_as

#: How many of the techniques and of the mistakes the class shows: `manyheads verify` tries them all.
MOST_OTHER_WAYS, MOST_MISTAKES = 3, 4

_CRASH = "# This ends the kernel in the middle of the notebook.\nimport os\n\nos._exit(0)"
_NOISE = (
    "import sys\nimport warnings\n\n"
    'print("<script>document.title = \'owned\'</script>")\nprint("to stderr", file=sys.stderr)\n'
    'warnings.warn("this is only a warning")'
)


def answers(exercises: tuple[Exercise, ...], choose: Callable[[Exercise], Callable | None]) -> dict[str, str]:
    """The source of an answer cell by grade id, where `choose` gives a function; others keep what they have."""
    chosen = {exercise: choose(exercise) for exercise in exercises}
    return {e.name: source_as(f, e.function_name) for e, f in chosen.items() if f is not None}


def nth_mistake(number: int) -> Callable[[Exercise], Callable | None]:
    """Chooses each exercise's mistake of this number (from 0), or none where there are fewer."""
    return lambda e: e.mistakes[number].answer if number < len(e.mistakes) else None


def nth_alternative(number: int) -> Callable[[Exercise], Callable | None]:
    """Chooses each exercise's valid alternative of this number (from 0), or none where there are fewer."""
    return lambda e: list(e.alternatives.values())[number] if number < len(e.alternatives) else None


def filled_in(notebook, replacements: dict[str, str]):
    """A copy of a notebook with the source of some cells replaced, by grade id."""
    filled = copy.deepcopy(notebook)
    for cell in filled.cells:
        if cell.id in replacements:
            cell.source = replacements[cell.id]
    return filled


def solved(source, released):
    """The released notebook with the solutions of the source notebook in the answer cells."""
    by_id = {cell.id: cell.source for cell in source.cells}
    own = {c.id: by_id[c.id] for c in released.cells if c.metadata.get("nbgrader", {}).get("solution")}
    return filled_in(released, own)


def submissions(assignment: str, source, released) -> dict[str, object]:
    """Student -> notebook (bytes where it is none), for one notebook of an assignment."""
    ids = {cell.id for cell in released.cells}
    exercises = tuple(exercise for exercise in of_chapter(assignment) if exercise.name in ids)
    right = solved(source, released)
    made: dict[str, object] = {"right": right, "starter": released}
    for number in range(MOST_OTHER_WAYS):
        made[f"other-way-{number + 1}"] = filled_in(right, answers(exercises, nth_alternative(number)))
    for number in range(MOST_MISTAKES):
        made[f"mistake-{number + 1}"] = filled_in(right, answers(exercises, nth_mistake(number)))
    made["half-done"] = filled_in(released, {e.name: s for e, s in _first_half(exercises, right).items()})
    made["noisy"] = _with_cell(right, _NOISE, before=exercises[0].name)
    made["crashed"] = _with_cell(right, _CRASH, before=exercises[len(exercises) // 2].name)
    made["corrupt"] = nbformat.writes(right)[:2000].encode()
    return made


def write(folder: Path, assignment: str, notebook: str, source, released) -> list[str]:
    """Write the class as ``folder/STUDENT/ASSIGNMENT/NOTEBOOK``, one notebook of each student; the students."""
    made = submissions(assignment, source, released)
    for student, content in made.items():
        data = content if isinstance(content, bytes) else nbformat.writes(content).encode()
        files.write(folder / student / assignment / notebook, data)
    return sorted(made)


def _first_half(exercises, right) -> dict:
    sources = {cell.id: cell.source for cell in right.cells}
    return {e: sources[e.name] for e in exercises[: len(exercises) // 2]}


def _with_cell(notebook, source: str, before: str):
    changed = copy.deepcopy(notebook)
    index = next(i for i, cell in enumerate(changed.cells) if cell.id == before)
    changed.cells.insert(index, nbformat.v4.new_code_cell(source, id="students-own-cell"))
    return changed
