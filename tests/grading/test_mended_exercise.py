"""An exercise that was mended after its release: every hand-in is graded by what its own notebook asked."""

import csv
import shutil

import nbformat
import pytest
from manyheads import exercises
from manyheads.authoring import sample_class
from manyheads.authoring.release import build_release, build_source
from manyheads.exercises import get

from ..helpers import ROOT, copy_of_course, manyheads

NAME, ASSIGNMENT, NOTEBOOK = "pack-heads", "01-projections", "projections.ipynb"

#: Version 2 wants the heads the other way round, and asks one thing more.
MENDED = """

def _heads_reversed(weights):
    return reference.pack_heads(weights[::-1])


_RELEASED, _VALUES = EXERCISE, EXERCISE.aspects[0]
EXERCISE = dataclasses.replace(
    _RELEASED,
    version=2,
    reference=_heads_reversed,
    aspects=(*_RELEASED.aspects, dataclasses.replace(_VALUES, name="more values", points=3)),
    mistakes=(),
    earlier=(_RELEASED,),
)
"""
MORE = '\n# %% nbgrader={"grade": true}\ncheck("pack-heads", pack_heads, aspect="more values")\n'
ANSWERS = {
    1: "def pack_heads(weights):\n    return np.concatenate(list(weights), axis=1)",
    2: "def pack_heads(weights):\n    return np.concatenate(list(weights[::-1]), axis=1)",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Hand-ins of both versions' notebooks, each with both versions' answers, graded when version 2 is out."""
    course = copy_of_course(tmp_path_factory.mktemp("course"))
    library = course.root / "mended"
    shutil.copytree(ROOT / "lib" / "manyheads", library / "manyheads")
    released = {1: nbformat.reads(build_release(course, ASSIGNMENT)[NOTEBOOK].decode(), as_version=4)}
    source = nbformat.reads(build_source(course, ASSIGNMENT)[NOTEBOOK].decode(), as_version=4)

    definition = library / "manyheads" / "exercises" / "ch01_projections" / "pack_heads.py"
    definition.write_text("import dataclasses\n" + definition.read_text("utf-8") + MENDED, "utf-8")
    solution = course.solutions / ASSIGNMENT / "projections.py"
    text = solution.read_text("utf-8")
    last = text.index("\n\n", text.index('check("pack-heads", pack_heads, aspect="float32")'))
    solution.write_text(text[:last] + MORE + text[last:], "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(library))
        done = manyheads("release", course=course)
        assert done.returncode == 0, done.stderr
        released[2] = nbformat.read(course.exercises / ASSIGNMENT / NOTEBOOK, as_version=4)
        for version, notebook in released.items():
            right = sample_class.solved(source, notebook)
            for answer in ANSWERS:
                filled = sample_class.filled_in(right, {NAME: ANSWERS[answer]})
                folder = course.root / "class" / f"notebook-{version}-answer-{answer}" / ASSIGNMENT
                folder.mkdir(parents=True)
                nbformat.write(filled, folder / NOTEBOOK)
        done = manyheads("grade", "class", "--no-feedback", "--class-folder", "var/class", course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(course.var / "class" / "grades.csv", encoding="utf-8-sig") as file:
        return released, {row["student"]: row for row in csv.DictReader(file)}


def checks(notebook):
    return [cell.source for cell in notebook.cells if cell.source.startswith(f'check("{NAME}"')]


@pytest.mark.nbgrader
def test_the_notebook_of_a_later_version_says_so_in_every_check(graded):
    released, _ = graded
    assert released[1].metadata.manyheads.exercises[NAME] == 1
    assert released[2].metadata.manyheads.exercises[NAME] == 2
    assert not any("version" in text for text in checks(released[1]))
    assert len(checks(released[2])) == len(checks(released[1])) + 1
    assert all(text.count(", version=2)") == 1 for text in checks(released[2]))  # hidden tests are stripped


@pytest.mark.nbgrader
@pytest.mark.parametrize("version", [1, 2])
def test_each_notebook_is_graded_by_its_own_contract(graded, version):
    _, marks = graded
    full = sum(one.points for one in exercises.of_chapter(ASSIGNMENT)) + 3
    own, other = (float(marks[f"notebook-{version}-answer-{answer}"]["checks"]) for answer in (version, 3 - version))
    assert own == full
    # What version 1 did not ask for costs its hand-ins nothing; a wrong answer loses all that it did ask.
    assert other == full - get(NAME).points - (3 if version == 2 else 0)


@pytest.mark.nbgrader
def test_an_earlier_contract_is_reported(graded):
    _, marks = graded
    told = "pack-heads was graded by version 1, with which the notebook was released"
    assert marks["notebook-1-answer-1"]["flags"] == told
    assert marks["notebook-2-answer-2"]["flags"] == ""
