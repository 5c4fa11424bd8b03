"""The graders of all exercises are right: the quick tier of `manyheads verify`. `make prove` runs the whole."""

import numpy as np
import pytest
from manyheads.authoring import in_pyodide, verification
from manyheads.authoring.verification_console import chosen
from manyheads.exercises import NAMES, get
from manyheads.grading.judge import judge
from manyheads.grading.run import call
from manyheads.grading.verify import prove

SEEDS = verification.QUICK.seeds


@pytest.fixture(scope="module")
def solutions(course):
    return verification.model_answers(course, list(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_right_passes_and_wrong_fails_by_its_name(name, solutions):
    assert solutions[name], "every exercise has a model answer in solutions/"
    exercise = get(name)
    if exercise.kernel:  # every mutant has to be built: minutes each, which are `make prove`'s
        found = prove(exercise, solutions[name], range(1), mutate=False)
    else:
        found = prove(exercise, solutions[name], SEEDS)
    assert found.misses == []


def test_there_is_as_much_as_was_promised():
    exercises = [get(name) for name in NAMES if not get(name).kernel]
    well_formed = [prove(exercise, seeds=range(1), mutate=False) for exercise in exercises]
    assert len(exercises) >= 30 + 20
    assert sum(proof.mistakes for proof in well_formed) >= 130 + 90
    assert sum(len(exercise.alternatives) for exercise in exercises) >= 90 + 60


def test_in_the_browsers_python_the_grader_says_the_same(course):
    place, misses = in_pyodide.differences(course, list(NAMES), seeds=1)
    assert "Python 3.12" in place and "NumPy 2.0.2" in place and "32-bit" in place
    assert misses == []


@pytest.mark.parametrize("integer", [int, np.int64, lambda n: np.array(n)])
def test_counts_are_compared_by_kind_and_not_by_width(integer):
    exercise = get("attention-parameters")
    for aspect in exercise.aspects:
        cases = aspect.cases(np.random.default_rng(0))
        outcomes = [call(lambda *numbers: integer(exercise.reference(*numbers)), case.inputs) for case in cases]
        assert judge(exercise, aspect, cases, outcomes).right


def test_names_choose_exercises_and_assignments():
    assert chosen([]) == list(NAMES)
    assert chosen(["pack-heads"]) == ["pack-heads"]
    assert chosen(["pack-heads", "01-projections"]) == [n for n in NAMES if NAMES[n] == "01-projections"]
