"""Names: found, misspelt, unknown."""

import pytest
from manyheads.exercises import UnknownName, get, of_chapter
from manyheads.exercises.registry import aspect_of


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fused-projektion", "no exercise is called 'fused-projektion'; did you mean 'fused-projection'?"),
        ("fused_projection", "no exercise is called 'fused_projection'; did you mean 'fused-projection'?"),
        ("Pack-Heads", "no exercise is called 'Pack-Heads'; did you mean 'pack-heads'?"),
    ],
)
def test_a_misspelt_exercise_is_told_the_nearest(name, message):
    with pytest.raises(UnknownName) as caught:
        get(name)
    assert str(caught.value) == message


def test_a_name_like_no_other_lists_all():
    with pytest.raises(UnknownName, match="no exercise is called 'zzz'; there are: softmax, single-head"):
        get("zzz")


def test_a_misspelt_assignment():
    with pytest.raises(UnknownName) as caught:
        of_chapter("01-projektions")
    assert str(caught.value) == "no assignment is called '01-projektions'; did you mean '01-projections'?"


def test_a_misspelt_aspect():
    with pytest.raises(UnknownName) as caught:
        aspect_of(get("fused-projection"), "value")
    assert str(caught.value) == "no aspect of fused-projection is called 'value'; did you mean 'values'?"
