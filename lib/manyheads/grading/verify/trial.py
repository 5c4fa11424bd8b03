"""One exercise's cases over some seeds, drawn once and with the right answers at hand."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from manyheads.exercises import Aspect, Case, Exercise
from manyheads.grading.asking import asking
from manyheads.grading.compare import problem
from manyheads.grading.judge import Verdict, held_too_much, judge, run_case
from manyheads.grading.outcome import Outcome, Value, to_value


@dataclass(frozen=True)
class Drawn:
    """The cases of one aspect for one seed."""

    exercise: Exercise
    aspect: Aspect
    seed: int
    cases: list[Case] = field(repr=False)
    remembered: dict[tuple[Callable, int], Outcome] = field(default_factory=dict, repr=False)

    @cached_property
    def expected(self) -> list[Value]:
        """The reference's answers."""
        found = [outcome.value for outcome in self.expected_outcomes]
        assert None not in found, "a reference does not raise"
        return [value for value in found if value is not None]

    @cached_property
    def expected_outcomes(self) -> list[Outcome]:
        """What the reference gives and asks."""
        return [run_case(self.exercise.reference, case) for case in self.cases]

    def run(self, answer: Callable, case: Case) -> Outcome:
        """What an answer gives; known answers are asked again and again, and run once."""
        key = (answer, id(case))
        if key not in self.remembered:
            self.remembered[key] = run_case(answer, case)
        return self.remembered[key]

    def verdict(self, answer: Callable) -> Verdict:
        """As a student would get it."""
        outcomes = [self.run(answer, case) for case in self.cases]
        return judge(self.exercise, self.aspect, self.cases, outcomes, self.run)

    def accepts(self, answer: Callable) -> bool:
        """Whether a verdict would be right; without the diagnosis, and so much quicker."""
        exercise = self.exercise
        for case, expected, right in zip(self.cases, self.expected, self.expected_outcomes, strict=True):
            if case.probe:
                continue
            outcome = run_case(answer, case)
            if outcome.value is None or held_too_much(outcome, case) or not asking(case, right, outcome).right:
                return False
            if problem(exercise.returns, expected, outcome.value, exercise.tolerance):
                return False
        return True

    def accepts_values(self, change: Callable[[np.ndarray], object]) -> bool | None:
        """Whether the reference's answers, with `change` done to every array, pass; None if it changes nothing."""
        changed = False
        for case, expected in zip(self.cases, self.expected, strict=True):
            if case.probe:
                continue
            with np.errstate(all="ignore"):  # half precision overflows
                value = _changed(expected, change)
            changed |= not _identical(expected, value)
            if problem(self.exercise.returns, expected, value, self.exercise.tolerance):
                return False
        return True if changed else None


def draw(exercise: Exercise, seeds: range) -> list[Drawn]:
    """Every aspect's cases for every seed, the aspects of one seed together."""
    return [
        Drawn(exercise, aspect, seed, aspect.cases(np.random.default_rng(seed)))
        for seed in seeds
        for aspect in exercise.aspects
    ]


def by_seed(drawn: list[Drawn]) -> Iterator[list[Drawn]]:
    """The aspects of each seed."""
    for seed in dict.fromkeys(one.seed for one in drawn):
        yield [one for one in drawn if one.seed == seed]


def outcome_arrays(value: Value | None) -> list[np.ndarray]:
    """The arrays and numbers of a returned value, as arrays."""
    if value is None:
        return []
    if value.items:
        return [array for item in value.items for array in outcome_arrays(item)]
    if value.array is not None:
        return [value.array]
    return [] if value.number is None else [np.asarray(float(value.number))]


def _changed(value: Value, change) -> Value:
    if value.items:
        return Value(value.kind, value.type_name, items=tuple(_changed(item, change) for item in value.items))
    return to_value(change(value.array if value.array is not None else value.number))


def _identical(one: Value, other: Value) -> bool:
    if one.items:
        return len(one.items) == len(other.items) and all(map(_identical, one.items, other.items))
    if one.array is None or other.array is None:
        return (one.kind, one.number) == (other.kind, other.number)
    same = one.array.shape == other.array.shape and one.array.dtype == other.array.dtype
    return same and np.array_equal(one.array, other.array, equal_nan=one.array.dtype.kind == "f")
