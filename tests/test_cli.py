"""The command line: help that a new user understands, one clear line and status 2 for a wrong call."""

import subprocess
import sys
from pathlib import Path

import pytest
from manyheads import __version__

from .helpers import copy_of_course, manyheads, run

COMMANDS = ["build", "release", "grade"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return copy_of_course(tmp_path_factory.mktemp("course"))


def test_both_ways_of_calling_it_do_the_same(course):
    by_name = run(["manyheads", "--help"], course.root)
    by_module = manyheads("--help", course=course)
    assert by_name.returncode == by_module.returncode == 0
    assert by_name.stdout == by_module.stdout
    assert all(command in by_name.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(course, command):
    done = manyheads(command, "--help", course=course)
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: manyheads {command}")
    assert all(line.split("  ")[-1].strip() for line in done.stdout.splitlines() if line.startswith("  -"))


def test_version(course):
    assert manyheads("--version", course=course).stdout.strip() == f"manyheads {__version__}"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["grde"], "no command is called 'grde'; did you mean 'grade'?"),
        (["zzz"], "no command is called 'zzz'; there are: build, release, verify, grade"),
        (["grade", "nowhere"], "nowhere is not a folder; expected nowhere/STUDENT/ASSIGNMENT/*.ipynb"),
        (["grade", "--assignment", "01-projektions"], "'01-projektions'; did you mean '01-projections'?"),
        (["grade", "--jobs", "0"], "argument --jobs: expected a whole number from 1, got '0'"),
        (["grade", "--jobs", "many"], "argument --jobs: expected a whole number from 1, got 'many'"),
        (["grade", "--unknown"], "unrecognized arguments: --unknown"),
        (["grade", "solutions"], "nothing to grade in solutions: expected solutions/STUDENT/ASSIGNMENT/*.ipynb"),
        (["grade", "--class-folder", "/tmp/elsewhere"], "the class folder must be one of its own below"),
        (["release", "99-nothing"], "no assignment is called '99-nothing'"),
        (["--course", "/", "release"], "/ is not inside a course"),
    ],
)  # fmt: skip
def test_a_wrong_call_gets_one_clear_line_and_status_2(course, arguments, said):
    done = manyheads(*arguments, course=course)
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith(("Warning:", "left out:"))]
    assert done.returncode == 2, done.stderr
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("manyheads") and said in lines[0]
    assert not any((course.root / "var" / name).exists() for name in ("class", "sample-class"))


def test_a_missing_extra_says_what_to_install(course):
    code = "import sys; sys.modules['rich'] = None; from manyheads.cli import main; sys.exit(main(['release']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=course.root, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        'manyheads: this command needs rich; install it in the folder of the course: pip install ".[grade]"'
    )


def test_a_defect_of_ours_is_not_hidden(monkeypatch):
    from manyheads import cli

    monkeypatch.setattr(cli, "_release", lambda parsed: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["release"])


def test_it_works_from_any_folder_of_the_course(course):
    done = run([sys.executable, "-m", "manyheads", "release", "--check", "--files-only"], course.root / "exercises")
    assert done.returncode == 0, done.stderr
    assert f"exercises/ is what solutions/ give ({', '.join(course.assignments())})." in done.stdout


def test_the_seed_is_made_once_readable_by_its_owner_alone(course):
    seed = course.seed()
    assert len(seed) == 32 and course.seed() == seed
    assert (course.var / "course-seed").stat().st_mode & 0o077 == 0


def test_the_seed_is_not_committed():
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(["git", "check-ignore", "var/course-seed"], cwd=root, capture_output=True, text=True)
    assert done.stdout.strip() == "var/course-seed"
