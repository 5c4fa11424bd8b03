"""Refusing a wrong argument early, in words that name the argument, what was got and what was expected."""

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
    if (found := kind_of(value)) is None or found not in kind:
        raise TypeError(f"{name} must be {kind}, got {type(value).__name__}")


def axes(name: str, value, *expected: str, kind: str = NUMPY) -> tuple[int, ...]:
    """The sizes of an array, which must be of this kind and have these axes."""
    array(name, value, kind)
    if value.ndim != len(expected):
        raise ValueError(f"{name} must be ({', '.join(expected)}), got shape {tuple(value.shape)}")
    return tuple(value.shape)


def same(one: str, size: int, other: str, other_size: int) -> None:
    """Two axes that must agree: ``same("x's d_model", 8, "w's first axis", 7)``."""
    if size != other_size:
        raise ValueError(f"{one} is {size}, but {other} is {other_size}; they must be equal")


def count(name: str, value, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def divides(divisor_name: str, divisor: int, name: str, size: int) -> int:
    """``size // divisor``, where it comes out even."""
    if size % divisor:
        raise ValueError(f"{name}={size} is not divisible by {divisor_name}={divisor}")
    return size // divisor


def one_of(name: str, value, known) -> None:
    """One of a few names; a near miss is told which it is near."""
    if value not in known:
        import difflib  # only when something is wrong

        near = difflib.get_close_matches(str(value), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}{hint}")


def dtype_name(array) -> str:
    """``"float32"``, for NumPy and for torch."""
    return str(array.dtype).removeprefix("torch.")


def is_float(array) -> bool:
    """Floating point, bfloat16 included (which NumPy knows only through ml_dtypes)."""
    return dtype_name(array).startswith(("float", "bfloat16"))


def is_bool(array) -> bool:
    return dtype_name(array) == "bool"


def floats(**arrays) -> None:
    """All of one floating dtype, and on one device."""
    first = None
    for name, array in arrays.items():
        if not is_float(array):
            raise TypeError(f"{name} must be floating point, got {dtype_name(array)}")
        first = first or (name, array)
        if array.dtype != first[1].dtype:
            raise TypeError(
                f"{first[0]} is {dtype_name(first[1])}, but {name} is {dtype_name(array)}; give both the same dtype"
            )
    devices(**arrays)


def devices(**arrays) -> None:
    """All on one device (NumPy's arrays all are)."""
    placed = {name: array.device for name, array in arrays.items() if hasattr(array, "device")}
    for name, device in placed.items():
        first = next(iter(placed))
        if device != placed[first]:
            raise ValueError(f"{first} is on {placed[first]}, but {name} is on {device}; move them to one device")
