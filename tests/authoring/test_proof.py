"""The proof through nbgrader: it passes on this course, and fails on one with a defect."""

import pytest
from manyheads.authoring import proof

from ..helpers import copy_of_course, manyheads

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"


@pytest.mark.xdist_group("proof")
def test_solution_full_marks_starter_zero_every_mistake_its_loss(course):
    done = manyheads("release", "--check", "--jobs", "2", course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nbgrader gives the solution full marks, the starter 0, every mistake its loss" in done.stdout


@pytest.mark.xdist_group("proof of a defect")
def test_a_wrong_solution_does_not_pass(tmp_path, monkeypatch):
    copied = copy_of_course(tmp_path)
    text = copied.solutions / ASSIGNMENT / "projections.py"
    right = "return np.concatenate(list(w), axis=1)"
    assert right in text.read_text()
    text.write_text(text.read_text().replace(right, "return np.concatenate(list(w), axis=1) * 2"))
    # The solution alone: the other notebooks are the other test's.
    made = proof.notebooks
    monkeypatch.setattr(proof, "notebooks", lambda *arguments: made(*arguments)[:1])
    assert proof.prove(copied, ASSIGNMENT, jobs=1) == [
        "01-projections, solution: check-pack-heads-float32 got 0.0, expected 1.0",
        "01-projections, solution: check-pack-heads-values got 0.0, expected 2.0",
    ]
