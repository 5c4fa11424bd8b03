"""`manyheads verify`: what it shows, when it fails, and what it keeps."""

import dataclasses

import pytest
from manyheads.authoring import in_pyodide, nbgrader_proof, verification, verified
from manyheads.authoring import verification_console as console
from manyheads.authoring.course import CourseError
from manyheads.exercises import NAMES, get
from manyheads.exercises.registry import CHAPTERS
from manyheads.grading.verify import Proof
from manyheads.grading.verify.transcript import transcript

from ..helpers import copy_of_course, manyheads

NAME = "pack-heads"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    return copy_of_course(tmp_path_factory.mktemp("course"))


def test_the_command_prints_a_line_for_each_exercise_and_no_miss(copied):
    done = manyheads("verify", NAME, "--quick", "--jobs", "1", course=copied)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(NAME)]
    numbers = line.split()
    assert numbers[0] == NAME and int(numbers[4]) >= 30 and numbers[-3:-1] == ["-", "-"]
    assert "1 exercises: no miss." in done.stdout


def test_a_solution_that_is_wrong_is_a_miss_and_fails(tmp_path):
    course = copy_of_course(tmp_path)
    text = course.solutions / "01-projections" / "projections.py"
    right = "return np.concatenate(list(w), axis=1)"
    assert right in text.read_text()
    text.write_text(text.read_text().replace(right, "return np.concatenate(list(w), axis=1) * 2"))
    done = manyheads("verify", NAME, "--quick", "--jobs", "1", course=course)
    assert done.returncode == 1
    assert "MISS pack-heads: solution is refused: aspect values, seed 0: every size different" in done.stdout
    assert not list((course.var / "verified").glob("pack-heads-*")), "only what is proved is kept"


def test_a_definition_that_raises_is_a_miss_of_its_own(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(verification, "prove", broken)
    proof = verification._prove(NAME, None, range(1))
    assert proof.misses == ["its definition does not hold together: ZeroDivisionError: by zero"]


def test_an_unknown_name(copied):
    done = manyheads("verify", "pack-head", course=copied)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no exercise or assignment is called 'pack-head'; did you mean 'pack-heads'?" in done.stderr


def untold(done, of, what):
    pass


def test_what_is_proved_is_not_tried_again(copied, monkeypatch):
    tried = []
    monkeypatch.setattr(verification, "ProcessPoolExecutor", lambda **_: InThisProcess(tried))
    tier = verification.Tier(range(1), 1)
    first = verification.here(copied, [NAME], tier, 1, untold)
    second = verification.here(copied, [NAME], tier, 1, untold)
    assert first == second and tried == [NAME]
    deeper = dataclasses.replace(tier, seeds=range(2))
    verification.here(copied, [NAME], deeper, 1, untold)
    assert tried == [NAME, NAME]


class InThisProcess:
    """Stands in for the pool: notes what is tried."""

    def __init__(self, tried):
        self.tried = tried

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, function, name, *arguments):
        from concurrent.futures import Future

        self.tried.append(name)
        future: Future = Future()
        future.set_result(function(name, *arguments))
        return future


def test_the_key_depends_on_the_solution_on_numpy_and_on_the_chapters_own_files(copied, monkeypatch, tmp_path):
    keys = {verified.record(copied, NAME, [NAME], "tier", solution) for solution in ("one", "two")}
    monkeypatch.setattr("numpy.__version__", "1.0")
    keys.add(verified.record(copied, NAME, [NAME], "tier", "one"))
    assert len(keys) == 3
    package = tmp_path / "manyheads"
    monkeypatch.setattr(verified, "_PACKAGE", package)
    found = []
    for file in ("exercises/ch01_projections/pack_heads.py", "grading/verify/proof.py", "reference/heads.py"):
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        for text in ("1", "2"):
            (package / file).write_text(text)
            found.append(verified.record(copied, NAME, [NAME]))
    assert len(set(found)) == 6
    (package / "exercises" / "ch02_heads").mkdir()
    (package / "exercises" / "ch02_heads" / "split_heads.py").write_text("another chapter's")
    assert verified.record(copied, NAME, [NAME]) == found[-1]
    through_notebooks = []
    (package / "authoring").mkdir()
    for file in ("contract.py", "sample_class.py", "in_pyodide.mjs"):
        (package / "authoring" / file).write_text("changes what notebooks and pages do, and no function's grader")
        assert verified.record(copied, NAME, [NAME]) == found[-1]
        through_notebooks.append(verified.record(copied, NAME, [NAME], notebooks=True))
    assert len(set(through_notebooks)) == 3


