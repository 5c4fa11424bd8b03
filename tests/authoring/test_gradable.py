"""What a machine lacks is told before a class is graded, not found in its marks."""

import pytest
from manyheads.authoring import console, gradable
from manyheads.authoring.course import CourseError
from manyheads.grading import batch


def lacks_a_compiler(language):
    return "there is no C++ compiler: apt-get install g++" if language == "cuda" else None


def test_an_assignment_with_kernels_needs_what_builds_them(monkeypatch):
    monkeypatch.setattr(gradable, "missing", lacks_a_compiler)
    assert gradable.left_out(["07-tiles", "08-kernels"]) == {"08-kernels": lacks_a_compiler("cuda")}
    gradable.require(["07-tiles"])
    with pytest.raises(
        CourseError, match=r"08-kernels cannot be graded .* apt-get install g\+\+\. Install that, or name"
    ):
        gradable.require(["07-tiles", "08-kernels"])


def test_a_class_is_refused_before_anything_runs(monkeypatch, course, tmp_path):
    monkeypatch.setattr(gradable, "missing", lacks_a_compiler)
    monkeypatch.setattr(console.class_run, "grade", lambda *_: pytest.fail("something was graded"))
    with pytest.raises(CourseError, match="08-kernels cannot be graded"):
        console.grade(course, tmp_path, ["08-kernels"], batch.Options(), None)


def test_the_sample_class_goes_on_without_it_and_says_so(monkeypatch, course, capsys):
    monkeypatch.setattr(gradable, "missing", lacks_a_compiler)
    graded = []

    def stop(course, submitted, assignments, *_):
        graded.extend(assignments)
        raise KeyboardInterrupt

    monkeypatch.setattr(console.class_run, "grade", stop)
    with pytest.raises(KeyboardInterrupt):
        console.grade(course, None, ["07-tiles", "08-kernels"], batch.Options(), "var/never-made")
    assert graded == ["07-tiles"]
    assert "left out: 08-kernels: there is no C++ compiler" in capsys.readouterr().err
