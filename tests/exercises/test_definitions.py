"""Every exercise's definition is complete, and draws inputs in which no mistake can hide."""

import copy
import inspect
from collections import Counter

import numpy as np
import pytest
from manyheads import reference
from manyheads.exercises import NAMES, get, of_chapter
from manyheads.exercises.kernel import KernelSource, Oracle
from manyheads.exercises.registry import CHAPTERS
from manyheads.exercises.supply import Supply
from manyheads.kernels.handed_in import WAYS

EXERCISES = [get(name) for name in NAMES]
IDS = list(NAMES)
KERNELS = [exercise for exercise in EXERCISES if exercise.kernel]
FUNCTIONS = [exercise for exercise in EXERCISES if not exercise.kernel]
SEEDS = range(20)


def all_cases(exercise, seed):
    return [case for aspect in exercise.aspects for case in aspect.cases(np.random.default_rng(seed))]


def test_the_registry_and_the_definitions_agree():
    by_chapter = {chapter: [e.name for e in of_chapter(chapter)] for chapter in CHAPTERS}
    assert [name for names in by_chapter.values() for name in names] == list(NAMES)
    assert all(NAMES[name] == chapter for chapter, names in by_chapter.items() for name in names)
    assert all(exercise.chapter == NAMES[exercise.name] for exercise in EXERCISES)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_it_is_complete(exercise):
    assert len(exercise.mistakes) >= 4
    assert exercise.kernel or exercise.example.strip().startswith(">>> ")
    assert len(exercise.alternatives) >= 3
    assert exercise.version >= 1
    assert set(exercise.runs_in) <= {"notebook", "page"}
    assert all(aspect.points > 0 and aspect.about for aspect in exercise.aspects)
    for names in ([a.name for a in exercise.aspects], [m.name for m in exercise.mistakes]):
        assert max(Counter(names).values()) == 1
    for mistake in exercise.mistakes:
        assert mistake.sentence.rstrip(")").endswith(".") and len(mistake.sentence) > 30
        assert set(exercise.lost_by(mistake)) <= {a.name for a in exercise.aspects}
        assert exercise.lost_by(mistake)


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_every_answer_takes_the_contracts_parameters(exercise):
    expected = [parameter.name for parameter in exercise.parameters]
    for answer in [*exercise.alternatives.values(), *(m.answer for m in exercise.mistakes)]:
        assert list(inspect.signature(answer).parameters) == expected, answer
    for case in all_cases(exercise, 0):
        assert list(case.inputs) == expected


@pytest.mark.parametrize("exercise", KERNELS, ids=lambda e: e.name)
def test_every_launch_gives_the_kernels_parameters_and_every_way_is_tried(exercise):
    cases = all_cases(exercise, 0)
    for case in cases:
        given, constants = case.launch.arguments, case.launch.constants
        named = [name for p in exercise.parameters for name in p.name.split(", ")]  # one line may tell of several
        assert list(given) == [name for name in named if name not in constants]
        assert case.launch.language == exercise.kernel.language
        assert len(case.launch.outputs) == len(exercise.returns)
    assert {case.way for case in cases} == set(WAYS[exercise.kernel.language])
    assert exercise.runs_in == ("notebook",)
    answers = [*exercise.alternatives.values(), *(m.answer for m in exercise.mistakes)]
    assert all(isinstance(answer, KernelSource) and case.launch.kernel in answer.text for answer in answers)
    assert case.launch.kernel in exercise.kernel.head and exercise.kernel.launch.endswith(".")
    assert isinstance(exercise.reference, Oracle) and len(exercise.mistakes) >= 6


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_the_same_seed_draws_the_same_inputs_and_another_seed_others(exercise):
    def numbers(seed):
        inputs = [_shown(value, exercise, case) for case in all_cases(exercise, seed) for value in case.inputs.values()]
        return repr(inputs)  # as text: NaN is then like NaN

    assert numbers(3) == numbers(3)
    assert numbers(3) != numbers(4)


def _shown(value, exercise, case):
    """Numbers as they are; for a function, what comes of it."""
    if isinstance(value, Supply):
        result = exercise.reference(**copy.deepcopy(case.inputs))
        return [np.asarray(part).tolist() for part in (result if isinstance(result, tuple) else [result])]
    return np.asarray(value).tolist()


@pytest.mark.parametrize("exercise", [e for e in EXERCISES if e.returns[0].axes], ids=lambda e: e.name)
def test_every_aspect_has_a_case_in_which_no_two_axes_are_alike(exercise):
    """Batch 1, one head, one token, or two axes of one size hide mistakes."""
    for seed in SEEDS:
        for aspect in exercise.aspects:
            cases = [c for c in aspect.cases(np.random.default_rng(seed)) if not c.probe]
            assert any(_tells_axes_apart(exercise, case) for case in cases), (aspect.name, seed)


def _tells_axes_apart(exercise, case):
    result = exercise.reference(**case.inputs)
    for array in result if isinstance(result, tuple) else [result]:
        sizes = [size for size in np.shape(array) if size > 1]
        if len(set(sizes)) < len(sizes) or not sizes:
            return False
    return True


def test_every_given_function_is_the_librarys():
    for exercise in EXERCISES:
        assert all(callable(getattr(reference, name)) for name in exercise.given), exercise.name
        assert exercise.reference not in [getattr(reference, name) for name in exercise.given]


def test_counts_are_too_large_for_32_bits():
    """In the browser an int has 32 bits; a count that overflows there must be asked for."""
    exercise = get("attention-parameters")
    largest = max(exercise.reference(**case.inputs) for case in all_cases(exercise, 0))
    assert largest > 2**31
    assert type(largest) is int
