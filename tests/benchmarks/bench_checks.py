"""How long a student waits for the checks of a whole notebook: right answers, and the slowest known mistakes."""

import contextlib
import io
import time

from manyheads.exercises import NAMES, get
from manyheads.exercises.registry import CHAPTERS
from manyheads.grading import CheckFailed, check

from . import table

ROUNDS = 3


def seconds_to_check(answers) -> float:
    """All checks of some exercises, as the notebook calls them."""
    start = time.perf_counter()
    for exercise, answer in answers:
        for aspect in exercise.aspects:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(CheckFailed):
                check(exercise.name, answer, aspect=aspect.name)
    return time.perf_counter() - start


def test_the_checks_of_a_notebook():
    table.title("All checks of one notebook, in this process")
    for chapter in CHAPTERS:
        exercises = [get(name) for name in NAMES if NAMES[name] == chapter]
        right = min(seconds_to_check([(e, e.reference) for e in exercises]) for _ in range(ROUNDS))
        # The last mistake is looked for the longest.
        wrong = min(seconds_to_check([(e, e.mistakes[-1].answer) for e in exercises]) for _ in range(ROUNDS))
        table.line(f"{chapter}, right answers", right, at_most=5, unit=" s")
        table.line(f"{chapter}, mistakes", wrong, at_most=5, unit=" s")
