"""Spoiled answers: of every kind of output, and none that is still right."""

import numpy as np
import pytest
from manyheads.exercises import get
from manyheads.grading.verify.spoiled import spoilers
from manyheads.grading.verify.trial import draw


def changes(name):
    return dict(spoilers(get(name)))


def test_one_element_is_off_by_ten_tolerances():
    array = np.array([[1.0, -4.0], [2.0, 3.0]])
    spoiled = changes("fused-projection")["one element"](array)
    assert np.count_nonzero(spoiled != array) == 1
    assert spoiled[1, 1] - 3 == pytest.approx(10 * 4 * get("fused-projection").tolerance["float64"])


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_one_element_of_any_dtype(dtype):
    array = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    spoiled = changes("pack-heads")["one element"](array)
    assert spoiled.dtype == array.dtype and np.count_nonzero(spoiled != array) == 1


def test_counts():
    spoil = changes("attention-parameters")
    assert spoil["one more"](5) == 6 and spoil["what 32 bits leave"](2**32 + 3) == 3
    assert isinstance(spoil["as a float"](5), float)


def test_what_changes_nothing_is_not_counted():
    (one, *_) = draw(get("pack-heads"), range(1))
    assert one.accepts_values(lambda array: array) is None
    assert one.accepts_values(lambda array: array + 1) is False
    assert one.accepts_values(np.asfortranarray) is None
