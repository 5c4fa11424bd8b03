"""What a wrong answer looks like when no known mistake explains it."""

import numpy as np


def pattern_of(
    expected: np.ndarray, got: np.ndarray, wrong: np.ndarray, tolerance: dict[str, float], names: list[str]
) -> str:
    """One sentence on the shape of the error, or the empty string; `names` says what an index is on each axis.

    Tried from the most to the least telling: a constant factor, a constant offset, the right numbers in other
    places, one index that alone is right.
    """
    if expected.dtype.kind not in "fiu" or expected.size < 4 or not np.isfinite(got).all():
        return ""
    with np.errstate(all="ignore"):
        return _pattern(expected, got, wrong, tolerance, names)


def _pattern(expected, got, wrong, tolerance, names) -> str:
    want, have = expected.astype("float64"), got.astype("float64")
    near = max(tolerance.get(expected.dtype.name, 0.0), 1e-12) * 100
    scale = np.abs(want).max(initial=0.0)
    if scale == 0:
        return ""
    if not have.any():
        return "Your array is all zeros"
    factor = float((have * want).sum() / (want * want).sum())
    if (
        np.isfinite(factor)
        and abs(factor - 1) > 100 * near
        and np.abs(have - factor * want).max() <= near * scale * max(1, abs(factor))
    ):
        return f"Every element is {factor:.6g} times what it should be"
    offset = float((have - want).mean())
    if np.isfinite(offset) and abs(offset) > 100 * near * scale and np.abs(have - want - offset).max() <= near * scale:
        return f"Every element is off by the same {offset:.6g}"
    if np.abs(np.sort(have, axis=None) - np.sort(want, axis=None)).max() <= near * scale:
        return "These are the right numbers in the wrong places: an axis is split, moved or flattened in another order"
    return _right_only_at_0(wrong, names)


def _right_only_at_0(wrong: np.ndarray, names: list[str]) -> str:
    for axis in range(wrong.ndim):
        if wrong.shape[axis] < 2:
            continue
        by_index = np.atleast_1d(wrong.any(axis=tuple(i for i in range(wrong.ndim) if i != axis)))
        if not by_index[0] and by_index[1:].all():
            return f"Only {names[axis]} 0 is right"
    return ""
