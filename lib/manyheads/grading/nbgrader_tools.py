"""nbgrader's own converters and gradebook, called from Python: one configuration, no log on the terminal."""

import copy
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path

COURSE_ID = "many-heads"


class NbgraderError(Exception):
    """nbgrader refused; one line that says what."""

    exit_status = 1


def config(root: Path, source="var/source", release="exercises", class_folder="var/class", submitted="submitted"):
    """The configuration of a course: where its folders are, below `root`.

    Parameters
    ----------
    root : Path
        The course folder.
    source, release, class_folder : str
        Folders below it. The submissions, autograded, feedback and gradebook.db are in the class's.
    submitted : str
        The folder with the submissions.

    Returns
    -------
    traitlets.config.Config
    """
    from traitlets.config import Config

    found = Config()
    found.CourseDirectory.root = str(root)
    found.CourseDirectory.course_id = COURSE_ID
    found.CourseDirectory.source_directory = source
    found.CourseDirectory.release_directory = release
    found.CourseDirectory.submitted_directory = f"{class_folder}/{submitted}"
    found.CourseDirectory.autograded_directory = f"{class_folder}/autograded"
    found.CourseDirectory.feedback_directory = f"{class_folder}/feedback"
    found.CourseDirectory.db_url = f"sqlite:///{root / class_folder / 'gradebook.db'}"
    (root / class_folder).mkdir(parents=True, exist_ok=True)
    # nbgrader calls a bare `alembic`, which is beside this Python and need not be on the PATH.
    here = str(Path(sys.executable).parent)
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = f"{here}{os.pathsep}{os.environ.get('PATH', '')}"
    return found


def generate(config, assignment: str, database: bool = True) -> None:
    """`nbgrader generate_assignment`; without the database it writes the release only."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import SaveCells

    converter = _converter(GenerateAssignment, config, assignment)
    converter.force = True
    if not database:
        converter.no_database = True
        converter.preprocessors = [p for p in converter.preprocessors if p is not SaveCells]
    _start(converter, f"release {assignment}")


def autograde(config, assignment: str, student: str, execute: type) -> None:
    """`nbgrader autograde` for one submission, with `execute` in the place of its Execute preprocessor."""
    from nbgrader.converters import Autograde
    from nbgrader.preprocessors import Execute

    with tempfile.TemporaryDirectory(prefix="mh-") as sockets:
        if os.name == "posix":  # sockets in a folder of ours, instead of ports that anyone on the machine can reach
            config = copy.deepcopy(config)
            config.KernelManager.transport, config.KernelManager.ip = "ipc", f"{sockets}/k"
        converter = _converter(Autograde, config, assignment, student)
        converter.force = True  # else an unchanged timestamp would keep the old result
        converter.autograde_preprocessors = [execute if p is Execute else p for p in converter.autograde_preprocessors]
        _start(converter, f"grade {student}'s {assignment}")


def feedback(config, assignment: str, student: str) -> None:
    """`nbgrader generate_feedback` for one submission, with what the student wrote sanitized."""
    from nbgrader.converters import GenerateFeedback

    from manyheads.grading.sanitize import SanitizeFeedback

    converter = _converter(GenerateFeedback, config, assignment, student)
    converter.preprocessors = [SanitizeFeedback, *converter.preprocessors]
    converter.force = True
    _start(converter, f"write the feedback on {student}'s {assignment}")


def gradebook(config):
    """The open gradebook; a context manager."""
    from nbgrader.api import Gradebook

    _hush_sqlalchemy()
    return Gradebook(config.CourseDirectory.db_url, config.CourseDirectory.course_id)


def _converter(kind: type, config, assignment: str, student: str = "*"):
    from nbgrader.coursedir import CourseDirectory

    _hush_sqlalchemy()
    config = copy.deepcopy(config)
    config.CourseDirectory.assignment_id = assignment
    config.CourseDirectory.student_id = student
    converter = kind(coursedir=CourseDirectory(config=config), config=config)
    log = logging.getLogger("manyheads.nbgrader")
    log.propagate = False
    if not log.handlers:
        log.addHandler(_LastError())
    converter.log = log
    return converter


def _hush_sqlalchemy() -> None:
    """nbgrader 0.9.6 makes SQLAlchemy 2 warn about the order of its own calls; nothing is wrong."""
    from sqlalchemy.exc import SAWarning

    warnings.filterwarnings("ignore", category=SAWarning)


class _LastError(logging.Handler):
    """nbgrader logs why something failed and raises without saying it; this keeps the first reason."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.reason = ""

    def emit(self, record):
        text = record.getMessage().strip()
        if "Traceback" in text:
            text = text.splitlines()[-1]
            self.reason = text
        self.reason = self.reason or text


def _start(converter, what: str) -> None:
    handler = converter.log.handlers[0]
    handler.reason = ""
    try:
        converter.start()
    except Exception as error:
        reason = handler.reason or str(error) or type(error).__name__
        raise NbgraderError(f"nbgrader could not {what}: {' '.join(reason.split())[:300]}") from error
    except SystemExit:  # nbgrader's way of ending its command line
        raise NbgraderError(f"nbgrader could not {what}: {handler.reason}") from None
