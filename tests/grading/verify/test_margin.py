"""How far an answer is from the right one, in tolerances."""

import dataclasses
import math

import numpy as np
import pytest
from manyheads.exercises import get
from manyheads.grading.verify.margin import distance
from manyheads.grading.verify.trial import Drawn

RIGHT = np.array([[1.0, -np.inf, 4.0], [0.0, 2.0, -np.inf]])
TOLERANCE = 1e-3  # of the largest, which is 4


def measured(wrong: np.ndarray) -> float | None:
    exercise = dataclasses.replace(get("pack-heads"), reference=lambda w: RIGHT, tolerance={"float64": TOLERANCE})
    aspect = exercise.aspects[0]
    one = Drawn(exercise, aspect, 0, aspect.cases(np.random.default_rng(0))[:1])
    return distance(one, lambda w: wrong)


def test_it_is_measured_by_the_largest_element():
    assert measured(RIGHT) == 0
    off = RIGHT.copy()
    off[1, 0] = 0.02
    assert measured(off) == pytest.approx(5.0)


@pytest.mark.parametrize("where", [(0, 1), (1, 2)])
@pytest.mark.parametrize("value", [0.0, -1e9, -3e38])
def test_a_number_where_infinity_is_expected_is_far_away(where, value):
    off = RIGHT.copy()
    off[where] = value
    assert measured(off) == math.inf
