"""How far right answers and known mistakes are from the reference, in units of the tolerance."""

from collections.abc import Callable

import numpy as np

from manyheads.grading.outcome import Value
from manyheads.grading.verify.trial import Drawn, outcome_arrays


def distance(drawn: Drawn, answer: Callable) -> float | None:
    """The largest error of an answer over the cases that count, in units of the tolerance.

    None where it has none: the answer raises or has another shape or dtype, or nothing is allowed to differ.
    """
    largest = None
    for case, expected in zip(drawn.cases, drawn.expected, strict=True):
        if case.probe:
            continue
        outcome = drawn.run(answer, case)
        if not same_form(expected, outcome.value):
            return None
        assert outcome.value is not None
        found = _of_values(expected, outcome.value, drawn.exercise.tolerance)
        if found is not None:
            largest = found if largest is None else max(largest, found)
    return largest


def same_form(expected: Value, got: Value | None) -> bool:
    """Whether an answer has the right shape and dtype and is finite: what only its numbers can give away."""
    if got is None:
        return False
    wanted, have = outcome_arrays(expected), outcome_arrays(got)
    if len(wanted) != len(have) or {expected.kind, got.kind} - {"tuple", "list"} not in (set(), {expected.kind}):
        return False
    return all(
        w.shape == h.shape
        and (w.dtype == h.dtype or w.dtype.kind == h.dtype.kind in "iu")
        and not (_unfinite(h) & ~_unfinite(w)).any()
        for w, h in zip(wanted, have, strict=True)
    )


def _of_values(expected: Value, got: Value, tolerance: dict[str, float]) -> float | None:
    largest, far = None, False
    for want, have in zip(outcome_arrays(expected), outcome_arrays(got), strict=True):
        relative = tolerance.get(want.dtype.name, 0.0)
        finite = np.isfinite(want)
        if not relative or not want.size:
            far |= not np.array_equal(want, have)  # where nothing may differ, any difference is far away
            continue
        far |= not np.array_equal(want[~finite], have[~finite], equal_nan=True)  # no tolerance makes infinity finite
        scale = float(np.abs(want[finite]).max(initial=0.0)) * relative
        off = float(np.abs(have[finite].astype("float64") - want[finite].astype("float64")).max(initial=0.0))
        found = 0.0 if off == 0 else float("inf") if scale == 0 else off / scale
        largest = found if largest is None else max(largest, found)
    return float("inf") if far and largest is not None else largest


def _unfinite(array: np.ndarray) -> np.ndarray:
    return ~np.isfinite(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)
