"""How sizes, places and numbers are told to a student."""

import numpy as np

from manyheads.exercises.definition import Output
from manyheads.grading.outcome import Value

#: What one index along an axis is called.
_ONE_OF = {
    "batch": "sequence",
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
    "rope_head_dim": "dim",
    "latent_rank": "dim",
    "width": "dim",
    "d_model": "dim",
    "rows": "row",
    "query blocks": "query block",
    "key blocks": "key block",
    "n_counts": "place",
}


def one_of(output: Output) -> list[str]:
    """What one index along each axis of an output is called: "sequence", "head", "token", "dim"."""
    axes = output.axes or ()
    if len(axes) == 2 and any("*" in axis for axis in axes):  # a weight matrix
        return ["row", "column"]
    return [_ONE_OF.get(axis, "column" if "*" in axis else axis) for axis in axes]


def kind(outputs: tuple[Output, ...]) -> str:
    """What several outputs are: arrays, whole numbers, values."""
    if all(output.axes is not None for output in outputs):
        return "arrays"
    return "whole numbers" if all(output.axes is None and output.holds == "int" for output in outputs) else "values"


def a(value: Value) -> str:
    """``a list``, ``None``, ``the float 0.5``."""
    if value.kind == "nothing":
        return "None"
    if value.kind == "float":
        return f"the float {value.number!r}"
    if value.kind == "array":
        return "one array"
    return f"{'an' if value.type_name[:1] in 'aeiou' else 'a'} {value.type_name}"


def shape(output: Output, array: np.ndarray) -> str:
    """``(batch 2, seq 7)``; an axis that is always of one element is just 1."""
    sizes = zip(output.axes or (), array.shape, strict=True)
    return "(" + ", ".join("1" if axis == "1" else f"{axis} {size}" for axis, size in sizes) + ")"


def dtype(output: Output, wanted: np.dtype) -> str:
    """What dtype is expected, and why."""
    if output.holds == "like the input":
        return f"{wanted}, which the input has"
    if wanted.kind == "b":
        return f"{wanted}: True or False for each element"
    return f"whole numbers, such as {wanted}" if wanted.kind in "iu" else str(wanted)


def share(wrong: np.ndarray) -> str:
    """``3 of 120 elements (2%) are``; only all of them are 100%, and some are never 0%."""
    count, size = int(wrong.sum()), wrong.size
    percent = 100 if count == size else min(99, round(100 * count / size))
    return f"{count} of {size} elements ({percent or '<1'}%) {'is' if count == 1 else 'are'}"


def places(output: Output, wrong: np.ndarray, most: int = 3) -> str:
    """The first wrong places, no two of them in one row of the last axis: neighbours there tell nothing new."""
    rows = wrong.any(axis=-1) if wrong.ndim else wrong
    firsts = [(*map(int, row), int(np.flatnonzero(wrong[tuple(row)])[0])) for row in np.argwhere(rows)[:most]]
    named = list(zip(output.axes or (), one_of(output), strict=True))
    told = [
        ", ".join(f"{name} {i}" for (axis, name), i in zip(named, place, strict=True) if axis != "1") or "its element"
        for place in firsts
    ]
    if len(told) == 1:
        return f"the first at {told[0]}"
    return f"the first at {told[0]}, more at {'; at '.join(told[1:])}"


def have_and_want(have, want) -> str:
    """``you have 0.5; expected 0.25``, with as many digits as it takes to see the difference."""
    floats = np.asarray(want).dtype.kind == "f"
    digits = next((n for n in (6, 9, 12, 17) if f"{have:.{n}g}" != f"{want:.{n}g}"), 17) if floats else 0
    told = (f"{x:.{digits}g}" if floats else str(x) for x in (have, want))
    return "you have {}; expected {}".format(*told)


def error(want: np.ndarray, have: np.ndarray) -> str:
    """How large the error is, for floats."""
    both = np.isfinite(want) & np.isfinite(have)
    if want.dtype.kind != "f" or not both.any():
        return ""
    with np.errstate(all="ignore"):
        largest = np.abs(have.astype("float64") - want.astype("float64"))[both].max()
    if not largest:
        return ""
    return f". The largest difference is {largest:.3g}, where values go up to {np.abs(want[both]).max():.3g}"


def count(number) -> str:
    """A number as a person reads it: Python refuses to write out thousands of digits."""
    if isinstance(number, float):
        return f"{number:.15g}"
    return f"{number:,}" if abs(number) < 10**30 else f"a number of about {int(number.bit_length() * 0.30103)} digits"


def times(got, expected) -> str:
    """`` (yours is 2 times that)``, where the factor is one that tells something."""
    if not got or not expected or not isinstance(got, type(expected)):
        return ""
    if isinstance(expected, int):
        if got % expected == 0 and abs(got // expected) < 10**4:
            return f" (yours is {got // expected:,} times that)"
        if expected % got == 0 and 0 < expected // got < 10**4:
            return f" (it is {expected // got:,} times yours)"
        return ""
    factor = got / expected
    return f" (yours is {factor:.6g} times that)" if 1e-4 < abs(factor) < 1e4 and abs(factor - 1) > 1e-6 else ""
