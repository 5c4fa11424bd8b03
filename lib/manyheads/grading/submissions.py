"""Taking in what students hand in: found, read, mended and copied. Nothing of theirs is changed, no link followed."""

import json
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.validator import normalize

from manyheads.exercises import UnknownName
from manyheads.grading import versions
from manyheads.grading.repair import repair

_MOST_BYTES = 20 << 20


@dataclass
class Submission:
    """One student's hand-in of one assignment."""

    student: str
    assignment: str
    folder: Path
    notebooks: list[str] = field(default_factory=list)  #: names of those that can be graded
    data: bytes = b""  #: of its files, as they came
    key: str = ""  #: what its result depends on
    versions: dict[str, int] = field(default_factory=dict)  #: of exercises that were mended since its release
    unchanged: bool = False  #: since it was graded the last time
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
    for student in _entries(submitted):
        if not student.is_dir():
            lines.append(f"{_name(student)}: a file, where a folder for each student is expected")
            continue
        for path in _entries(student):
            if not path.is_dir():
                lines.append(f"{_name(student)}/{_name(path)}: a file, where a folder for each assignment is expected")
            elif path.name not in known:
                lines.append(f"{_name(student)}: {UnknownName('assignment', _name(path), known)}")
    return lines


def find(submitted: Path, assignments: list[str]) -> list[Submission]:
    """The submissions in ``submitted/STUDENT/ASSIGNMENT``, by student.

    Raises
    ------
    SubmittedFolderError
        If there is no such folder, or nothing in it has this form.
    """
    require_folder(submitted)
    found = [
        Submission(_name(student), path.name, path)
        for student in _entries(submitted)
        if student.is_dir()
        for path in _entries(student)
        if path.name in assignments and path.is_dir()
    ]
    if not found:
        raise SubmittedFolderError(
            f"nothing to grade in {submitted}: expected {submitted.name}/STUDENT/ASSIGNMENT/*.ipynb with ASSIGNMENT "
            f"one of {', '.join(assignments)}"
        )
    return found


def take_in(submission: Submission, released: dict, staged: Path, kept: Path | None) -> None:
    """Write a submission's notebooks, mended, to ``staged/STUDENT/ASSIGNMENT``; the rest becomes flags.

    Parameters
    ----------
    submission : Submission
        Its `notebooks` and `flags` are filled in.
    released : dict of str to notebook
        The assignment's notebooks as students got them, by name without .ipynb.
    staged : Path
        Where the mended copies go.
    kept : Path, optional
        Where a copy of the file as it came is kept, in the same form.
    """
    folder = submission.folder
    problem = _name_problem(submission.student)
    if folder.is_symlink() or folder.parent.is_symlink():
        problem = "the folder is a symbolic link; it was not followed"
    if problem:
        submission.flags.append(problem)
        return
    target = Path(submission.student, submission.assignment)
    for name, original in released.items():
        (staged / target / f"{name}.ipynb").unlink(missing_ok=True)  # an earlier one must not stand in for this
        file = _matching(name, list(released), submission)
        data = _bytes(file, submission) if file is not None else None
        if file is None or data is None:
            continue
        submission.data += data
        if kept is not None:
            (kept / target).mkdir(parents=True, exist_ok=True)
            (kept / target / f"{name}.ipynb").write_bytes(data)
        notebook = _notebook(data, file.name, submission)
        if notebook is not None:
            earlier, told = versions.of_notebook(notebook.metadata)
            submission.versions |= earlier
            submission.flags += told + repair(notebook, original, versions.cells_that_came_later(earlier))
            (staged / target).mkdir(parents=True, exist_ok=True)
            (staged / target / f"{name}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
            submission.notebooks.append(name)


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _name(path: Path) -> str:
    """A file's name, readable even where it is not UTF-8."""
    return path.name.encode("utf-8", "backslashreplace").decode()


def _name_problem(student: str) -> str | None:
    if any(character in student for character in "*?[]\\"):
        return f"the student id {student!r} has a character that nbgrader cannot take"
    return None


def _matching(name: str, expected: list[str], submission: Submission) -> Path | None:
    files = [path for path in _entries(submission.folder) if path.suffix == ".ipynb"]
    exact = [file for file in files if file.stem == name]
    if exact:
        return exact[0]
    near = [file for file in files if file.stem not in expected and file.stem.startswith(name)] or files
    if len(near) == 1:
        submission.flags.append(f"{_name(near[0])} was taken for {name}.ipynb")
        return near[0]
    submission.flags.append(f"there is no {name}.ipynb")
    return None


def _bytes(file: Path, submission: Submission) -> bytes | None:
    if file.is_symlink():
        submission.flags.append(f"{_name(file)} is a symbolic link; it was not followed")
    elif not file.is_file():  # a pipe would never end
        submission.flags.append(f"{_name(file)} is not a regular file")
    elif file.stat().st_size > _MOST_BYTES:
        submission.flags.append(f"{_name(file)} has more than {_MOST_BYTES >> 20} MB")
    else:
        return file.read_bytes()
    return None


def _notebook(data: bytes, name: str, submission: Submission):
    """The notebook, or None with the reason as a flag."""
    try:
        text = data.decode("utf-8-sig")
        json.loads(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of missing and double cell ids, and mends them
            _, notebook = normalize(nbformat.reads(text, as_version=4))
            nbformat.validate(notebook)
    except UnicodeDecodeError:
        submission.flags.append(f"{name} is not UTF-8 text")
    except json.JSONDecodeError:
        submission.flags.append(f"{name} {'is not JSON, or is cut off' if data.strip() else 'is empty'}")
    except Exception as error:  # whatever nbformat says of it
        submission.flags.append(f"{name} is not a notebook: {' '.join(str(error).split())[:120]}")
    else:
        return notebook
    return None
