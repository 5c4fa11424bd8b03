"""The sample class through the real command: marks, flags, and what is written."""

import csv
import shutil

import nbformat
import pytest
from manyheads.authoring import sample_class
from manyheads.exercises import of_chapter
from manyheads.grading import nbgrader_tools

from ..helpers import copy_of_course, manyheads

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The sample class, graded once by `manyheads grade` in a copy of the course."""
    course = copy_of_course(tmp_path_factory.mktemp("course"))
    done = manyheads("grade", "--jobs", "2", course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(course.var / "sample-class" / "grades.csv", encoding="utf-8-sig") as file:
        marks = {row["student"]: row for row in csv.DictReader(file)}
    return course, done, marks


def full_marks():
    return sum(exercise.points for exercise in of_chapter(ASSIGNMENT))


def test_a_dozen_and_more(graded):
    assert len(graded[2]) >= 12


@pytest.mark.parametrize("student", ["right", "noisy", "other-way-1", "other-way-2", "other-way-3"])
def test_right_answers_get_everything(graded, student):
    assert float(graded[2][student]["checks"]) == full_marks()
    assert graded[2][student]["flags"] == ""


def test_the_starter_gets_nothing_and_waits_for_nobody(graded):
    starter = graded[2]["starter"]
    assert (starter["score"], starter["waits_for"], starter["flags"]) == ("0", "", "")


def test_every_mistake_loses_what_its_definition_says(graded):
    exercises = of_chapter(ASSIGNMENT)
    for k in range(sample_class.MOST_MISTAKES):
        lost = sum(e.aspect(name).points for e in exercises for name in e.lost_by(e.mistakes[k]))
        assert float(graded[2][f"mistake-{k + 1}"]["checks"]) == full_marks() - lost


def test_a_crash_keeps_what_was_earned_before_it_and_is_flagged(graded):
    before = of_chapter(ASSIGNMENT)[: len(of_chapter(ASSIGNMENT)) // 2]
    crashed = graded[2]["crashed"]
    assert float(crashed["checks"]) == sum(exercise.points for exercise in before)
    assert crashed["flags"] == "the notebook ended its own kernel"


def test_a_corrupt_file_gets_nothing_and_is_flagged(graded):
    corrupt = graded[2]["corrupt"]
    assert corrupt["score"] == "0"
    assert corrupt["flags"].startswith("projections.ipynb is not JSON, or is cut off")


def test_the_gradebook_says_the_same(graded):
    course, _, marks = graded
    with nbgrader_tools.gradebook(nbgrader_tools.config(course.root, class_folder="var/sample-class")) as gradebook:
        scores = {s.student.id: s.score for s in gradebook.assignment_submissions(ASSIGNMENT)}
    assert scores == {student: float(row["score"]) for student, row in marks.items()}


def test_the_terminal_says_who_got_what_and_where_to_look(graded):
    course, done, _ = graded
    assert "19/19" in done.stdout and "crashed *" in done.stdout
    for path in ("summary.html", "grades.csv", "feedback", "gradebook.db"):
        assert str(course.var / "sample-class" / path) in done.stdout
        assert (course.var / "sample-class" / path).exists()


def test_the_summary_counts_each_mistake(graded):
    page = (graded[0].var / "sample-class" / "summary.html").read_text()
    for exercise in of_chapter(ASSIGNMENT):
        for mistake in exercise.mistakes[: sample_class.MOST_MISTAKES]:
            assert f"1 of {len(graded[2])}: {mistake.name}." in page


def test_feedback_names_the_mistake(graded):
    page = (graded[0].var / f"sample-class/feedback/mistake-1/{ASSIGNMENT}/projections.html").read_text()
    assert "You reshaped straight to (batch, n_heads, seq, head_dim)" in page


def test_hidden_inputs_were_used_and_the_seed_is_nowhere_in_what_students_get(graded):
    course, _, _ = graded
    home = course.var / "sample-class"
    executed = nbformat.read(home / f"autograded/right/{ASSIGNMENT}/projections.ipynb", as_version=4)
    records = [
        o.metadata["manyheads"] for c in executed.cells for o in c.get("outputs", []) if "manyheads" in o.metadata
    ]
    assert {record["inputs"] for record in records} == {"visible", "hidden"}
    seed = course.seed()
    for path in [*home.glob("feedback/*/*/*.html"), home / "summary.html", home / "grades.csv"]:
        assert seed not in path.read_text(encoding="utf-8")


def test_grading_again_changes_no_mark_keeps_what_a_person_gave_and_runs_nothing_twice(graded):
    course, _, marks = graded
    config = nbgrader_tools.config(course.root, class_folder="var/sample-class")
    with nbgrader_tools.gradebook(config) as gradebook:
        written = next(
            g
            for n in gradebook.find_submission(ASSIGNMENT, "right").notebooks
            for g in n.grades
            if g.name.startswith("written")
        )
        written.manual_score = 3
        written.needs_manual_grade = False
        gradebook.db.commit()
    executed = course.var / "sample-class" / "autograded" / "right" / ASSIGNMENT / "projections.ipynb"
    time = executed.stat().st_mtime_ns
    submitted = course.var / "sample-class" / "handed-in"
    done = manyheads("grade", str(submitted), "--class-folder", "var/sample-class", "--no-feedback", course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(course.var / "sample-class" / "grades.csv", encoding="utf-8-sig") as file:
        again = {row["student"]: row for row in csv.DictReader(file)}
    assert again["right"]["score"] == str(full_marks() + 3)
    assert again["right"]["waits_for"] == ""
    assert {s: r["checks"] for s, r in again.items()} == {s: r["checks"] for s, r in marks.items()}
    assert executed.stat().st_mtime_ns == time
    one = course.root / "one" / "right" / ASSIGNMENT
    one.mkdir(parents=True)
    shutil.copy(submitted / "right" / ASSIGNMENT / "projections.ipynb", one)
    arguments = ("grade", str(one.parents[1]), "--class-folder", "var/sample-class", "--no-feedback", "--regrade")
    done = manyheads(*arguments, course=course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert executed.stat().st_mtime_ns > time
    with open(course.var / "sample-class" / "grades.csv", encoding="utf-8-sig") as file:
        alone = {row["student"]: row for row in csv.DictReader(file)}
    assert alone.keys() == marks.keys()  # a late hand-in alone does not drop the class from the marks
    assert alone["right"]["score"] == str(full_marks() + 3)
    assert alone["right"]["waits_for"] == "a reader"  # nbgrader asks for a second look after every run
    assert alone["crashed"]["flags"] == marks["crashed"]["flags"]
