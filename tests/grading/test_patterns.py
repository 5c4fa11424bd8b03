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
        (WANT * (1 + 1e-9), "This is almost right: a small number was added, something tiny left out, or a step"),
        (WANT.astype("float16").astype("float64"), ""),
        (right_only(np.s_[..., :2]), "Right up to token 1, wrong from token 2 on"),
        (right_only(np.s_[..., 3:]), "Wrong up to token 2, right from token 3 on"),
        (right_only(np.s_[:, [0, 2]]), "Only head 1 is wrong"),
        (WANT[:, ::-1], "Every head is right in itself, but head 0 holds what belongs to head 2"),
        (np.roll(WANT, 1, axis=2), "Every token is right in itself, but token 0 holds what belongs to token 4"),
        (WANT[:, [1, 1, 1]], "Every head holds what belongs to head 1"),
        (WANT.mean(axis=1, keepdims=True) + 0 * WANT, "Every head holds the same; they should differ"),
        (
            WANT * [[[0.5], [1], [2]]],
            "Each row along token is right up to a factor of its own, from 0.5 to 2: a sum or",
        ),
    ],
)
def test_the_shape_of_the_error(got, sentence):
    wrong = ~np.isclose(got, WANT)
    found = pattern_of(WANT, got, wrong, {"float64": 1e-12}, NAMES)
    assert found.startswith(sentence) and bool(found) == bool(sentence)


def test_values_that_are_not_finite_have_no_pattern():
    got = WANT * np.nan
    assert pattern_of(WANT, got, np.isnan(got), {}, NAMES) == ""


SQUARE = np.tril(np.random.default_rng(3).standard_normal((2, 4, 4)))


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (SQUARE.swapaxes(1, 2), "The axes of head and token are exchanged: this is the transpose"),
        (SQUARE + np.triu(np.ones((4, 4)), 1), "Only elements that should be 0 are wrong: 12 are other than 0"),
        (np.tril(SQUARE, -1), "Only elements that should be other than 0 are wrong: 8 are 0"),
    ],
)
def test_where_zeros_are_expected(got, sentence):
    wrong = ~np.isclose(got, SQUARE)
    assert pattern_of(SQUARE, got, wrong, {"float64": 1e-12}, NAMES) == sentence


MASK = np.tri(4, 5, 1, dtype=bool)


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (~MASK, "Every element is the opposite of what it should be"),
        (np.ones_like(MASK), "Every element is True"),
        (np.zeros_like(MASK), "Every element is False"),
        (np.tri(4, 5, 2, dtype=bool), "Only elements that should be False are wrong: 3 are True"),
        (np.tri(4, 5, 0, dtype=bool), "Only elements that should be True are wrong: 4 are False"),
        (MASK[::-1], "Every query is right in itself, but query 0 holds what belongs to query 3"),
    ],
)
def test_masks(got, sentence):
    assert pattern_of(MASK, got, got != MASK, {}, ["query", "key"]) == sentence
