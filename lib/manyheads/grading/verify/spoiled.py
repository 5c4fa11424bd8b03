"""A right answer spoiled by accidents that have nothing to do with the exercise. Every one must be refused."""

from collections.abc import Callable, Iterator

import numpy as np

from manyheads.exercises import Exercise


def spoilers(exercise: Exercise) -> Iterator[tuple[str, Callable]]:
    """(what, change): `change` spoils one returned array or number; one that changes nothing is left out later."""
    if all(output.axes is None for output in exercise.returns):
        yield from _of_numbers(exercise)
    else:
        yield from _of_arrays(exercise)


def _of_numbers(exercise: Exercise) -> Iterator[tuple[str, Callable]]:
    yield "one more", lambda n: n + 1 if isinstance(n, int) else n * (1 + 10 * exercise.tolerance.get("float64", 1e-9))
    yield "one less", lambda n: n - 1 if isinstance(n, int) else n * (1 - 10 * exercise.tolerance.get("float64", 1e-9))
    yield "twice", lambda n: n * 2
    yield "half", lambda n: n // 2 if isinstance(n, int) else n / 2
    yield "negated", lambda n: -n
    yield "zero", lambda n: type(n)(0)
    yield "as text", str
    yield "as truth", bool
    yield "in an array of one", lambda n: np.array([n])
    yield "NaN", lambda n: float("nan")
    yield "nothing", lambda n: None
    if exercise.returns[0].holds == "int":
        yield "as a float", float
        yield "what 32 bits leave", lambda n: (n + 2**31) % 2**32 - 2**31


def _of_arrays(exercise: Exercise) -> Iterator[tuple[str, Callable]]:
    yield "one element", lambda a: _with_last(a, _just_beside(a, exercise))
    yield "one element NaN", lambda a: _with_last(a, np.nan) if a.dtype.kind == "f" else a
    yield "all NaN", lambda a: np.full(a.shape, np.nan, a.dtype) if a.dtype.kind == "f" else a
    yield "zeros", np.zeros_like
    yield "ones", np.ones_like
    yield "negated", lambda a: ~a if a.dtype.kind == "b" else -a
    yield "another width of float", lambda a: a.astype("float32" if a.dtype == "float64" else "float64")
    yield "half precision", lambda a: a.astype("float16")
    yield "whole numbers for booleans", lambda a: a.astype("int64") if a.dtype.kind == "b" else a
    yield "floats for whole numbers", lambda a: a.astype("float64") if a.dtype.kind in "iu" else a
    yield "an axis of 1 in front", lambda a: a[None]
    yield "an axis of 1 behind", lambda a: a[..., None]
    yield "one row short", lambda a: a[..., :-1]
    yield "flat", lambda a: a.reshape(-1) if a.ndim > 1 else a.reshape(1, -1)
    yield "a number", lambda a: float(a.flat[0]) if a.size else 0.0
    yield "a list", lambda a: a.tolist()
    yield "nothing", lambda a: None
    for axis in range(-1, -5, -1):
        yield f"reversed along axis {axis}", lambda a, axis=axis: np.flip(a, axis) if a.ndim >= -axis else a
        yield f"shifted along axis {axis}", lambda a, axis=axis: np.roll(a, 1, axis) if a.ndim >= -axis else a
        yield f"index 0 of axis {axis} everywhere", lambda a, axis=axis: _first_everywhere(a, axis)
        yield f"last index of axis {axis} left at 0", lambda a, axis=axis: _last_zero(a, axis)
    for one, other in [(-1, -2), (-2, -3), (-3, -4), (-1, -3)]:
        yield f"axes {other} and {one} exchanged", lambda a, o=one, p=other: np.swapaxes(a, o, p) if a.ndim >= -p else a


def _just_beside(a: np.ndarray, exercise: Exercise):
    """The last element, off by ten times the tolerance; of nothing, anything."""
    if not a.size:
        return 0
    last = a.flat[-1]
    if a.dtype.kind == "b":
        return not last
    if a.dtype.kind in "iu":
        return last + 1
    scale = float(np.abs(a[np.isfinite(a)]).max(initial=0.0)) or 1.0
    relative = exercise.tolerance.get(a.dtype.name, 0.0) or float(np.finfo(a.dtype).eps)
    return last + a.dtype.type(10 * relative * scale) if np.isfinite(last) else a.dtype.type(0)


def _with_last(a: np.ndarray, value) -> np.ndarray:
    changed = a.copy()
    if changed.size:
        changed.flat[-1] = value
    return changed


def _first_everywhere(a: np.ndarray, axis: int) -> np.ndarray:
    if a.ndim < -axis or not a.shape[axis]:
        return a
    return np.broadcast_to(np.take(a, [0], axis), a.shape).copy()


def _last_zero(a: np.ndarray, axis: int) -> np.ndarray:
    if a.ndim < -axis or not a.shape[axis]:
        return a
    changed = a.copy()
    np.moveaxis(changed, axis, 0)[-1] = 0
    return changed
