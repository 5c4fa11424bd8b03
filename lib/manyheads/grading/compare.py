"""Comparing an answer with what was expected: type, shape, dtype, finiteness, then values, each told apart."""

from dataclasses import dataclass

import numpy as np

from manyheads.exercises.definition import Output
from manyheads.grading.outcome import Value
from manyheads.grading.patterns import pattern_of

#: How a place on an axis is told: "batch 0, head 1, token 3".
_ONE_OF = {
    "seq": "token",
    "q_len": "query",
    "k_len": "key",
    "capacity": "slot",
    "window": "slot",
    "heads": "head",
    "n_heads": "head",
    "kv_heads": "K/V head",
    "n_kv_heads": "K/V head",
    "head_dim": "dim",
    "v_head_dim": "dim",
    "d_model": "dim",
    "n_heads * head_dim": "column",
}


@dataclass(frozen=True)
class Problem:
    """The first thing wrong with an answer."""

    kind: str  #: "type", "shape", "dtype", "finite", "values" or "memory"
    message: str
    output: Output
    wrong: np.ndarray | None = None  #: for "finite" and "values": True where the answer is wrong
    pattern: str = ""  #: what the error looks like, in a sentence


def problem(outputs: tuple[Output, ...], expected: Value, got: Value, tolerance: dict[str, float]) -> Problem | None:
    """What is wrong with the returned value, or None."""
    if len(outputs) == 1:
        return _output_problem(outputs[0], expected, got, tolerance, "")
    names = ", ".join(output.name for output in outputs)
    if got.kind not in ("tuple", "list"):
        return Problem("type", f"returned {_a(got)}; expected {len(outputs)} arrays: return {names}", outputs[0])
    if len(got.items) != len(outputs):
        message = f"returned {len(got.items)} values; expected {len(outputs)}: return {names}"
        return Problem("type", message, outputs[0])
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
            "tuple": "; return one array",
        }.get(got.kind, "")
        return Problem("type", f"{label}returned {_a(got)}; expected an array {_shape(output, want)}{advice}", output)
    have = got.array
    if have.dtype.kind not in "biufc":
        message = (
            f"{label}an array of {str(have.dtype)[:60]}, not of numbers; expected {want.dtype} {_shape(output, want)}"
        )
        return Problem("dtype", message, output)
    if have.shape != want.shape:
        message = f"{label}shape {have.shape}; expected {want.shape}, that is {_shape(output, want)}"
        if have.ndim == want.ndim and sorted(have.shape) == sorted(want.shape):
            message += "; the axes are there, in another order"
        return Problem("shape", message, output)
    if not _same_dtype(want.dtype, have.dtype):
        return Problem("dtype", f"{label}dtype {have.dtype}; expected {_said_of_dtype(output, want.dtype)}", output)
    if have.dtype.kind in "fc":
        infinite = ~np.isfinite(have) & np.isfinite(want)
        if infinite.any():
            message = f"{label}{_number_of(infinite)} NaN or infinite, {_places(output, infinite)}"
            return Problem("finite", message, output, infinite)
    wrong = wrong_elements(want, have, tolerance)
    if not wrong.any():
        return None
    first = tuple(int(i[0]) for i in np.nonzero(wrong))
    message = (
        f"{label}{_number_of(wrong)} wrong, {_places(output, wrong)}. At the first, you have "
        f"{_number(have[first])}; expected {_number(want[first])}{_size(want, have)}"
    )
    return Problem(
        "values",
        message,
        output,
        wrong,
        pattern_of(want, have, wrong, tolerance, [one_of(axis) for axis in output.axes]),
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
        return Problem("type", f"{label}{_a(got)}; expected {wanted}{advice}", output)
    if _same_number(expected.number, got.number, tolerance):
        return None
    message = f"{label}{_count(got.number)}; expected {_count(expected.number)}"
    if output.holds == "float":
        if expected.number and isinstance(got.number, float) and np.isfinite(got.number):
            message += f" (yours is {got.number / expected.number:.15g} times that)"
    elif got.number and expected.number and got.number % expected.number == 0:
        message += f" (yours is {_count(got.number // expected.number)} times that)"
    return Problem("values", message, output)


def _same_number(expected, got, tolerance: dict[str, float]) -> bool:
    """Whole numbers exactly, floats within the tolerance of their size."""
    if isinstance(expected, float) and got is not None:
        try:
            return abs(got - expected) <= tolerance.get("float64", 0.0) * abs(expected) or got == expected
        except OverflowError:  # an int beyond all floats
            return False
    return expected == got


def _said_of_dtype(output: Output, wanted: np.dtype) -> str:
    """What dtype is expected, and why, as the student is told."""
    if output.holds == "like the input":
        return f"{wanted}, which the input has"
    if wanted.kind == "b":
        return f"{wanted}: True or False for each element"
    return f"whole numbers, such as {wanted}" if wanted.kind in "iu" else str(wanted)


def _same_dtype(one: np.dtype, other: np.dtype) -> bool:
    """Integers by kind and not by width: in the browser an int has 32 bits. The order of bytes does not matter."""
    return one.kind == other.kind and (one.kind in "iu" or one.itemsize == other.itemsize)


def _a(value: Value) -> str:
    if value.kind == "nothing":
        return "None"
    if value.kind == "float":
        return f"the float {value.number!r}"
    return f"{'an' if value.type_name[:1] in 'aeiou' else 'a'} {value.type_name}"


def _shape(output: Output, array: np.ndarray) -> str:
    """``(batch 2, seq 7)``; an axis that is always of one element is just 1."""
    sizes = zip(output.axes or (), array.shape, strict=True)
    return "(" + ", ".join("1" if axis == "1" else f"{axis} {size}" for axis, size in sizes) + ")"


def _size(want: np.ndarray, have: np.ndarray) -> str:
    """How large the error is, for floats."""
    both = np.isfinite(want) & np.isfinite(have)
    if want.dtype.kind != "f" or not both.any():
        return ""
    with np.errstate(all="ignore"):
        largest = np.abs(have.astype("float64") - want.astype("float64"))[both].max()
    return f". The largest difference is {largest:.3g}, where values go up to {np.abs(want[both]).max():.3g}"


def _number_of(wrong: np.ndarray) -> str:
    return f"{wrong.sum()} of {wrong.size} elements ({wrong.mean():.0%}) are"


def _places(output: Output, wrong: np.ndarray, most: int = 3) -> str:
    """The first wrong places, no two of them in one row of the last axis: neighbours there tell nothing new."""
    rows = wrong.any(axis=-1) if wrong.ndim else wrong
    firsts = [(*map(int, row), int(np.flatnonzero(wrong[tuple(row)])[0])) for row in np.argwhere(rows)[:most]]
    axes = output.axes or ()
    told = [
        ", ".join(f"{one_of(a)} {i}" for a, i in zip(axes, place, strict=True) if a != "1") or "its one element"
        for place in firsts
    ]
    if len(told) == 1:
        return f"the first at {told[0]}"
    return f"the first at {told[0]}, more at {'; at '.join(told[1:])}"


def one_of(axis: str) -> str:
    """What one index along an axis is called: "token" for "seq"."""
    return _ONE_OF.get(axis, axis)


def _count(number) -> str:
    """A number as a person reads it: Python refuses to write out thousands of digits."""
    if isinstance(number, float):
        return f"{number:.15g}"
    return f"{number:,}" if abs(number) < 10**30 else f"a number of about {int(number.bit_length() * 0.30103)} digits"


def _number(x) -> str:
    return f"{x:.6g}" if np.asarray(x).dtype.kind in "f" else str(x)
