"""Stock nbgrader on the same course: the same marks, and formgrader finds its gradebook."""

import json
import shutil

import pytest
from manyheads.authoring import class_run, release
from manyheads.grading import batch, nbgrader_tools

from ..helpers import copy_of_course, run

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course in which stock nbgrader has graded three students from the sample class."""
    course = copy_of_course(tmp_path_factory.mktemp("stock"))
    release.release(course, [ASSIGNMENT])
    handed_in = course.root / "handed-in"
    class_run.write_sample(course, ASSIGNMENT, handed_in)
    for student in ("right", "mistake-4", "starter"):
        shutil.copytree(handed_in / student, course.root / "var" / "class" / "submitted" / student)
    for command in (["generate_assignment", ASSIGNMENT, "--force"], ["autograde", ASSIGNMENT]):
        done = run(["nbgrader", *command], course.root)
        assert done.returncode == 0, done.stderr
    return course


def marks(course, class_folder="var/class"):
    with nbgrader_tools.gradebook(nbgrader_tools.config(course.root, class_folder=class_folder)) as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions(ASSIGNMENT)}


def test_stock_autograde_gives_the_marks_that_manyheads_grade_gives(course):
    submitted = course.root / "var" / "class" / "submitted"
    stock = marks(course)
    graded = class_run.grade(course, submitted, [ASSIGNMENT], batch.Options(with_feedback=False), "var/ours")
    assert stock == {result.student: result.auto for result in graded.results}
    assert stock["right"] > stock["mistake-4"] > stock["starter"] == 0


def test_formgrader_serves_this_gradebook(course):
    """The server extension's own manager, configured as `jupyter lab` in this folder would be."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    config = nbgrader_tools.config(course.root)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    (assignment,) = [a for a in api.get_assignments() if a["name"] == ASSIGNMENT]
    assert assignment["num_submissions"] == 3
    assert assignment["release_path"] is not None and assignment["source_path"] is not None
    assert json.dumps(sorted(s["student"] for s in api.get_submissions(ASSIGNMENT) if s["autograded"])) == (
        '["mistake-4", "right", "starter"]'
    )
