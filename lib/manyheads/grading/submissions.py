"""Taking in what students hand in: found, checked and copied, so that nothing of theirs is changed or followed."""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from manyheads.exercises import UnknownName


@dataclass
class Submission:
    """One student's hand-in of one assignment."""

    student: str
    assignment: str
    notebooks: list[Path] = field(default_factory=list)  #: as staged; empty if nothing could be graded
    flags: list[str] = field(default_factory=list)  #: for the instructor, in plain words


class SubmittedFolderError(Exception):
    """The folder does not hold submissions; one line that says what was expected."""

    exit_status = 2


def require_folder(submitted: Path) -> None:
    """Refuse what is not a folder, before anything else is done."""
    if not submitted.is_dir():
        raise SubmittedFolderError(f"{submitted} is not a folder; expected {submitted.name}/STUDENT/ASSIGNMENT/*.ipynb")


def left_out(submitted: Path, known: list[str]) -> list[str]:
    """What lies in the folder and is no submission of a known assignment: a line for each, with the reason."""
    lines = []
    for student in sorted(path for path in submitted.iterdir() if not path.name.startswith(".")):
        if not student.is_dir():
            lines.append(f"{student.name}: a file, where a folder for each student is expected")
            continue
        for path in sorted(path for path in student.iterdir() if not path.name.startswith(".")):
            if not path.is_dir():
                lines.append(f"{student.name}/{path.name}: a file, where a folder for each assignment is expected")
            elif path.name not in known:
                lines.append(f"{student.name}: {UnknownName('assignment', path.name, known)}")
    return lines


def take_in(submitted: Path, staged: Path, expected: dict[str, list[str]]) -> list[Submission]:
    """Copy ``submitted/STUDENT/ASSIGNMENT/*.ipynb`` to ``staged`` in the form that nbgrader wants.

    Parameters
    ----------
    submitted : Path
        What was handed in.
    staged : Path
        Where the copies go; a student's earlier copy of the same assignment is replaced.
    expected : dict of str to list of str
        The notebooks (without .ipynb) of each assignment that is to be graded.

    Raises
    ------
    SubmittedFolderError
        If there is no such folder, or nothing in it has the expected form.
    """
    require_folder(submitted)
    found = []
    for student in sorted(path for path in submitted.iterdir() if path.is_dir() and not path.name.startswith(".")):
        for assignment in sorted(path for path in student.iterdir() if path.is_dir() and path.name in expected):
            found.append(_one(student, assignment, staged, expected[assignment.name]))
    if not found:
        names = ", ".join(expected)
        raise SubmittedFolderError(
            f"nothing to grade in {submitted}: expected {submitted.name}/STUDENT/ASSIGNMENT/*.ipynb with ASSIGNMENT "
            f"one of {names}"
        )
    return found


def _one(student: Path, assignment: Path, staged: Path, expected: list[str]) -> Submission:
    submission = Submission(student.name, assignment.name)
    if student.is_symlink() or assignment.is_symlink():
        submission.flags.append("the folder is a symbolic link; it was not followed")
        return submission
    if any(character in student.name for character in "*?[]"):
        submission.flags.append(f"the student id {student.name!r} has a character that nbgrader cannot take")
        return submission
    folder = staged / student.name / assignment.name
    shutil.rmtree(folder, ignore_errors=True)
    files = sorted(assignment.glob("*.ipynb"))
    for name in expected:
        file = _matching(name, files, expected, submission)
        if file is not None and _readable(file, submission):
            folder.mkdir(parents=True, exist_ok=True)
            submission.notebooks.append(Path(shutil.copyfile(file, folder / f"{name}.ipynb")))
    return submission


def _matching(name: str, files: list[Path], expected: list[str], submission: Submission) -> Path | None:
    exact = [file for file in files if file.stem == name]
    if exact:
        return exact[0]
    near = [file for file in files if file.stem not in expected and file.stem.startswith(name)] or files
    if len(near) == 1:
        submission.flags.append(f"{near[0].name} was taken for {name}.ipynb")
        return near[0]
    submission.flags.append(f"there is no {name}.ipynb")
    return None


def _readable(file: Path, submission: Submission) -> bool:
    """Whether the file is a notebook; the reason becomes a flag."""
    if file.is_symlink():
        submission.flags.append(f"{file.name} is a symbolic link; it was not followed")
        return False
    try:
        text = file.read_text(encoding="utf-8")
        json.loads(text)
        nbformat.validate(nbformat.reads(text, as_version=4))
    except UnicodeDecodeError:
        submission.flags.append(f"{file.name} is not UTF-8 text")
    except json.JSONDecodeError:
        state = "is not JSON, or is cut off" if text.strip() else "is empty"
        submission.flags.append(f"{file.name} {state}")
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        submission.flags.append(f"{file.name} is not a notebook: {reason}")
    else:
        return True
    return False
