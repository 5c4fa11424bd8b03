"""Refusing a wrong argument early, in words that name the argument, what was got and what was expected."""

import numpy as np


def axes(name: str, array, *expected: str) -> tuple[int, ...]:
    """The sizes of `array`, which must be a NumPy array with these axes."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, got {type(array).__name__}")
    if array.ndim != len(expected):
        raise ValueError(f"{name} must be ({', '.join(expected)}), got shape {array.shape}")
    return array.shape


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
