"""Grading a class of this course: sources built, submissions graded, marks and summary written."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat

from manyheads.authoring import files, release, sample_class
from manyheads.authoring.course import UNUSABLE, Course, WrongFolderError
from manyheads.grading import batch, summary, tally
from manyheads.grading.results import Result

CLASS = "var/class"
SAMPLE_CLASS = "var/sample-class"
_MARK = ".sample-class"  # a folder with this file may be emptied


@dataclass(frozen=True)
class Graded:
    """What came of grading a class, and where it is."""

    results: list[Result]
    marks: Path
    summary: Path
    feedback: Path
    gradebook: Path


def grade(
    course: Course,
    submitted: Path | None,
    assignments: list[str],
    options: batch.Options,
    class_folder: str | None = None,
    progress=lambda done, of, what: None,
) -> Graded:
    """Grade a class, or the sample class where `submitted` is None.

    The class folder must be inside the course, because nbgrader's own configuration looks for it there.
    """
    folders = batch.ClassFolders(course.root, class_folder=folder_of(course, submitted, class_folder))
    for name in assignments:
        files.replace_tree(course.source / name, release.build_source(course, name))
    if submitted is None:
        _clear(folders.home)
        submitted = folders.home / "handed-in"
        for name in assignments:
            write_sample(course, name, submitted)
    results = batch.grade(folders, submitted, course.seed(), assignments, options, progress)
    graded = Graded(
        results,
        marks=folders.home / "grades.csv",
        summary=folders.home / "summary.html",
        feedback=folders.home / "feedback",
        gradebook=folders.home / "gradebook.db",
    )
    files.write(graded.marks, tally.as_csv(results).encode("utf-8-sig"))  # so that spreadsheets read names rightly
    files.write(graded.summary, summary.page(results, graded.feedback, folders.home).encode())
    return graded


def folder_of(course: Course, submitted: Path | None, class_folder: str | None) -> str:
    """The class folder, seen from the course; refused where nbgrader could not use it, or where it would do harm."""
    folder = (course.root / (class_folder or (SAMPLE_CLASS if submitted is None else CLASS))).resolve()
    var = course.var.resolve()
    if not folder.is_relative_to(var) or folder in (var, var / "source", var / "release"):
        raise WrongFolderError(f"the class folder must be one of its own below {var}, got {folder}")
    if folder.exists() and not folder.is_dir():
        raise WrongFolderError(f"the class folder is a file: {folder}")
    if any(character in folder.name for character in UNUSABLE):
        raise WrongFolderError(f"nbgrader cannot use a folder with one of {' '.join(UNUSABLE)} in its name: {folder}")
    if submitted is None and folder.exists() and any(folder.iterdir()) and not (folder / _MARK).exists():
        raise WrongFolderError(f"{folder} holds a class; to grade it, name the folder with its submissions")
    if submitted is not None and submitted.resolve() in (folder, folder / "staged", folder / "autograded"):
        raise WrongFolderError(f"{submitted} is where results go; name the folder with the submissions")
    return folder.relative_to(course.root.resolve()).as_posix()


def _clear(folder: Path) -> None:
    """Empty the sample class's folder: it is made anew, so the old one would only confuse."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / _MARK).touch()


def write_sample(course: Course, assignment: str, folder: Path) -> None:
    """Write the sample class's hand-ins of one assignment; its source must have been built."""
    released = release.build_release(course, assignment)
    for source in sorted((course.source / assignment).glob("*.ipynb")):
        sample_class.write(
            folder,
            assignment,
            source.name,
            nbformat.read(source, as_version=4),
            nbformat.reads(released[source.name].decode(), as_version=4),
        )
