"""What came out of one call, as plain data: all that a judge gets to see of a student's function."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from manyheads.kernels.launching import Finding


@dataclass(frozen=True)
class Value:
    """One returned object, reduced to what can be compared.

    kind is "array", "integer", "float", "bool", "text", "nothing", "tuple", "list" or "other".
    """

    kind: str
    type_name: str
    array: np.ndarray | None = None  #: for "array"; a plain ndarray, the judge's own copy
    number: int | float | None = None  #: for "integer" and "float"
    items: tuple["Value", ...] = ()  #: for "tuple" and "list"
    text: str = ""  #: for "text"


#: No kernel of the course is nearly as long.
MOST_TEXT = 100_000

#: In the place of an exception's name: the function cannot be called with the exercise's arguments.
WRONG_CALL = "wrong call"


@dataclass(frozen=True)
class Outcome:
    """Either a returned value or an exception, and what else was noticed during the call."""

    value: Value | None = None
    exception: str | None = None  #: the type's name
    message: str = ""  #: the exception's own
    line: str = ""  #: where in the student's code: 'line 3: y = x @ w.T'
    changed_inputs: tuple[str, ...] = ()  #: parameters that the function changed in place
    printed: str = ""
    warned: tuple[str, ...] = ()
    finding: Finding | None = None  #: what a kernel's runner found instead of numbers; `exception` is its kind
    remarks: tuple[str, ...] = ()  #: what its compiler said of a kernel that compiles
    asked_for_unset: bool = False  #: it called np.empty, whose elements hold anything
    peak_bytes: int | None = None  #: what the call held at its peak beside its inputs, where that was measured
    asked: Mapping[str, Counter[tuple]] = field(default_factory=dict)  #: by parameter, of every `Supply`


def to_value(result, depth: int = 2) -> Value:
    """Reduce a returned object to plain data. Nothing of the object's own is called but NumPy's copy."""
    name = type(result).__name__[:60]
    if result is None:
        return Value("nothing", name)
    if isinstance(result, np.ndarray) and not isinstance(result, np.ma.MaskedArray):
        return Value("array", name, array=np.array(result, copy=True, subok=False))
    if isinstance(result, (bool, np.bool_)):
        return Value("bool", name)
    if isinstance(result, (int, np.integer)):
        return Value("integer", name, number=int(result))
    if isinstance(result, (float, np.floating)):
        return Value("float", name, number=float(result))
    if isinstance(result, str):
        return Value("text", name, text=str.encode(result, "utf-8", "replace").decode()[:MOST_TEXT])
    if isinstance(result, (tuple, list)) and depth:
        kind = "tuple" if isinstance(result, tuple) else "list"
        return Value(kind, name, items=tuple(to_value(item, depth - 1) for item in result[:64]))
    return Value("other", name)
