"""A class with accidents and tricks, through the real command: everyone else's marks are right."""

import copy
import csv
import os

import nbformat
import pytest
from manyheads.authoring import sample_class
from manyheads.exercises import of_chapter

from ..helpers import copy_of_course, manyheads

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"
FULL = sum(exercise.points for exercise in of_chapter(ASSIGNMENT))
BEFORE_PACKING = sum(exercise.points for exercise in of_chapter(ASSIGNMENT)[:2])


def own_cell(notebook, source, before="pack-heads"):
    return sample_class._with_cell(notebook, source, before=before)


def skipped(notebook):
    for cell in notebook.cells:
        cell.metadata["tags"] = ["skip-execution"]


def without_metadata(notebook):
    for number, cell in enumerate(notebook.cells):
        cell.metadata = nbformat.NotebookNode()
        cell.id = f"anew-{number}"


def double(name):
    def change(notebook):
        index = next(i for i, cell in enumerate(notebook.cells) if cell.id == name)
        notebook.cells.insert(index + 1, copy.deepcopy(notebook.cells[index]))

    return change


def logs_in_the_answer(notebook):
    for cell in notebook.cells:
        if cell.id == "pack-heads":
            cell.source = cell.source.replace("(w):", "(w):\n    logging.info('packing')", 1)
    notebook.cells.insert(2, nbformat.v4.new_code_cell("import logging\nlogging.basicConfig(level=logging.INFO)"))


def without_a_check(notebook):
    notebook.cells = [cell for cell in notebook.cells if cell.id != "check-pack-heads-values"]


def with_scripts(notebook):
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    for cell in notebook.cells:
        if cell.id.startswith("written"):
            cell.source = f"Because {evil}"
    shown = f"from IPython.display import HTML, Javascript, display\ndisplay(HTML({evil!r}))\nJavascript('alert(3)')"
    return own_cell(notebook, shown)


#: student -> (starts from the starter?, change, points, beginning of the flag)
STUDENTS = {
    "right": (False, lambda n: None, FULL, ""),
    "skips": (True, skipped, 0, ""),
    "exits": (False, lambda n: own_cell(n, "exit()"), BEFORE_PACKING, "the notebook ended its own kernel"),
    "exits-again": (False, lambda n: own_cell(n, "exit()"), BEFORE_PACKING, "the notebook ended its own kernel"),
    "forgot-metadata": (False, without_metadata, FULL, "21 cells had lost their nbgrader metadata, which was restored"),
    "copied-check": (False, double("check-pack-heads-values"), FULL, "two cells had the id check-pack-heads-values"),
    "copied-answer": (False, double("pack-heads"), FULL, "two cells had the id pack-heads; the first counts"),
    "deleted-check": (False, without_a_check, FULL, "missing cells were put back: check-pack-heads-values"),
    "logs": (False, logs_in_the_answer, FULL, ""),
    "shouts": (False, lambda n: own_cell(n, "import os\nos.system('echo to your terminal; echo too >&2')"), FULL, ""),
    "floods": (
        False,
        lambda n: own_cell(n, "print('x' * 50_000_000)"),
        FULL,
        "more output than a person reads was cut",
    ),
    "asks": (False, lambda n: own_cell(n, "input('?')"), FULL, ""),
    "kills": (
        False,
        lambda n: own_cell(n, "import os\nos.kill(os.getppid(), 9)"),
        0,
        "its notebook killed the process that graded it; it got 0",
    ),
    "Zoë O'Neil + {co}": (False, lambda n: None, FULL, ""),
    "scripts": (False, with_scripts, FULL, ""),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = copy_of_course(tmp_path_factory.mktemp("faulty"))
    assert manyheads("release", course=course).returncode == 0
    (source_path,) = (course.source / ASSIGNMENT).glob("*.ipynb")
    released = nbformat.read(course.exercises / ASSIGNMENT / source_path.name, as_version=4)
    right = sample_class.solved(nbformat.read(source_path, as_version=4), released)
    # Handed in where nbgrader itself would collect them: what lies there must survive.
    submitted = course.var / "class" / "submitted"
    for student, (starter, change, _, _) in STUDENTS.items():
        notebook = copy.deepcopy(released if starter else right)
        notebook = change(notebook) or notebook
        path = submitted / student / ASSIGNMENT / source_path.name
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(notebook))
    odd = os.path.join(os.fsencode(submitted), b"bad\xffname", ASSIGNMENT.encode())
    os.makedirs(odd)
    with open(os.path.join(odd, b"projections.ipynb"), "wb") as file:
        file.write(nbformat.writes(right).encode())
    before = {path: path.read_bytes() for path in submitted.rglob("*.ipynb")}
    done = manyheads("grade", str(submitted), "--jobs", "2", course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.read_bytes() for path in submitted.rglob("*.ipynb")} == before
    with open(course.var / "class" / "grades.csv", encoding="utf-8-sig") as file:
        return course, done, {row["student"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("student", STUDENTS)
def test_marks_and_flags(graded, student):
    _, _, points, flag = STUDENTS[student]
    row = graded[2][student]
    assert (float(row["checks"]), float(row["max_checks"])) == (points, FULL)
    assert row["flags"].startswith(flag) and bool(row["flags"]) == bool(flag)


def test_a_name_that_is_no_utf8_is_flagged(graded):
    assert "has a character that nbgrader cannot take" in graded[2][r"bad\udcffname"]["flags"]


def test_nothing_of_the_notebooks_reaches_the_terminal(graded):
    done = graded[1]
    assert "terminal" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_feedback_stays_small_and_runs_no_script_of_a_students(graded):
    pages = list((graded[0].var / "class" / "feedback").rglob("*.html"))
    assert len(pages) >= 10
    for page in pages:
        assert page.stat().st_size < 1_000_000, page
        text = page.read_text(encoding="utf-8")
        assert "<img src=x" not in text and "<script>alert" not in text
        assert "mh-report" in text or "kills" in str(page)


def test_a_new_hand_in_that_cannot_be_read_does_not_leave_the_old_mark(graded):
    course = graded[0]
    again = course.root / "again"
    for student, text in (("right", ""), ("shouts", "{")):
        path = again / student / ASSIGNMENT / "projections.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    done = manyheads("grade", str(again), course=course)
    assert done.returncode == 0, done.stderr
    with open(course.var / "class" / "grades.csv", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert (rows["right"]["score"], rows["shouts"]["score"]) == ("0", "0")
    assert float(rows["logs"]["checks"]) == FULL  # the others' marks stand
    assert not (course.var / "class" / "autograded" / "right" / ASSIGNMENT).exists()
    assert not (course.var / "class" / "feedback" / "right" / ASSIGNMENT).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--class-folder", "var/class"], "holds a class; to grade it, name the folder with its submissions"),
        (["--class-folder", "var"], "the class folder must be one of its own below"),
        (["--class-folder", "var/source"], "the class folder must be one of its own below"),
        (["var/class"], "is where results go; name the folder with the submissions"),
        (["handed-in", "--class-folder", "var/a[b]"], "nbgrader cannot use a folder with one of"),
    ],
)
def test_a_class_is_not_harmed_by_a_slip(graded, arguments, said):
    course = graded[0]
    (course.root / "handed-in").mkdir(exist_ok=True)
    before = (course.var / "class" / "gradebook.db").read_bytes()
    done = manyheads("grade", *arguments, course=course)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert (course.var / "class" / "gradebook.db").read_bytes() == before
