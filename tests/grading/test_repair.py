"""What editors and students do to a notebook's structure is mended, and told."""

import copy

import nbformat
import pytest
from manyheads.grading.repair import repair


def cell(kind, source, name=None, **said):
    made = (nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell)(source)
    made.id = name or f"text-{len(source)}"
    if name:
        made.metadata["nbgrader"] = {"grade_id": name, "grade": False, "solution": False, "locked": False, **said}
    return made


RELEASED = nbformat.v4.new_notebook(
    cells=[
        cell("markdown", "# Title"),
        cell("code", "import numpy as np", "setup", locked=True),
        cell("code", "def split(x):\n    raise NotImplementedError()", "split", solution=True),
        cell("code", 'check("split", split, aspect="values")', "check-split", grade=True, locked=True),
        cell("markdown", "Why?"),
        cell("markdown", "YOUR ANSWER HERE", "written", grade=True, solution=True),
    ]
)
ANSWER = "def split(x):\n    return x"


@pytest.fixture
def submission():
    made = copy.deepcopy(RELEASED)
    made.cells[2].source = ANSWER
    made.cells[5].source = "Because."
    return made


def ids(notebook):
    return [c.metadata.get("nbgrader", {}).get("grade_id") for c in notebook.cells]


def test_a_sound_notebook_is_left_alone(submission):
    before = copy.deepcopy(submission)
    assert repair(submission, RELEASED) == []
    assert submission == before


@pytest.mark.parametrize("keep_ids", [True, False])
def test_lost_metadata_comes_back_by_id_or_by_text(submission, keep_ids):
    for number, one in enumerate(submission.cells):
        one.metadata.pop("nbgrader", None)
        if not keep_ids:
            one.id = f"other-{number}"
    flags = repair(submission, RELEASED)
    assert flags == ["4 cells had lost their nbgrader metadata, which was restored"]
    assert ids(submission) == ids(RELEASED)
    assert submission.cells[2].source == ANSWER
    assert submission.cells[5].source == "Because."


def test_a_deleted_check_is_put_back_behind_its_answer(submission):
    del submission.cells[3]
    assert repair(submission, RELEASED) == ["missing cells were put back: check-split"]
    assert ids(submission) == ids(RELEASED)
    assert submission.cells[3].source == RELEASED.cells[3].source


@pytest.mark.parametrize("index", [2, 3])
def test_of_a_copied_cell_the_first_counts(submission, index):
    submission.cells.insert(index + 1, copy.deepcopy(submission.cells[index]))
    name = submission.cells[index].metadata.nbgrader.grade_id
    assert repair(submission, RELEASED) == [f"two cells had the id {name}; the first counts"]
    assert ids(submission).count(name) == 1
    assert len({c.id for c in submission.cells}) == len(submission.cells)
    assert "nbgrader" not in submission.cells[index + 1].metadata


def test_tags_and_flags_of_a_students_own_are_removed(submission):
    submission.metadata["manyheads_flag"] = 5
    submission.cells[3].metadata["tags"] = ["skip-execution"]
    repair(submission, RELEASED)
    assert "manyheads_flag" not in submission.metadata
    assert "tags" not in submission.cells[3].metadata


@pytest.mark.parametrize("nonsense", [5, "text", [], {}, {"grade_id": 7}, {"grade_id": "invented", "points": 99}])
def test_nonsense_in_the_metadata_is_removed(submission, nonsense):
    submission.cells[0].metadata["nbgrader"] = nonsense
    repair(submission, RELEASED)
    assert ids(submission) == ids(RELEASED)


def test_an_answer_that_was_deleted_comes_back_as_it_was_released(submission):
    del submission.cells[2]
    repair(submission, RELEASED)
    assert submission.cells[2].source == RELEASED.cells[2].source
