"""Grading a class of this course: sources built, submissions graded, marks and summary written."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat

from manyheads.authoring import files, release, sample_class
from manyheads.authoring.course import Course, WrongFolderError
from manyheads.grading import batch, summary, tally
from manyheads.grading.results import Result

CLASS = "var/class"
SAMPLE_CLASS = "var/sample-class"


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
    jobs: int,
    class_folder: str | None = None,
    with_feedback: bool = True,
    progress=lambda done, of, what: None,
) -> Graded:
    """Grade a class, or the sample class where `submitted` is None.

    The class folder must be inside the course, because nbgrader's own configuration looks for it there.
    """
    folders = batch.ClassFolders(course.root, class_folder=folder_of(course, submitted, class_folder))
    for name in assignments:
        files.replace_tree(course.source / name, release.build_source(course, name))
    if submitted is None:
        shutil.rmtree(folders.home, ignore_errors=True)  # it is made anew, so the old one would only confuse
        submitted = folders.home / "handed-in"
        for name in assignments:
            write_sample(course, name, submitted)
    results = batch.grade(folders, submitted, course.seed(), assignments, jobs, with_feedback, progress)
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
    """The class folder, from the course; refused where nbgrader could not find it."""
    if class_folder is None:
        return SAMPLE_CLASS if submitted is None else CLASS
    folder = (course.root / class_folder).resolve()
    if not folder.is_relative_to(course.var):
        raise WrongFolderError(f"the class folder must be below {course.var}, got {folder}")
    return folder.relative_to(course.root).as_posix()


def write_sample(course: Course, assignment: str, folder: Path) -> None:
    """Write the sample class's hand-ins of one assignment; its source must have been built."""
    released = release.build_release(course, assignment)
    for source in sorted((course.source / assignment).glob("*.ipynb")):
        sample_class.write(
            folder,
            assignment,
            nbformat.read(source, as_version=4),
            nbformat.reads(released[source.name].decode(), as_version=4),
        )
