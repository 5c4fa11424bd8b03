"""A definition's answers, as a student would have written them."""

import numpy as np
import pytest
from manyheads import reference
from manyheads.exercises import NAMES, get
from manyheads.exercises.source import source_as
from manyheads.grading.compare import equal
from manyheads.grading.run import call

ANSWERS = [
    (name, answer)
    for name in NAMES
    for answer in [*get(name).alternatives.values(), *(mistake.answer for mistake in get(name).mistakes)]
]


@pytest.mark.parametrize(("name", "answer"), ANSWERS, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_it_stands_on_its_own_and_gives_the_same(name, answer):
    exercise = get(name)
    written: dict = {"np": np, "reference": reference}
    exec(source_as(answer, exercise.function_name), written)
    inputs = exercise.aspects[0].cases(np.random.default_rng(0))[0].inputs
    ours, theirs = call(answer, inputs), call(written[exercise.function_name], inputs)
    assert ours.exception == theirs.exception
    assert ours.value is theirs.value is None or equal(ours.value, theirs.value, tolerance={})
