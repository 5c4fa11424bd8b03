"""Grading a class: every submission by itself, several at a time, one at a time at the gradebook."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat

from manyheads.grading import nbgrader_tools, records, results, seeds, submissions, versions
from manyheads.grading.execute import SurvivingExecute
from manyheads.studies.availability import SKIP


@dataclass(frozen=True)
class ClassFolders:
    """Where one class is graded."""

    root: Path  #: the course: holds the source notebooks
    source: str = "var/source"
    release: str = "var/release"  #: where nbgrader puts what it would release; `exercises` is not touched
    class_folder: str = "var/class"

    @property
    def home(self) -> Path:
        """The class's folder: submissions, executed notebooks, feedback, gradebook, marks."""
        return self.root / self.class_folder

    def config(self, submitted: str = "submitted"):
        """nbgrader's configuration for these folders."""
        return nbgrader_tools.config(self.root, self.source, self.release, self.class_folder, submitted)


@dataclass(frozen=True)
class Options:
    """How a class is graded."""

    jobs: int = 1  #: submissions graded at the same time
    with_feedback: bool = True  #: write nbgrader's HTML feedback too
    regrade: bool = False  #: run unchanged hand-ins too


def grade(
    folders: ClassFolders,
    submitted: Path,
    seed: str,
    assignments: list[str],
    options: Options,
    progress: Callable[[int, int, str], None] = lambda done, of, what: None,
) -> list[results.Result]:
    """Grade every submission of some assignments; one that cannot be graded gets 0 and a flag, and the rest go on.

    A hand-in that has not changed since it was graded is not run again: its marks, those by hand among them, stand.

    Parameters
    ----------
    folders : ClassFolders
    submitted : Path
        ``submitted/STUDENT/ASSIGNMENT/*.ipynb``; only read.
    seed : str
        The course's secret: hidden inputs are drawn from it.
    assignments : list of str
        Each with its notebook in the source folder.
    options : Options
    progress : callable
        Told how many are done, of how many, and what was done last.

    Returns
    -------
    list of Result
        Of the whole class, as the gradebook has it: earlier hand-ins too. By assignment, then student.
    """
    handed_in = submissions.find(submitted, assignments)
    config = folders.config()
    for name in dict.fromkeys(one.assignment for one in handed_in):
        nbgrader_tools.generate(config, name)
    # A hand-in stays as it came in submitted/, where formgrader looks; what is graded is the mended copy in staged/.
    kept = None if submitted.resolve() == (folders.home / "submitted").resolve() else folders.home / "submitted"
    for one in handed_in:
        released = _released(folders, one.assignment)
        submissions.take_in(one, released, folders.home / "staged", kept)
        one.unchanged = not options.regrade and _as_last_time(folders, one, released, seed)
    for done, submission in enumerate(_each_done(folders, handed_in, seed, options), start=1):
        records.write(folders.home, submission.student, submission.assignment, submission.key, submission.flags)
        progress(done, len(handed_in), f"{submission.student}, {submission.assignment}")
    with nbgrader_tools.gradebook(config) as gradebook:
        everyone = [(str(s.student.id), str(a.name)) for a in gradebook.assignments for s in a.submissions]
        found = [results.read(gradebook, folders.home, *who, records.read(folders.home, *who)[1]) for who in everyone]
    return sorted(found, key=lambda result: (result.assignment, result.student))


def _as_last_time(folders: ClassFolders, submission, released: dict, seed: str) -> bool:
    """Whether there is a result of this very hand-in; its flags are taken over."""
    texts = {name: nbformat.writes(notebook) for name, notebook in released.items()}
    submission.key = records.key(submission.data, texts, seed)
    submission.data = b""  # it need not travel to the workers
    last, flags = records.read(folders.home, submission.student, submission.assignment)
    executed = folders.home / "autograded" / submission.student / submission.assignment
    unchanged = last == submission.key and executed.exists() and bool(submission.notebooks)
    if unchanged:
        submission.flags = flags
    return unchanged


def _each_done(folders, handed_in, seed, options: Options) -> Iterator[submissions.Submission]:
    """Every submission, graded. One that kills the process that grades it is found and gets 0."""
    waiting = list(handed_in)
    for one in _through_a_pool(folders, waiting, seed, options):
        waiting.remove(one)
        yield one
    for submission in list(waiting):  # a worker died, and those after it were not reached: one at a time now
        done = list(_through_a_pool(folders, [submission], seed, replace(options, jobs=1)))
        if not done:
            submission.flags.append("its notebook killed the process that graded it; it got 0")
            with nbgrader_tools.gradebook(folders.config()) as gradebook:
                results.zero(gradebook, folders.home, submission.student, submission.assignment)
        yield submission


def _through_a_pool(folders, waiting, seed, options: Options) -> Iterator[submissions.Submission]:
    # Fresh processes: a fork of a process with threads (an IDE, a test runner) may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, context, _start, (context.Lock(), seed)) as pool:
        futures = {pool.submit(_grade_one, folders, one, options.with_feedback): one for one in waiting}
        for future in as_completed(futures):
            try:
                graded = future.result()
            except BrokenProcessPool:
                continue
            one = futures[future]
            one.notebooks, one.flags = graded.notebooks, graded.flags
            yield one


def _start(lock, seed: str) -> None:
    """Set up a worker: the seed for its kernels, and the gradebook's lock, held except while a notebook runs."""
    os.environ[seeds.COURSE_SEED], os.environ[SKIP] = seed, "grading"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"  # the submissions already share the cores
    global _gradebook
    _gradebook = lock
    SurvivingExecute.before, SurvivingExecute.after = staticmethod(lock.release), staticmethod(lock.acquire)


_gradebook = None


def _grade_one(folders: ClassFolders, submission: submissions.Submission, with_feedback: bool):
    assert _gradebook is not None  # set by _start
    config = folders.config("staged")
    os.environ[versions.RELEASED_WITH] = json.dumps(submission.versions)  # for its kernel
    with _gradebook:
        try:
            if submission.unchanged:
                pass
            elif submission.notebooks:
                nbgrader_tools.autograde(config, submission.assignment, submission.student, SurvivingExecute)
            else:
                submission.flags.append("nothing could be graded, so it got 0")
        except Exception as error:  # whatever one hand-in does must not stop the class
            submission.flags.append(f"{error or type(error).__name__}; it got 0")
            submission.notebooks.clear()
        if not submission.notebooks:
            with nbgrader_tools.gradebook(config) as gradebook:
                results.zero(gradebook, folders.home, submission.student, submission.assignment)
        elif with_feedback:
            try:
                nbgrader_tools.feedback(config, submission.assignment, submission.student)
            except Exception as error:
                submission.flags.append(f"there is no feedback: {error}")
    return submission


def _released(folders: ClassFolders, assignment: str) -> dict:
    """The notebooks of an assignment as nbgrader has just released them, by name."""
    released = sorted((folders.root / folders.release / assignment).glob("*.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in released}
