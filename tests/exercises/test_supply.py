"""Functions that the checker hands out: what they get, and what is noted of it."""

import copy

import numpy as np
import pytest
from manyheads.exercises import supply
from manyheads.exercises.supply import Supply


def test_it_answers_and_notes_how_often_it_was_asked():
    square = Supply(lambda i: i * i)
    assert [square(3), square(2), square(3)] == [9, 4, 9]
    assert square.asked == {(3,): 2, (2,): 1}


@pytest.mark.parametrize("given", [np.int64(2), np.int32(2), np.array(2), True])
def test_whole_numbers_arrive_as_pythons_own(given):
    got = []
    Supply(got.append)(given)
    assert got == [given] and type(got[0]) in (int, bool)


def test_a_tuple_of_numpys_numbers_is_the_same_request_as_pythons():
    pair = Supply(lambda both: both)
    assert pair([np.int64(1), 2]) == pair((1, 2)) == (1, 2)
    assert pair.asked == {((1, 2),): 2}


def test_an_array_is_copied_and_stands_for_any_of_its_shape():
    x, kept = np.arange(6.0).reshape(2, 3), []
    keep = Supply(lambda a: kept.append(a))
    keep(x)
    x += 1
    keep(x)
    assert kept[0][0, 0] == 0 and kept[1][0, 0] == 1
    assert keep.asked == {("an array (2, 3)",): 2}


def test_a_copy_has_been_asked_nothing():
    one = Supply(abs)
    one(1)
    other = copy.deepcopy(one)
    assert other(-2) == 2
    assert (one.asked.total(), other.asked.total()) == (1, 1)


def test_calls_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(supply, "MOST_CALLS", 3)
    one = Supply(abs)
    with pytest.raises(RuntimeError, match="more than 3 calls"):
        for _ in range(4):
            one(1)


def test_what_cannot_be_hashed_is_noted_by_its_kind():
    one = Supply(len)
    assert one({1: 2}) == 1
    assert one.asked == {("dict",): 1}


def test_other_ways_to_ask_are_told_in_words():
    one = Supply(abs)
    with pytest.raises(TypeError, match="write the arguments without their names, not x=…"):
        one(x=1)
    with pytest.raises(TypeError, match="this is a function: call it with round brackets"):
        one[1]
    assert one.asked.total() == 0
