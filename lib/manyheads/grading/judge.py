"""Judging outcomes: a verdict for each aspect, with the known mistake by name. Sees arrays, runs no student code."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyheads.exercises.definition import Aspect, Case, Exercise, Mistake
from manyheads.grading import kernels
from manyheads.grading.asking import asking
from manyheads.grading.compare import Problem, equal, problem
from manyheads.grading.outcome import Outcome
from manyheads.grading.run import call

#: In the place of what a case gives, after a launch that did not end: each would take its whole time.
LEFT_OUT = Outcome(exception="left out")


@dataclass(frozen=True)
class Finding:
    """What one case showed."""

    case: Case
    problem: Problem | None = None
    outcome: Outcome | None = None  #: where the function raised

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem is None and self.outcome is None

    @property
    def left_out(self) -> bool:
        """Whether the case was not tried, because one before it did not end."""
        return self.outcome == LEFT_OUT


@dataclass(frozen=True)
class Verdict:
    """What one aspect earns, and why."""

    exercise: Exercise
    aspect: Aspect
    findings: tuple[Finding, ...]
    mistake: Mistake | None
    unwritten: bool  #: the starter, untouched
    notes: tuple[str, ...]

    @property
    def counted(self) -> tuple[Finding, ...]:
        """The findings that decide about the points: all but the probes'."""
        return tuple(finding for finding in self.findings if not finding.case.probe)

    @property
    def right(self) -> bool:
        """Whether every case that counts is right."""
        return all(finding.right for finding in self.counted)

    @property
    def earned(self) -> int:
        """Points: all of the aspect's, or none."""
        return self.aspect.points if self.right else 0

    @property
    def first(self) -> Finding | None:
        """The first finding that counts and is not right."""
        return next((finding for finding in self.counted if not finding.right), None)


def judge(
    exercise: Exercise,
    aspect: Aspect,
    cases: list[Case],
    outcomes: list[Outcome],
    run: Callable[[Callable, Case], Outcome] | None = None,
) -> Verdict:
    """Compare the outcomes of the cases with the reference, and name the mistake that explains them.

    `run` calls the reference and the known mistakes; a proof of many answers remembers what they gave.
    """
    run = run or run_case
    both = zip(cases, outcomes, strict=True)
    findings = tuple(_finding(exercise, case, outcome, run) for case, outcome in both)
    right = all(finding.right for finding in findings if not finding.case.probe)
    return Verdict(
        exercise,
        aspect,
        findings,
        mistake=None if right else diagnose(exercise, findings, outcomes, run),
        unwritten=all(outcome.exception == "NotImplementedError" for outcome in outcomes),
        notes=_notes(findings, outcomes),
    )


def diagnose(exercise: Exercise, findings: tuple[Finding, ...], outcomes: list[Outcome], run) -> Mistake | None:
    """The known mistake whose outcomes equal these in every case.

    Where the function raised, the same type of exception is alike enough; so at least one wrong case must have
    returned something, or any ValueError would be named. What a kernel's runner finds says more than an exception.
    """
    if all(finding.right or _says_little(finding.outcome) for finding in findings):
        return None
    for mistake in exercise.mistakes:
        both = ((f, outcome) for f, outcome in zip(findings, outcomes, strict=True) if not f.left_out)
        if all(_alike(run(mistake.answer, f.case), outcome, f.case, exercise, run) for f, outcome in both):
            return mistake
    return None


def run_cases(function, cases: list[Case]) -> list[Outcome]:
    """Call a function on one case after the other, until a launch that counts does not end."""
    outcomes: list[Outcome] = []
    endless = False
    for case in cases:
        outcomes.append(LEFT_OUT if endless else run_case(function, case))
        endless = endless or (kernels.endless(outcomes[-1]) and not case.probe)
    return outcomes


def run_case(function, case: Case) -> Outcome:
    """Call a function on the inputs of one case, and measure what the case limits; a kernel is launched on them."""
    if case.launch is not None:
        return kernels.call(function, case)
    return call(function, case.inputs, measure=case.most_bytes is not None)


def _says_little(outcome: Outcome | None) -> bool:
    """Whether an outcome without a value is an exception like any other."""
    return outcome is not None and (outcome.finding is None or outcome.finding.kind in _ANYBODYS)


#: What can be found in a kernel that is wrong in any way whatever.
_ANYBODYS = ("does not compile", "wrong parameters", "not allowed", "crash")


def _alike(one: Outcome, other: Outcome, case: Case, exercise: Exercise, run) -> bool:
    if held_too_much(one, case) is not held_too_much(other, case):
        return False
    if case.asks:
        expected = run(exercise.reference, case)
        if asking(case, expected, one).kinds != asking(case, expected, other).kinds:
            return False
    if one.value is None or other.value is None:
        return one.exception is not None and one.exception == other.exception and _place(one) == _place(other)
    return equal(one.value, other.value, exercise.tolerance)


def _place(outcome: Outcome) -> tuple[int | str, ...]:
    """What a kernel touched. Almost any wrong place lies outside an array, sooner or later: the same must be meant."""
    return () if outcome.finding is None else outcome.finding.place


def _finding(exercise: Exercise, case: Case, outcome: Outcome, run) -> Finding:
    if outcome.value is None:
        return Finding(case, outcome=outcome)
    expected = run(exercise.reference, case)
    assert expected.value is not None  # a reference does not raise
    found = problem(exercise.returns, expected.value, outcome.value, exercise.tolerance)
    if found is None and held_too_much(outcome, case):
        message = (
            f"your function held {_kibibytes(outcome.peak_bytes)} at its peak beside its arguments; "
            f"at most {_kibibytes(case.most_bytes)} are allowed"
        )
        found = Problem("memory", message, exercise.returns[0])
    asked = asking(case, expected, outcome)
    if found is None and not asked.right:
        found = Problem("asked", asked.message, exercise.returns[0])
    return Finding(case, found)


def held_too_much(outcome: Outcome, case: Case) -> bool:
    """Whether a call went over the memory that its case allows."""
    return case.most_bytes is not None and outcome.peak_bytes is not None and outcome.peak_bytes > case.most_bytes


def _kibibytes(size: int | None) -> str:
    return f"{(size or 0) / 1024:,.0f} KiB"


def _notes(findings: tuple[Finding, ...], outcomes: list[Outcome]) -> tuple[str, ...]:
    """What was noticed and costs no points; each once."""
    notes: dict[str, None] = {}
    for finding, outcome in zip(findings, outcomes, strict=True):
        if finding.case.probe:
            continue
        if outcome.asked_for_unset and finding.problem and _unset_shows(outcome):
            notes[
                "np.empty does not set its elements: until you write to them they hold anything, and NaN while you "
                "are checked. Is every element written?"
            ] = None
        for name in outcome.changed_inputs:
            notes[f"Your function changed its argument {name} in place; a caller does not expect that."] = None
        if outcome.printed.strip():
            notes[f"Your function printed: {_shorten(outcome.printed)}"] = None
        for remark in outcome.remarks:
            notes[remark] = None
        for warning in outcome.warned:
            notes[f"Your function caused a warning. {_shorten(warning)}"] = None
    return tuple(notes)[:5]


def _unset_shows(outcome: Outcome) -> bool:
    """Whether an array that came back holds what np.empty is filled with while it is checked."""
    values = [] if outcome.value is None else [outcome.value, *outcome.value.items]
    arrays = [value.array for value in values if value.array is not None]
    return any(
        np.isnan(a).any() if a.dtype.kind in "fc" else (a == np.iinfo(a.dtype).max).any()
        for a in arrays
        if a.dtype.kind in "fciu"
    )


def _shorten(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
