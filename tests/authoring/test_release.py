"""exercises/ from solutions/: what nbgrader would make, and what is said when they disagree."""

import json

import nbformat
import pytest
from manyheads.authoring import files, release
from manyheads.exercises import of_chapter
from manyheads.exercises.registry import CHAPTERS

from ..helpers import copy_of_course, manyheads, run

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"
NOTEBOOK = f"exercises/{ASSIGNMENT}/projections.ipynb"


@pytest.fixture
def copied(tmp_path):
    return copy_of_course(tmp_path)


def test_the_committed_exercises_are_what_the_solutions_give(course):
    assert release.strays(course) == []
    for assignment in course.assignments():
        assert release.differences(course, assignment) == {}


def test_it_is_byte_for_byte_what_nbgrader_makes(copied):
    files.replace_tree(copied.source / ASSIGNMENT, release.build_source(copied, ASSIGNMENT))
    ours = release.build_release(copied, ASSIGNMENT)
    done = run(["nbgrader", "generate_assignment", ASSIGNMENT, "--force"], copied.root)
    assert done.returncode == 0, done.stderr
    assert files.tree(copied.exercises / ASSIGNMENT) == ours


def notebooks_of(course, assignment):
    return sorted((course.exercises / assignment).glob("*.ipynb"))


@pytest.mark.parametrize("assignment", CHAPTERS)
def test_nothing_of_the_solutions_is_in_what_students_get(course, assignment):
    released = "".join(path.read_text() for path in notebooks_of(course, assignment))
    for secret in ("BEGIN SOLUTION", "HIDDEN", "Rubric", 'inputs=\\"hidden\\"', "np.stack(heads, axis=1)"):
        assert secret not in released
    assert released.count("raise NotImplementedError()") == len(of_chapter(assignment))
    assert released.count("YOUR ANSWER HERE") == len(notebooks_of(course, assignment))


@pytest.mark.parametrize("assignment", CHAPTERS)
def test_nothing_executed_is_committed(course, assignment):
    for path in notebooks_of(course, assignment):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda c: (c.root / NOTEBOOK).unlink(), f"{NOTEBOOK}: missing"),
        (lambda c: (c.root / NOTEBOOK).write_text((c.root / NOTEBOOK).read_text() + " "), f"{NOTEBOOK}: changed"),
        (lambda c: (c.exercises / ASSIGNMENT / "more.txt").touch(), f"exercises/{ASSIGNMENT}/more.txt: extra"),
        (lambda c: (c.exercises / "99-old").mkdir(), "exercises/99-old: extra; delete it, or write its solution"),
    ],
)
def test_check_names_the_file_that_differs(copied, spoil, line):
    spoil(copied)
    done = manyheads("release", "--check", "--files-only", course=copied)
    assert done.returncode == 1
    assert line in done.stdout.splitlines()


def test_release_mends_what_differs_and_says_what_it_changed(copied):
    (copied.root / NOTEBOOK).write_text("spoiled")
    (copied.exercises / ASSIGNMENT / "more.txt").touch()
    done = manyheads("release", course=copied)
    assert done.returncode == 0, done.stderr
    assert NOTEBOOK in done.stdout and "2 files changed" in done.stdout
    (kept,) = (copied.var / "replaced").iterdir()
    assert str(kept) in done.stdout
    assert files.tree(kept) == {f"{ASSIGNMENT}/projections.ipynb": b"spoiled", f"{ASSIGNMENT}/more.txt": b""}
    assert manyheads("release", "--check", "--files-only", course=copied).returncode == 0
    assert "no files changed" in manyheads("release", course=copied).stdout


def test_a_slip_in_a_solution_changes_nothing(copied):
    text = copied.solutions / ASSIGNMENT / "projections.py"
    text.write_text(text.read_text().replace('check("pack-heads"', 'check("pack-haeds"'))
    before = files.tree(copied.exercises)
    done = manyheads("release", course=copied)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "did you mean 'pack-heads'?" in done.stderr
    assert files.tree(copied.exercises) == before


def test_an_open_notebooks_checkpoint_is_nobodys_business(copied):
    checkpoint = copied.exercises / ASSIGNMENT / ".ipynb_checkpoints" / "projections-checkpoint.ipynb"
    checkpoint.parent.mkdir()
    checkpoint.write_text(json.dumps({}))
    assert release.differences(copied, ASSIGNMENT) == {}
