"""What a wrong answer looks like when no known mistake explains it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class _Error:
    """An answer and what was expected, as float64, with what each axis counts."""

    want: np.ndarray
    have: np.ndarray
    wrong: np.ndarray
    near: float  #: a difference that still counts as the same number
    names: list[str]
    dtype: str

    @property
    def truths(self) -> bool:
        return self.dtype == "bool"

    @property
    def scale(self) -> float:
        return float(np.abs(self.want).max(initial=0.0))

    def same(self, one: np.ndarray, other: np.ndarray) -> bool:
        return one.shape == other.shape and bool(np.abs(one - other).max(initial=0.0) <= self.near)


def pattern_of(
    expected: np.ndarray, got: np.ndarray, wrong: np.ndarray, tolerance: dict[str, float], names: list[str]
) -> str:
    """One sentence on the shape of the error, or the empty string; `names` says what an index is on each axis."""
    if expected.dtype.kind not in "fiub" or expected.size < 4 or not np.isfinite(got).all():
        return ""
    with np.errstate(all="ignore"):
        want, have = expected.astype("float64"), got.astype("float64")
        relative = 4 * max(tolerance.get(expected.dtype.name, 0.0), 1e-13)
        near = relative * float(np.abs(want[np.isfinite(want)]).max(initial=0.0))
        error = _Error(want, have, wrong, near, names, expected.dtype.name)
        if not np.isfinite(want).all() or not (want.any() or error.truths):
            return ""
        return next((said for look in _LOOKS if (said := look(error))), "")


#: An error below this part of the largest value is no other way of computing, but a loss of digits on the way.
_SMALL = {"float64": 1e-5, "float32": 1e-3}


def _almost(e: _Error) -> str:
    small = _SMALL.get(e.dtype, 0.0)
    if not small or np.abs(e.have - e.want).max() > small * e.scale:
        return ""
    return (
        "This is almost right: a small number was added, something tiny left out, or a step computed in less precision"
    )


def _constant(e: _Error) -> str:
    if e.truths:
        if e.same(e.have, 1 - e.want):
            return "Every element is the opposite of what it should be"
        if not e.have.any() or e.have.all():
            return f"Every element is {bool(e.have.flat[0])}"
        return ""
    if not e.have.any():
        return "Your array is all zeros"
    factor = float((e.have * e.want).sum() / (e.want * e.want).sum())
    differs = np.isfinite(factor) and abs(factor - 1) > 1e-6
    if differs and np.abs(e.have - factor * e.want).max() <= e.near * abs(factor):
        which = "Every element" if e.wrong.all() else "Every wrong element"
        return f"{which} is {factor:.6g} times what it should be"
    offset = float((e.have - e.want).mean())
    if np.isfinite(offset) and abs(offset) > 100 * e.near and np.abs(e.have - e.want - offset).max() <= e.near:
        return f"Every element is off by the same {offset:.6g}"
    return ""


def _exchanged_axes(e: _Error) -> str:
    for one in range(e.want.ndim):
        for other in range(one + 1, e.want.ndim):
            if e.want.shape[one] == e.want.shape[other] > 1 and e.same(e.have, e.want.swapaxes(one, other)):
                return f"The axes of {e.names[one]} and {e.names[other]} are exchanged: this is the transpose"
    return ""


def _moved_slices(e: _Error) -> str:
    """Whole heads, tokens … at the place of others."""
    for axis in range(e.want.ndim):
        size = e.want.shape[axis]
        if not 1 < size <= 64 or e.want.size == size:
            continue
        want, have = np.moveaxis(e.want, axis, 0), np.moveaxis(e.have, axis, 0)
        came = [next((j for j in range(size) if e.same(have[i], want[j])), None) for i in range(size)]
        moved = [i for i in range(size) if came[i] is not None and not e.same(have[i], want[i])]
        if None in came or not moved or len({want[j].tobytes() for j in range(size)}) < size:
            continue
        name = e.names[axis]
        if len(set(came)) == 1:
            return f"Every {name} holds what belongs to {name} {came[0]}"
        if len(set(came)) == size:
            return (
                f"Every {name} is right in itself, but {name} {moved[0]} holds what belongs to {name} {came[moved[0]]}"
            )
    return ""


def _all_alike(e: _Error) -> str:
    for axis in reversed(range(e.want.ndim)):
        if e.want.shape[axis] < 2:
            continue
        first_have, first_want = (np.take(a, [0], axis) for a in (e.have, e.want))
        alike = e.same(e.have, np.broadcast_to(first_have, e.have.shape))
        if alike and not e.same(e.want, np.broadcast_to(first_want, e.want.shape)):
            return f"Every {e.names[axis]} holds the same; they should differ"
    return ""


def _same_numbers_elsewhere(e: _Error) -> str:
    if e.truths or not e.same(np.sort(e.have, axis=None), np.sort(e.want, axis=None)):
        return ""
    if e.want.ndim == 1:
        return "These are the right numbers in another order"
    return "These are the right numbers in the wrong places: an axis is split, moved or flattened in another order"


def _one_sided(e: _Error) -> str:
    """Only what should be 0 is wrong, or only zeros are; of booleans, only too many or too few are True."""
    wanted, had = e.want[e.wrong] != 0, e.have[e.wrong] != 0
    number = f"{e.wrong.sum()} {'is' if e.wrong.sum() == 1 else 'are'}"
    true, false = ("True", "False") if e.truths else ("other than 0", "0")
    if not wanted.any():
        return f"Only elements that should be {false} are wrong: {number} {true}"
    if not had.any() and wanted.all():
        return f"Only elements that should be {true} are wrong: {number} {false}"
    return ""


def _factor_of_each_row(e: _Error) -> str:
    if e.truths or e.want.ndim < 2 or e.want.shape[-1] < 3:
        return ""
    squares = (e.want * e.want).sum(axis=-1, keepdims=True)
    factors = np.where(squares > 0, (e.have * e.want).sum(axis=-1, keepdims=True) / np.where(squares, squares, 1), 1.0)
    if not e.same(e.have, factors * e.want) or np.ptp(factors) <= 1e-6:
        return ""
    return (
        f"Each row along {e.names[-1]} is right up to a factor of its own, from {factors.min():.4g} to "
        f"{factors.max():.4g}: a sum or a scale is taken over something else"
    )


def _from_or_up_to(e: _Error) -> str:
    """Along one axis, right on one side of an index and wrong on the other; or right at a single one."""
    for axis in range(e.wrong.ndim):
        size, others = e.wrong.shape[axis], tuple(i for i in range(e.wrong.ndim) if i != axis)
        if size < 2 or not (e.truths or e.want.any(axis=others).all()):  # where 0 is due, right is no news
            continue
        bad = np.atleast_1d(e.wrong.any(axis=others))
        first, last, name = int(bad.argmax()), int(size - 1 - bad[::-1].argmax()), e.names[axis]
        mostly = e.wrong.sum() * size > 0.5 * e.wrong.size * (size - 1)
        if first == 1 and bad[1:].all() and mostly:
            return f"Only {name} 0 is right"
        if bad.sum() == 1:
            return f"Only {name} {first} is wrong"
        if first > 0 and bad[first:].all():
            return f"Right up to {name} {first - 1}, wrong from {name} {first} on"
        if last < size - 1 and bad[: last + 1].all():
            return f"Wrong up to {name} {last}, right from {name} {last + 1} on"
    return ""


#: From the most to the least telling; the first that has something to say is heard.
_LOOKS = (
    _almost,
    _constant,
    _exchanged_axes,
    _one_sided,
    _moved_slices,
    _all_alike,
    _same_numbers_elsewhere,
    _factor_of_each_row,
    _from_or_up_to,
)
