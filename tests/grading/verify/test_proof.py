"""The proof finds what is wrong with a grader: each defect is put into a definition, and each is a miss."""

import dataclasses

import numpy as np
import pytest
from manyheads.exercises import get, registry
from manyheads.grading.verify import prove
from manyheads.grading.verify.proof import time_limit

EXERCISE = get("pack-heads")
SEEDS = range(3)


def misses(seeds=SEEDS, mutate=False, solution=None, **changed):
    return prove(dataclasses.replace(EXERCISE, **changed), solution, seeds, mutate).misses


def test_without_a_defect_there_is_no_miss_and_everything_is_counted():
    found = prove(EXERCISE, seeds=SEEDS, mutate=False)
    assert found.misses == []
    assert found.right == 1 + len(EXERCISE.alternatives)
    assert found.mistakes + found.misformed == len(EXERCISE.mistakes)
    assert found.misformed == 2  # rows below each other, float64
    assert found.spoiled > 15
    assert found.nearest_right is found.nearest_wrong is None  # exact: nothing is near


def test_distances_are_in_units_of_the_tolerance():
    exercise = get("fused-projection")
    found = prove(exercise, seeds=SEEDS, mutate=False)
    tighter = dataclasses.replace(exercise, tolerance={name: t / 2 for name, t in exercise.tolerance.items()})
    closer = prove(tighter, seeds=SEEDS, mutate=False)
    assert closer.nearest_right == pytest.approx(2 * found.nearest_right)
    assert closer.nearest_wrong == pytest.approx(2 * found.nearest_wrong)
    assert found.nearest_right < 0.5 and found.nearest_wrong > 1000


def test_a_refused_right_answer():
    wrong = {**EXERCISE.alternatives, "a new way": lambda w: np.concatenate(list(w), axis=1) + 1}
    assert any(
        miss.startswith("a new way is refused: aspect values, seed 0: every size")
        for miss in misses(alternatives=wrong)
    )


def test_a_refused_solution():
    found = misses(solution="def pack_heads(w):\n    return np.concatenate(list(w), axis=0)\n")
    assert any(miss.startswith("solution is refused: aspect values, seed 0") for miss in found)


def test_an_accepted_mistake():
    right = dataclasses.replace(EXERCISE.mistakes[0], answer=EXERCISE.reference)
    assert "mistake bare-reshape is accepted: aspect values, seed 0" in misses(mistakes=(right, *EXERCISE.mistakes[1:]))


def test_a_mistake_that_looks_like_another():
    twin = dataclasses.replace(EXERCISE.mistakes[0], name="twin")
    found = misses(mistakes=(*EXERCISE.mistakes, twin))
    assert "mistake twin is called bare-reshape: aspect values, seed 0" in found


def test_a_mistake_that_loses_another_aspect_than_it_says():
    found = misses(mistakes=(dataclasses.replace(EXERCISE.mistakes[0], loses=("values",)), *EXERCISE.mistakes[1:]))
    assert any(m.startswith("mistake bare-reshape loses an aspect that it should not") for m in found)


def test_a_tolerance_that_is_too_loose():
    exercise = get("fused-projection")
    near = dataclasses.replace(exercise.mistakes[0], answer=lambda *a: exercise.reference(*a) * (1 + 1e-13))
    found = prove(dataclasses.replace(exercise, mistakes=(near, *exercise.mistakes)), seeds=SEEDS, mutate=False)
    assert any("tolerances away: aspect values, seed 0" in miss for miss in found.misses)
    loose = dataclasses.replace(exercise, tolerance={"float64": 10.0, "float32": 10.0})
    assert any(m.startswith("a right answer spoiled (") for m in prove(loose, seeds=SEEDS, mutate=False).misses)


def test_a_tolerance_that_is_too_tight():
    exercise = get("fused-projection")
    tight = dataclasses.replace(exercise, tolerance={"float64": 3e-16, "float32": 1e-7})
    found = prove(tight, seeds=SEEDS, mutate=False).misses
    assert any("uses up" in miss or "is refused" in miss for miss in found)


def test_a_grader_that_looks_at_one_head_only():
    """Inputs in which the mistake cannot be seen."""

    def one_head(rng):
        cases = EXERCISE.aspects[0].cases(rng)
        return [case for case in cases if case.inputs["w"].shape[0] == 1]

    blind = (dataclasses.replace(EXERCISE.aspects[0], cases=one_head), EXERCISE.aspects[1])
    assert "mistake bare-reshape is accepted: aspect values, seed 0" in misses(aspects=blind)


@pytest.mark.parametrize(
    ("changed", "miss"),
    [
        ({"hints": ()}, "0 hints; at least 2 are wanted"),
        ({"alternatives": {}}, "0 alternatives; at least 3 are wanted"),
        (
            {"mistakes": EXERCISE.mistakes[:2]},
            "2 mistakes with the right shape and dtype, finite; at least 4 are wanted",
        ),
        ({"example": ">>> 1 + 1\n2"}, "its example does not call it"),
    ],
)
def test_what_is_missing(changed, miss):
    assert miss in misses(**changed)


def test_an_example_that_is_wrong():
    (miss,) = misses(example=">>> pack_heads(np.array([[[1]], [[2]]])).tolist()\n[[2, 1]]")
    assert miss.startswith("its example prints something else:") and "[[1, 2]]" in miss


SAME = "def pack_heads(w):\n    return np.concatenate(list(w) if len(w) > 0 else w, axis=1)\n"
_LINE = "return np.concatenate(list(w) if len(w) {} 0 else w, axis=1)"
SURVIVOR = f"solution: {_LINE.format('>')}  =>  {_LINE.format('>=')}"


def test_a_mutant_that_is_accepted_must_be_listed(monkeypatch):
    assert f"mutant accepted: {SURVIVOR}" in misses(mutate=True, solution=SAME)
    reasons = {SURVIVOR: "There is always a head."}
    monkeypatch.setattr("manyheads.grading.verify.proof.equivalent_mutants", lambda exercise: reasons)
    found = prove(EXERCISE, SAME, SEEDS)
    assert f"mutant accepted: {SURVIVOR}" not in found.misses
    assert found.equivalent == reasons


def test_a_list_of_equivalent_mutants_that_is_out_of_date(monkeypatch):
    refused = "concatenate: return np.concatenate(list(w), axis=1)  =>  return np.concatenate(list(w), axis=0)"
    reasons = {refused: "No.", "concatenate: x  =>  y": "No."}
    monkeypatch.setattr("manyheads.grading.verify.proof.equivalent_mutants", lambda exercise: reasons)
    found = misses(mutate=True)
    assert f"listed as equivalent, but it is refused: {refused}" in found
    assert "listed as equivalent, but it does not exist: concatenate: x  =>  y" in found


def test_a_mutant_that_slips_through_on_a_single_seed_is_a_miss():
    """A grader draws once: what it accepts on one seed of many is accepted."""

    def lucky(rng):
        cases = EXERCISE.aspects[0].cases(rng)
        return cases[1:] if rng.integers(4) == 0 else cases

    aspects = (dataclasses.replace(EXERCISE.aspects[0], cases=lucky),)
    found = misses(mutate=True, seeds=range(20), aspects=aspects)
    assert any(miss.startswith("mutant accepted: ") for miss in found)


def test_an_endless_mutant_is_stopped():
    with time_limit(1) as left:
        while True:
            pass
    assert left.over


def test_every_listed_reason_is_a_sentence():
    for name in registry.NAMES:
        for mutant, reason in registry.equivalent_mutants(get(name)).items():
            assert len(reason) > 20 and reason.endswith("."), (name, mutant)
