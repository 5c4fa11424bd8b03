"""What a class got right and wrong, counted from its results: for the terminal, the page and the table of marks."""

import csv
import io
from collections import Counter
from dataclasses import dataclass

from manyheads.exercises import Exercise, of_chapter
from manyheads.grading.results import Result


@dataclass(frozen=True)
class ExerciseTally:
    """How a class did on one exercise."""

    exercise: Exercise
    handed_in: int
    right: int  #: every aspect right
    unwritten: int
    unchecked: int  #: nothing of it could be checked: an error before, a crash, a file that is no notebook
    mistakes: list[tuple[str, str, int]]  #: (name, sentence, how many made it), the most frequent first
    unnamed: int  #: wrong in a way that no known mistake explains


def points(result: Result, exercise: Exercise) -> tuple[float, float]:
    """(points, most) of one exercise in one result."""
    ids = [exercise.grade_id(aspect) for aspect in exercise.aspects]
    earned = [result.cells[grade_id] for grade_id in ids if grade_id in result.cells]
    return sum(p for p, _ in earned), sum(most for _, most in earned)


def tally(assignment: str, results: list[Result]) -> list[ExerciseTally]:
    """One entry for each exercise of an assignment, in its order."""
    return [_one(exercise, results) for exercise in of_chapter(assignment)]


def _one(exercise: Exercise, results: list[Result]) -> ExerciseTally:
    made: Counter[str] = Counter()
    right = unwritten = unchecked = unnamed = 0
    for result in results:
        verdicts = [v for v in result.verdicts if v["exercise"] == exercise.name]
        names = {v["mistake"] for v in verdicts if v["mistake"]}
        made.update(names)
        earned, most = points(result, exercise)
        if most and earned == most:
            right += 1
        elif not verdicts:
            unchecked += 1
        elif all(v["unwritten"] for v in verdicts):
            unwritten += 1
        elif not names:
            unnamed += 1
    sentences = {mistake.name: mistake.sentence for mistake in exercise.mistakes}
    counted = [(name, sentences.get(name, ""), count) for name, count in made.most_common()]
    return ExerciseTally(exercise, len(results), right, unwritten, unchecked, counted, unnamed)


def as_csv(results: list[Result]) -> str:
    """The marks: a line for each submission."""
    lines = [
        {
            "student": r.student,
            "assignment": r.assignment,
            "score": _short(r.auto + r.written[0]),
            "max_score": _short(r.most_auto + r.written[1]),
            "checks": _short(r.auto),
            "max_checks": _short(r.most_auto),
            "written": _short(r.written[0]),
            "max_written": _short(r.written[1]),
            "waits_for": "a reader" if r.needs_reading else "",
            "flags": "; ".join(r.flags),
        }
        for r in results
    ]
    file = io.StringIO()
    table = csv.DictWriter(file, list(lines[0]) if lines else [], lineterminator="\n")
    table.writeheader()
    table.writerows(lines)
    return file.getvalue()


def _short(number: float) -> str:
    return f"{number:g}"
