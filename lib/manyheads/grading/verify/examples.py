"""The example that a student can do by hand: the reference must print what it shows."""

import doctest

import numpy as np

from manyheads.exercises import Exercise


def problems(exercise: Exercise) -> list[str]:
    """What is wrong with an exercise's example, as lines for a person."""
    known = {"np": np, exercise.function_name: exercise.reference}
    test = doctest.DocTestParser().get_doctest(exercise.example, known, exercise.name, None, None)
    if not any(exercise.function_name in one.source for one in test.examples):
        return ["its example does not call it"]
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    return [f"its example prints something else: {' '.join(''.join(said).split())}"] if said else []
