"""Wrong answers that nobody thought of still get a useful message."""

import numpy as np
import pytest
from manyheads.grading.patterns import pattern_of

WANT = np.random.default_rng(1).standard_normal((2, 3, 5))
NAMES = ["batch", "head", "token"]


def right_only(place):
    got = WANT + np.random.default_rng(2).standard_normal(WANT.shape)
    got[place] = WANT[place]
    return got


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (WANT * 8, "Every element is 8 times what it should be"),
        (-WANT, "Every element is -1 times what it should be"),
        (WANT + 0.5, "Every element is off by the same 0.5"),
        (np.zeros_like(WANT), "Your array is all zeros"),
        (WANT.reshape(5, 3, 2).transpose(2, 1, 0), "These are the right numbers in the wrong places"),
        (right_only(np.s_[:, 0]), "Only head 0 is right"),
        (right_only(np.s_[0]), "Only batch 0 is right"),
        (right_only(np.s_[0, 1, 2]), ""),
    ],
)
def test_the_shape_of_the_error(got, sentence):
    wrong = ~np.isclose(got, WANT)
    found = pattern_of(WANT, got, wrong, {"float64": 1e-12}, NAMES)
    assert found.startswith(sentence) and bool(found) == bool(sentence)


def test_values_that_are_not_finite_have_no_pattern():
    got = WANT * np.nan
    assert pattern_of(WANT, got, np.isnan(got), {}, NAMES) == ""
