"""Taking in what students hand in."""

import json

import nbformat
import pytest
from manyheads.grading.submissions import SubmittedFolderError, left_out, take_in

EXPECTED = {"01-projections": ["projections"]}
NOTEBOOK = nbformat.writes(nbformat.v4.new_notebook()).encode()


@pytest.fixture
def hand_in(tmp_path):
    """Hands in one file and takes it in; returns the submission."""

    def hand_in(data=NOTEBOOK, name="projections.ipynb", student="ada"):
        folder = tmp_path / "submitted" / student / "01-projections"
        folder.mkdir(parents=True)
        (folder / name).write_bytes(data)
        (found,) = take_in(tmp_path / "submitted", tmp_path / "staged", EXPECTED)
        return found

    return hand_in


def test_a_notebook_is_copied_under_its_name(hand_in, tmp_path):
    found = hand_in()
    assert (found.student, found.assignment, found.flags) == ("ada", "01-projections", [])
    assert found.notebooks == [tmp_path / "staged/ada/01-projections/projections.ipynb"]
    assert found.notebooks[0].read_bytes() == NOTEBOOK


def test_a_browsers_second_download_is_taken_and_flagged(hand_in):
    found = hand_in(name="projections (1).ipynb")
    assert found.notebooks[0].name == "projections.ipynb"
    assert found.flags == ["projections (1).ipynb was taken for projections.ipynb"]


@pytest.mark.parametrize(
    ("data", "flag"),
    [
        (b"", "projections.ipynb is empty"),
        (NOTEBOOK[: len(NOTEBOOK) // 2], "projections.ipynb is not JSON, or is cut off"),
        (b"\xff\xfe\x00", "projections.ipynb is not UTF-8 text"),
        (b"{}", "projections.ipynb is not a notebook:"),
        (
            json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}}).encode(),
            "projections.ipynb is not a notebook:",
        ),
        (b"[1, 2]", "projections.ipynb is not a notebook:"),
    ],
)
def test_what_is_no_notebook_is_flagged_with_the_reason(hand_in, data, flag):
    found = hand_in(data)
    assert found.notebooks == []
    assert len(found.flags) == 1 and found.flags[0].startswith(flag)


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(NOTEBOOK)
    folder = tmp_path / "submitted" / "eve" / "01-projections"
    folder.mkdir(parents=True)
    (folder / "projections.ipynb").symlink_to(secret)
    (tmp_path / "submitted" / "mallory").symlink_to(tmp_path / "submitted" / "eve")
    eve, mallory = take_in(tmp_path / "submitted", tmp_path / "staged", EXPECTED)
    assert eve.notebooks == [] and eve.flags == ["projections.ipynb is a symbolic link; it was not followed"]
    assert mallory.notebooks == [] and mallory.flags == ["the folder is a symbolic link; it was not followed"]


def test_an_empty_hand_in_is_flagged(tmp_path):
    (tmp_path / "submitted" / "ada" / "01-projections").mkdir(parents=True)
    (found,) = take_in(tmp_path / "submitted", tmp_path / "staged", EXPECTED)
    assert found.flags == ["there is no projections.ipynb"]


def test_an_earlier_copy_does_not_stand_in_for_a_new_hand_in(hand_in, tmp_path):
    old = tmp_path / "staged" / "ada" / "01-projections" / "projections.ipynb"
    old.parent.mkdir(parents=True)
    old.write_bytes(NOTEBOOK)
    hand_in(b"")
    assert not old.exists()


def test_a_missing_folder(tmp_path):
    with pytest.raises(SubmittedFolderError, match=r"nowhere is not a folder; expected nowhere/STUDENT/ASSIGNMENT/"):
        take_in(tmp_path / "nowhere", tmp_path / "staged", EXPECTED)


def test_a_folder_without_submissions(tmp_path):
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    with pytest.raises(SubmittedFolderError, match=r"nothing to grade in .*ASSIGNMENT one of 01-projections"):
        take_in(tmp_path / "submitted", tmp_path / "staged", EXPECTED)


def test_what_is_no_submission_is_told(tmp_path):
    (tmp_path / "ada" / "01-projektions").mkdir(parents=True)
    (tmp_path / "ada" / "notes.txt").touch()
    (tmp_path / "roster.csv").touch()
    (tmp_path / ".DS_Store").touch()
    assert left_out(tmp_path, list(EXPECTED)) == [
        "ada: no assignment is called '01-projektions'; did you mean '01-projections'?",
        "ada/notes.txt: a file, where a folder for each assignment is expected",
        "roster.csv: a file, where a folder for each student is expected",
    ]