@pytest.mark.parametrize(("quick", "places"), [(True, []), (False, ["page", "01-projections"])])
def test_the_whole_goes_to_the_page_and_through_nbgrader_too(copied, monkeypatch, quick, places):
    went = []
    monkeypatch.setattr(verification, "here", lambda *_: [Proof(NAME)])
    monkeypatch.setattr(in_pyodide, "differences", lambda *_: (went.append("page"), ("there", ["it differs"]))[1])
    monkeypatch.setattr(nbgrader_proof, "prove", lambda _, name, *__: (went.append(name), ["a wrong mark"])[1])
    assert console.verify(copied, [NAME], jobs=1, quick=quick) == (0 if quick else 1)
    assert went == places


def test_the_whole_proof_leaves_a_record_that_holds_until_something_changes(copied, monkeypatch, capsys):
    went = []
    monkeypatch.setattr(verification, "here", lambda _, names, *__: (went.append("here"), [Proof(n) for n in names])[1])
    monkeypatch.setattr(verification, "in_the_page", lambda *_: ("there", []))
    monkeypatch.setattr(verification, "through_nbgrader", lambda *_: [])
    assert console.verify(copied, [NAME], jobs=1) == 0
    assert not verified.whole(copied).exists(), "a part is not the whole"
    assert console.verify(copied, [], jobs=1, if_changed=True) == 0
    assert list(verified.read(verified.whole(copied))["exercises"]) == list(NAMES)
    assert console.verify(copied, [], jobs=1, if_changed=True) == 0
    assert went == ["here", "here"] and "Nothing has changed" in capsys.readouterr().out
    (text,) = (copied.solutions / "01-projections").glob("*.py")
    text.write_text(text.read_text() + "\n")
    assert console.verify(copied, [], jobs=1, if_changed=True) == 0
    assert len(went) == 3


def test_the_committed_record_says_as_much_as_was_promised(course):
    """Whether it still holds is asked in CI, which proves everything again if it does not."""
    tried = verified.read(verified.whole(course))["exercises"].values()
    assert len(tried) >= 50
    for what, least in (("mistakes", 220), ("right", 150 + 2 * len(tried)), ("mutants", 1500)):
        assert sum(one[what] for one in tried) >= least
    assert all(one["mistakes"] >= 4 and one["right"] >= 5 and one["mutants"] >= 30 for one in tried)


def test_two_transcripts_are_compared_line_by_line():
    here = ["a, values, seed 0, reference: right", "a, values, seed 0, mistake x: wrong (values), x"]
    there = ["a, values, seed 0, reference: right", "a, values, seed 0, mistake x: right", "a, new: right"]
    assert in_pyodide.compare(here, here) == []
    assert in_pyodide.compare(here, there) == [
        "a, values, seed 0, mistake x: here wrong (values), x, in Pyodide right",
        "a, new: here not tried, in Pyodide right",
    ]


def test_the_transcript_says_what_is_said_of_every_known_answer():
    lines = transcript(get(NAME), range(1))
    assert "pack-heads, values, seed 0, reference: right" in lines
    assert "pack-heads, values, seed 0, mistake bare-reshape: wrong (values), bare-reshape" in lines
    assert "pack-heads, values, seed 0, starter: wrong (NotImplementedError), no known mistake" in lines
    assert "pack-heads, values, seed 0, spoiled (zeros): wrong" in lines
    assert len(set(lines)) == len(lines)


def test_a_numpy_wheel_that_is_not_the_named_one_is_refused(course, tmp_path):
    vendor = course.root / "book" / "vendor"
    pyodide = tmp_path / "pyodide"
    pyodide.mkdir()
    (pyodide / "pyodide-lock.json").write_text('{"packages": {"numpy": {"file_name": "w.whl", "sha256": "00"}}}')
    with pytest.raises(CourseError, match=r"w\.whl is missing"):
        in_pyodide.check_wheel(pyodide, vendor)
    (tmp_path / "w.whl").write_bytes(b"other")
    with pytest.raises(CourseError, match=r"has sha256 d9298a10.*; Pyodide's lock file says 00"):
        in_pyodide.check_wheel(pyodide, tmp_path)


def test_python_that_fails_in_pyodide_is_told(course):
    with pytest.raises(CourseError, match=r"Pyodide under Node failed: (.|\n)*ZeroDivisionError"):
        in_pyodide.run(course, "result = 1 / 0")


def test_every_assignment_is_proved_through_nbgrader(course, monkeypatch):
    asked = []
    monkeypatch.setattr(verification, "through_nbgrader", lambda course, name, jobs, told: asked.append(name) or [name])
    assert console._through_nbgrader(course, list(NAMES), 1) == list(CHAPTERS) == asked
