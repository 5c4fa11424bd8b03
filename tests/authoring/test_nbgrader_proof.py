"""The proof through nbgrader: it passes on this course, and fails on one with a defect. `make prove` runs the whole."""

import pytest
from manyheads.authoring import console, nbgrader_proof, sample_class
from manyheads.exercises.registry import CHAPTERS

from ..helpers import copy_of_course

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"


@pytest.mark.parametrize("assignment", CHAPTERS)
def test_solution_full_marks_starter_zero_first_mistakes_their_loss(assignment, course):
    assert nbgrader_proof.prove(course, assignment, jobs=1, most=3) == []


def test_the_notebooks_are_the_solution_the_starter_and_every_mistake(monkeypatch):
    """Together, the k-th mistakes of all exercises; what each must lose comes from the definitions."""
    monkeypatch.setattr(sample_class, "solved", lambda source, released: source)
    monkeypatch.setattr(sample_class, "filled_in", lambda notebook, answers: answers)
    made = nbgrader_proof.hand_ins(ASSIGNMENT, {"n": "source"}, {"n": "released"})
    assert [one.name for one in made][:3] == ["solution", "starter", "mistake-1"]
    assert len(made) == 2 + 14  # the longest list of mistakes
    assert set(made[1].expected.values()) == {0.0} and 0.0 not in made[0].expected.values()
    assert list(made[2].notebooks["n"]) == ["per-head-projections", "fused-projection", "pack-heads", "split-qkv",
                                     "attention-parameters"]  # fmt: skip
    assert list(made[-1].notebooks["n"]) == ["attention-parameters"]
    lost = {name for name, points in made[-1].expected.items() if not points}
    assert lost == {f"check-attention-parameters-{a}" for a in ("the-habit", "shared-heads", "free-width", "layers")}


def test_release_check_tells_a_wrong_mark(course, monkeypatch, capsys):
    monkeypatch.setattr(console.verification, "through_nbgrader", lambda *_: ["01-projections, starter: a wrong mark"])
    assert console.check_release(course, [ASSIGNMENT], jobs=1, files_only=False) == 1
    assert "a wrong mark" in capsys.readouterr().out


def test_a_wrong_solution_does_not_pass(tmp_path):
    copied = copy_of_course(tmp_path)
    text = copied.solutions / ASSIGNMENT / "projections.py"
    right = "return np.concatenate(list(w), axis=1)"
    assert right in text.read_text()
    text.write_text(text.read_text().replace(right, "return np.concatenate(list(w), axis=1) * 2"))
    # The solution alone: the other notebooks are the other test's.
    assert nbgrader_proof.prove(copied, ASSIGNMENT, jobs=1, most=1) == [
        "01-projections, solution: check-pack-heads-float32 got 0.0, expected 1.0",
        "01-projections, solution: check-pack-heads-values got 0.0, expected 2.0",
    ]
