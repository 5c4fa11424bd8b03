"""Which version of an exercise counts: the check cell says it, the grader knows it, the student's metadata chooses."""

import json
import os

import nbformat
import pytest
from manyheads.exercises import get
from manyheads.exercises.registry import UnknownVersion
from manyheads.grading import CheckFailed, check, versions

NAME = "pack-heads"


def metadata(said):
    return nbformat.from_dict({"manyheads": {"exercises": said}})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({NAME: 7}, "pack-heads has version 1 here, got 7; the notebook is newer"),
        ({NAME: 0}, "pack-heads has version 1 here, got 0; graded by version 1"),
        ({NAME: "2"}, "pack-heads has version 1 here, got '2'; graded by version 1"),
        ({NAME: True}, "pack-heads has version 1 here, got True; graded by version 1"),
    ],
)
def test_a_version_that_does_not_exist_is_reported_and_does_not_count(said, told):
    earlier, flags = versions.of_notebook(metadata(said))
    assert earlier == {} and len(flags) == 1 and told in flags[0]


@pytest.mark.parametrize("said", [None, 3, [1], {}, {"no-such-exercise": 1}, {NAME: 1}])
def test_metadata_that_says_nothing_is_nothing_to_report(said):
    assert versions.of_notebook(metadata(said)) == ({}, [])
    assert versions.of_notebook({}) == ({}, [])


def test_a_check_of_a_newer_notebook_says_what_to_do():
    with pytest.raises(CheckFailed, match="the notebook is newer than the library: install the newer one"):
        check(NAME, len, version=2)


@pytest.mark.parametrize("said", ["", "no JSON", "[]", "{}"])
def test_without_a_grader_the_cell_decides(monkeypatch, said):
    monkeypatch.setitem(os.environ, versions.RELEASED_WITH, said)
    assert versions.contract(NAME, 1) is get(NAME)


def test_the_grader_wins_over_the_cell(monkeypatch):
    """It overwrites a hand-in's cells with those of the newest release."""
    monkeypatch.setitem(os.environ, versions.RELEASED_WITH, json.dumps({NAME: 7}))
    with pytest.raises(UnknownVersion, match="got 7"):
        versions.contract(NAME, 1)
    assert versions.contract("split-qkv", 1) is get("split-qkv")
