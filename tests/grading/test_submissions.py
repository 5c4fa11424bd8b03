"""Taking in what students hand in."""

import json
import os

import nbformat
import pytest
from manyheads.grading.submissions import SubmittedFolderError, find, left_out, take_in

ASSIGNMENT = "01-projections"
CONTENT = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="own")])
NOTEBOOK = nbformat.writes(CONTENT).encode()
RELEASED = {"projections": nbformat.v4.new_notebook()}


def taken(tmp_path):
    found = find(tmp_path / "submitted", [ASSIGNMENT])
    for submission in found:
        take_in(submission, RELEASED, tmp_path / "staged", tmp_path / "kept")
    return found


@pytest.fixture
def hand_in(tmp_path):
    """Hands in one file and takes it in; returns the submission."""

    def hand_in(data=NOTEBOOK, name="projections.ipynb", student="ada"):
        folder = tmp_path / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / name).write_bytes(data)
        (submission,) = taken(tmp_path)
        return submission

    return hand_in


def test_a_notebook_is_kept_as_it_came_and_staged_for_grading(hand_in, tmp_path):
    found = hand_in()
    assert (found.student, found.assignment, found.notebooks, found.flags) == ("ada", ASSIGNMENT, ["projections"], [])
    assert (tmp_path / f"kept/ada/{ASSIGNMENT}/projections.ipynb").read_bytes() == NOTEBOOK
    staged = nbformat.read(tmp_path / f"staged/ada/{ASSIGNMENT}/projections.ipynb", as_version=4)
    assert staged.cells[0].source == "x = 1"
    assert (tmp_path / f"submitted/ada/{ASSIGNMENT}/projections.ipynb").read_bytes() == NOTEBOOK


def test_a_browsers_second_download_is_taken_and_flagged(hand_in):
    found = hand_in(name="projections (1).ipynb")
    assert found.notebooks == ["projections"]
    assert found.flags == ["projections (1).ipynb was taken for projections.ipynb"]


def test_a_byte_order_mark_does_not_matter(hand_in):
    assert hand_in(b"\xef\xbb\xbf" + NOTEBOOK).flags == []


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
    folder = tmp_path / "submitted" / "eve" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / "projections.ipynb").symlink_to(secret)
    (tmp_path / "submitted" / "mallory").symlink_to(tmp_path / "submitted" / "eve")
    eve, mallory = taken(tmp_path)
    assert eve.notebooks == [] and eve.flags == ["projections.ipynb is a symbolic link; it was not followed"]
    assert mallory.notebooks == [] and mallory.flags == ["the folder is a symbolic link; it was not followed"]
    assert not (tmp_path / "staged").exists() and not (tmp_path / "kept").exists()


def test_a_pipe_does_not_hang(tmp_path):
    folder = tmp_path / "submitted" / "eve" / ASSIGNMENT
    folder.mkdir(parents=True)
    os.mkfifo(folder / "projections.ipynb")
    (found,) = taken(tmp_path)
    assert found.flags == ["projections.ipynb is not a regular file"]


def test_names_that_nbgrader_or_utf8_cannot_take(tmp_path):
    for name in (b"a[b]", b"bad\xffname"):
        folder = os.path.join(os.fsencode(tmp_path), b"submitted", name, ASSIGNMENT.encode())
        os.makedirs(folder)
        with open(os.path.join(folder, b"projections.ipynb"), "wb") as file:
            file.write(NOTEBOOK)
    brackets, bytes_ = taken(tmp_path)
    assert brackets.flags == ["the student id 'a[b]' has a character that nbgrader cannot take"]
    assert bytes_.student == r"bad\udcffname" and bytes_.notebooks == []
    assert "has a character that nbgrader cannot take" in bytes_.flags[0]


def test_an_empty_hand_in_is_flagged(tmp_path):
    (tmp_path / "submitted" / "ada" / ASSIGNMENT).mkdir(parents=True)
    (found,) = taken(tmp_path)
    assert found.flags == ["there is no projections.ipynb"]


def test_an_earlier_copy_does_not_stand_in_for_a_new_hand_in(hand_in, tmp_path):
    old = tmp_path / "staged" / "ada" / ASSIGNMENT / "projections.ipynb"
    old.parent.mkdir(parents=True)
    old.write_bytes(NOTEBOOK)
    hand_in(b"")
    assert not old.exists()


def test_a_missing_folder(tmp_path):
    with pytest.raises(SubmittedFolderError, match=r"nowhere is not a folder; expected nowhere/STUDENT/ASSIGNMENT/"):
        find(tmp_path / "nowhere", [ASSIGNMENT])


def test_a_folder_without_submissions(tmp_path):
    (tmp_path / "submitted" / "ada").mkdir(parents=True)
    with pytest.raises(SubmittedFolderError, match=r"nothing to grade in .*ASSIGNMENT one of 01-projections"):
        find(tmp_path / "submitted", [ASSIGNMENT])


def test_what_is_no_submission_is_told(tmp_path):
    (tmp_path / "ada" / "01-projektions").mkdir(parents=True)
    (tmp_path / "ada" / "notes.txt").touch()
    (tmp_path / "roster.csv").touch()
    (tmp_path / ".DS_Store").touch()
    assert left_out(tmp_path, [ASSIGNMENT]) == [
        "ada: no assignment is called '01-projektions'; did you mean '01-projections'?",
        "ada/notes.txt: a file, where a folder for each assignment is expected",
        "roster.csv: a file, where a folder for each student is expected",
    ]
