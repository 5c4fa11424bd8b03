"""Refusing a wrong argument early, in words that name the argument, what was got and what was expected."""

import math
import sys

import numpy as np

NUMPY = "a NumPy array"
TORCH = "a torch tensor"
EITHER = f"{NUMPY} or {TORCH}"


def kind_of(array) -> str | None:
    """`NUMPY`, `TORCH`, or None for anything else. Does not import torch: who has a tensor has done so."""
    if isinstance(array, np.ndarray):
        return NUMPY
    torch = sys.modules.get("torch")
    return TORCH if torch is not None and isinstance(array, torch.Tensor) else None


def array(name: str, value, kind: str = NUMPY) -> None:
    """An array of this kind."""
    found = kind_of(value)
    if found is None:
        raise TypeError(f"{name} must be {kind}, got {type(value).__name__}")
    if found not in kind:
        way, path = (".numpy()", "torch_path") if found == TORCH else ("torch.from_numpy", "reference")
        raise TypeError(f"{name} must be {kind}, got {found}; convert it with {way}, or call manyheads.{path}")


def axes(name: str, value, *expected: str, kind: str = NUMPY) -> tuple[int, ...]:
    """The sizes of an array, which must be of this kind and have these axes."""
    array(name, value, kind)
    if value.ndim != len(expected):
        wanted = f"{expected[0]}," if len(expected) == 1 else ", ".join(expected)
        raise ValueError(f"{name} must be ({wanted}), got shape {tuple(value.shape)}")
    return tuple(value.shape)


def axis(name: str, value, axis) -> None:
    """One of an array's axes, counted from either end."""
    whole("axis", axis)
    if not -value.ndim <= axis < value.ndim:
        raise ValueError(f"axis={axis}, but {name} has shape {tuple(value.shape)}")


def integers(name: str, value, convert):
    """What `convert` makes of a list of integers or an array; their shape and dtype are still to be looked at."""
    if kind_of(value) is not None:
        return convert(value)
    try:
        return convert(value)
    except (TypeError, ValueError, RuntimeError):  # text, or rows of different lengths
        raise TypeError(f"{name} must be integers, got {value!r}") from None


def same(one: str, size: int, other: str, other_size: int) -> None:
    """Two axes that must agree: ``same("x's d_model", 8, "w's first axis", 7)``."""
    if size != other_size:
        raise ValueError(f"{one} is {size}, but {other} is {other_size}; they must be equal")


def count(name: str, value, least: int = 1) -> int:
    """A whole number of at least `least`."""
    whole(name, value)
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def whole(name: str, value) -> None:
    """A whole number, of whatever type. Every array has ``__index__``, whatever is in it."""
    if isinstance(value, int) and not isinstance(value, bool):
        return  # the compiler's symbols for sizes too, which it lets nobody ask more about
    one = kind_of(value) is None or (getattr(value, "ndim", 0) == 0 and "int" in dtype_name(value))
    if isinstance(value, bool) or not hasattr(value, "__index__") or not one:
        raise TypeError(f"{name} must be a whole number, got {value!r}")


def number(name: str, value, advice: str = "") -> float:
    """A finite number."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__") or getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not math.isfinite(float(value)):
        raise ValueError(f"{name} must be finite, got {value}{advice}")
    return float(value)


def positive(name: str, value, advice: str = "") -> float:
    """A finite number greater than 0."""
    if number(name, value, advice) <= 0:
        raise ValueError(f"{name} must be greater than 0, got {value}{advice}")
    return float(value)


def flag(name: str, value) -> None:
    """True or False, and nothing that is merely like them."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def divides(divisor_name: str, divisor: int, name: str, size: int) -> int:
    """``size // divisor``, where it comes out even. Names are arguments, or say what is counted: "columns of w_q"."""
    if size % divisor:
        what = f"{size} {name} are" if " of " in name else f"{name}={size} is"
        by = f"{divisor} {divisor_name}" if " of " in divisor_name else f"{divisor_name}={divisor}"
        raise ValueError(f"{what} not divisible by {by}")
    return size // divisor


def one_of(name: str, value, known) -> None:
    """One of a few names; a near miss is told which it is near."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}{_near(value, known)}")


def keywords(given, known, also=()) -> None:
    """Only names that are known; those in `also` are known to the caller, and mended to."""
    for name in given:
        if name not in known:
            hint = _near(name, (*known, *also)) or f"; there are {', '.join(known)}"
            raise TypeError(f"unknown option {name!r}{hint}")


def _near(value, known) -> str:
    import difflib  # only when something is wrong

    near = difflib.get_close_matches(str(value), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def dtype_name(array) -> str:
    """``"float32"``, for NumPy and for torch."""
    return str(array.dtype).removeprefix("torch.")


def is_float(array) -> bool:
    """Floating point, bfloat16 included (which NumPy knows only through ml_dtypes)."""
    dtype = array.dtype
    if hasattr(dtype, "is_floating_point"):  # torch's
        return dtype.is_floating_point
    return dtype.kind == "f" or dtype_name(array) == "bfloat16"


def is_bool(array) -> bool:
    return getattr(array.dtype, "kind", "b") == "b" and dtype_name(array) == "bool"


def floats(**arrays) -> None:
    """All of one floating dtype, and in one place."""
    devices(**arrays)
    first = None
    for name, array in arrays.items():
        if not is_float(array):
            raise TypeError(f"{name} must be floating point, got {dtype_name(array)}")
        first = first or (name, array)
        if array.dtype != first[1].dtype:
            raise TypeError(
                f"{first[0]} is {dtype_name(first[1])}, but {name} is {dtype_name(array)}; give both the same dtype"
            )


def product(**arrays) -> None:
    """What can be multiplied: NumPy finds a dtype for both, torch does not."""
    devices(**arrays)
    if kind_of(next(iter(arrays.values()))) == TORCH:
        dtypes = {name: dtype_name(array) for name, array in arrays.items()}
        if len(set(dtypes.values())) > 1:
            told = ", but ".join(f"{name} is {dtype}" for name, dtype in dtypes.items())
            raise TypeError(f"{told}; give both the same dtype")


def devices(**arrays) -> None:
    """All NumPy's, or all torch's on one device; None is nowhere."""
    given = {name: array for name, array in arrays.items() if array is not None}
    first = next(iter(given), "")
    for name, array in given.items():
        kinds = kind_of(given[first]), kind_of(array)
        if kinds[0] != kinds[1]:
            raise TypeError(f"{first} is {kinds[0]}, but {name} is {kinds[1]}; give both as the same")
        if kinds[0] == TORCH and array.device != given[first].device:
            devices = f"{first} is on {given[first].device}, but {name} is on {array.device}"
            raise ValueError(f"{devices}; move them to one device")
