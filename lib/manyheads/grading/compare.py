"""Comparing an answer with what was expected: type, shape, dtype, finiteness, then values, each told apart."""

import math
from dataclasses import dataclass

import numpy as np

from manyheads.exercises.definition import Output
from manyheads.grading import wording
from manyheads.grading.outcome import Value
from manyheads.grading.patterns import pattern_of


@dataclass(frozen=True)
class Problem:
    """The first thing wrong with an answer."""

    kind: str  #: "type", "shape", "dtype", "finite", "values", "memory" or "asked"
    message: str
    output: Output
    wrong: np.ndarray | None = None  #: for "finite" and "values": True where the answer is wrong
    pattern: str = ""  #: what the error looks like, in a sentence


def problem(outputs: tuple[Output, ...], expected: Value, got: Value, tolerance: dict[str, float]) -> Problem | None:
    """What is wrong with the returned value, or None."""
    if len(outputs) == 1:
        return _output_problem(outputs[0], expected, got, tolerance, "")
    wanted = f"{len(outputs)} {wording.kind(outputs)}: return {', '.join(output.name for output in outputs)}"
    if got.kind not in ("tuple", "list"):
        return Problem("type", f"returned {wording.a(got)}; expected {wanted}", outputs[0])
    if len(got.items) != len(outputs):
        return Problem("type", f"returned {len(got.items)} values; expected {wanted}", outputs[0])
    for output, one_expected, one_got in zip(outputs, expected.items, got.items, strict=True):
        found = _output_problem(output, one_expected, one_got, tolerance, f"{output.name}: ")
        if found:
            return found
    return None


def equal(expected: Value, got: Value, tolerance: dict[str, float]) -> bool:
    """Whether two values agree in kind (a list is as good as a tuple), shape, dtype, and in value within tolerance."""
    if expected.kind != got.kind and not {expected.kind, got.kind} <= {"tuple", "list"}:
        return False
    if expected.items or got.items:
        return len(expected.items) == len(got.items) and all(
            equal(e, g, tolerance) for e, g in zip(expected.items, got.items, strict=True)
        )
    if expected.array is None or got.array is None:
        return _same_number(expected.number, got.number, tolerance)
    if expected.array.shape != got.array.shape or not _same_dtype(expected.array.dtype, got.array.dtype):
        return False
    return not wrong_elements(expected.array, got.array, tolerance).any()


def wrong_elements(expected: np.ndarray, got: np.ndarray, tolerance: dict[str, float]) -> np.ndarray:
    """True where two arrays of one shape differ by more than the tolerance, or where only one is finite.

    The tolerance of the dtype is relative to the largest expected element; a dtype without one is compared
    exactly.
    """
    relative = tolerance.get(expected.dtype.name, 0.0)
    with np.errstate(all="ignore"):
        same = (expected == got) | (_nan(expected) & _nan(got))
        if relative:
            scale = float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
            same |= np.abs(got.astype("float64") - expected.astype("float64")) <= relative * scale
    return ~same


def _nan(array: np.ndarray) -> np.ndarray:
    return np.isnan(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)


def _output_problem(output: Output, expected: Value, got: Value, tolerance, label: str) -> Problem | None:
    if output.axes is None:
        return _number_problem(output, expected, got, tolerance, label)
    want = expected.array
    assert want is not None  # the reference of an array output returns an array
    if got.kind != "array" or got.array is None:
        advice = {
            "nothing": "; a return may be missing",
            "list": "; np.stack or np.array makes an array of it",
            "tuple": "; np.stack or np.array makes an array of it" if label else "; return one array",
        }.get(got.kind, "")
        return Problem(
            "type", f"{label}returned {wording.a(got)}; expected an array {wording.shape(output, want)}{advice}", output
        )
    have = got.array
    if have.dtype.kind not in "biufc":
        held = f"an array of {str(have.dtype)[:60]}, not of numbers"
        message = f"{label}{held}; expected {want.dtype} {wording.shape(output, want)}"
        return Problem("dtype", message, output)
    if have.shape != want.shape:
        message = f"{label}shape {have.shape}; expected {want.shape}, that is {wording.shape(output, want)}"
        if have.ndim == want.ndim and sorted(have.shape) == sorted(want.shape):
            message += "; the axes are there, in another order"
        return Problem("shape", message, output)
    if not _same_dtype(want.dtype, have.dtype):
        return Problem("dtype", f"{label}dtype {have.dtype}; expected {wording.dtype(output, want.dtype)}", output)
    wrong = wrong_elements(want, have, tolerance)
    if have.dtype.kind in "fc":
        infinite = ~np.isfinite(have) & np.isfinite(want)
        if infinite.any():
            message = f"{label}{wording.share(infinite)} NaN or infinite, {wording.places(output, infinite)}"
            first = tuple(int(i[0]) for i in np.nonzero(infinite))
            message += f". At the first, {wording.have_and_want(have[first], want[first])}"
            return Problem("finite", message, output, wrong)
    if not wrong.any():
        return None
    first = tuple(int(i[0]) for i in np.nonzero(wrong))
    message = (
        f"{label}{wording.share(wrong)} wrong, {wording.places(output, wrong)}. At the first, "
        f"{wording.have_and_want(have[first], want[first])}{wording.error(want, have)}"
    )
    return Problem(
        "values",
        message,
        output,
        wrong,
        pattern_of(want, have, wrong, tolerance, wording.one_of(output)),
    )


def _number_problem(output: Output, expected: Value, got: Value, tolerance, label: str) -> Problem | None:
    if got.kind == "array" and got.array is not None and got.array.shape == () and got.array.dtype.kind in "iuf":
        whole = got.array.dtype.kind in "iu"
        number = int(got.array) if whole else float(got.array)
        got = Value("integer" if whole else "float", got.type_name, number=number)
    if output.holds == "float":
        wanted, kinds, advice = "a float", ("float", "integer"), ""
    else:
        wanted, kinds = "a whole number (int)", ("integer",)
        advice = "; / makes a float of a count, // does not" if got.kind == "float" else ""
    if got.kind not in kinds:
        advice = "; a return may be missing" if got.kind == "nothing" else advice
        return Problem("type", f"{label}{wording.a(got)}; expected {wanted}{advice}", output)
    if _same_number(expected.number, got.number, tolerance):
        return None
    told = f"{wording.count(got.number)}; expected {wording.count(expected.number)}"
    message = f"{label}{told}{wording.times(got.number, expected.number)}"
    return Problem("values", message, output)


def _same_number(expected, got, tolerance: dict[str, float]) -> bool:
    """Whole numbers exactly, floats within the tolerance of their size; infinite only with infinite, NaN with NaN."""
    if isinstance(expected, float) and got is not None:
        if not math.isfinite(expected):
            return got == expected or (got != got and expected != expected)
        try:
            return abs(got - expected) <= tolerance.get("float64", 0.0) * abs(expected) or got == expected
        except OverflowError:  # an int beyond all floats
            return False
    return expected == got


def _same_dtype(one: np.dtype, other: np.dtype) -> bool:
    """Integers by kind and not by width: in the browser an int has 32 bits. The order of bytes does not matter."""
    whole = one.kind in "iu" and other.kind in "iu"
    return whole or (one.kind == other.kind and one.itemsize == other.itemsize)
