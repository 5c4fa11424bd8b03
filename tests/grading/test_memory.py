"""The peak of memory: measured where a case asks for it, and a reason to refuse."""

import dataclasses
import re
import tracemalloc

import numpy as np
import pytest
from manyheads.exercises import Aspect, Case, Mistake, get
from manyheads.grading import report
from manyheads.grading.judge import judge, run_case
from manyheads.grading.run import call

SIZE = 100_000


def test_nothing_is_measured_unless_asked():
    assert call(lambda w: w + 1, {"w": np.ones(SIZE)}).peak_bytes is None
    assert not tracemalloc.is_tracing()


@pytest.mark.parametrize(
    ("function", "arrays"), [(lambda w: w.sum(), 0), (lambda w: w + 1, 1), (lambda w: np.stack([w, w]), 2)]
)
def test_the_peak_is_what_the_call_held_beside_its_inputs(function, arrays):
    peak = call(function, {"w": np.ones(SIZE)}, measure=True).peak_bytes
    assert arrays * 8 * SIZE <= peak < arrays * 8 * SIZE + 100_000


def test_it_can_be_measured_inside_of_another_measurement():
    tracemalloc.start()
    try:
        before = np.ones(SIZE)
        assert call(lambda w: w.sum(), {"w": before}, measure=True).peak_bytes < 100_000
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_a_function_that_raises_is_measured_too():
    def fails(w):
        w = w + 1
        raise ValueError

    outcome = call(fails, {"w": np.ones(SIZE)}, measure=True)
    assert outcome.exception == "ValueError" and outcome.peak_bytes >= 8 * SIZE
    assert not tracemalloc.is_tracing()


def wasteful(w):
    copies = np.stack([np.concatenate(list(w), axis=1)] * 8)
    return copies[0].copy()


@pytest.fixture
def exercise():
    exercise = get("pack-heads")

    def large(rng):
        w = rng.standard_normal((5, 30, 40))
        return [Case("large matrices", {"w": w}, most_bytes=3 * w.nbytes)]

    mistake = Mistake("wasteful", wasteful, "You made eight copies of the whole result.", "Packing the weights")
    aspect = Aspect("memory", 1, "without copies", large)
    return dataclasses.replace(exercise, aspects=(aspect,), mistakes=(*exercise.mistakes, mistake))


def verdict(exercise, answer):
    (aspect,) = exercise.aspects
    cases = aspect.cases(np.random.default_rng(0))
    return judge(exercise, aspect, cases, [run_case(answer, case) for case in cases])


def test_too_much_memory_is_refused_by_name(exercise):
    assert verdict(exercise, exercise.reference).right
    found = verdict(exercise, wasteful)
    assert not found.right and found.mistake.name == "wasteful"
    assert found.first.problem.kind == "memory"


def test_the_student_reads_how_much_it_was(exercise):
    def other(w):
        zeros = np.zeros((20, 30, 200))
        return np.concatenate(list(w), axis=1) + zeros[0]

    found = verdict(exercise, lambda w: other(w))
    said = " ".join(report.as_text(found).split())
    assert "at its peak beside its arguments; at most 141 KiB are allowed" in said
    held = re.search(r"Your function held ([\d,]+) KiB", said)
    assert 938 <= int(held[1].replace(",", "")) < 1100  # the zeros, two results


def test_wrong_values_are_told_before_memory(exercise):
    assert verdict(exercise, lambda w: wasteful(w) + 1).first.problem.kind == "values"
