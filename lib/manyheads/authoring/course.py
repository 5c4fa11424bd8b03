"""The course folder: where things are, and the seed that is made on first use."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from manyheads.exercises.registry import UnknownName

#: A folder with both is a course.
_MARKS = ("nbgrader_config.py", "solutions")

#: Characters that mean something else in nbgrader's patterns and addresses.
UNUSABLE = "*?[]%"


class CourseError(Exception):
    """Something about the course folder or its files is not as it must be; one line that says what to do."""

    exit_status = 1


class WrongFolderError(CourseError):
    """A folder was named, or stood in, that cannot be meant."""

    exit_status = 2


@dataclass(frozen=True)
class Course:
    """The folder that holds solutions/, exercises/, book/ and var/."""

    root: Path

    @property
    def solutions(self) -> Path:
        """Authored notebooks, as text."""
        return self.root / "solutions"

    @property
    def exercises(self) -> Path:
        """Released notebooks, generated and committed."""
        return self.root / "exercises"

    @property
    def var(self) -> Path:
        """Everything else that is generated; never committed."""
        return self.root / "var"

    @property
    def source(self) -> Path:
        """Notebooks with solutions, built from `solutions`: nbgrader's source directory."""
        return self.var / "source"

    @property
    def book(self) -> Path:
        """The built book's first page."""
        return self.root / "_build" / "html" / "index.html"

    def assignments(self) -> list[str]:
        """The names of all assignments, in order."""
        return sorted({path.parent.name for path in self.solutions.glob("*/*.py")})

    def assignment(self, name: str) -> str:
        """`name`, if there is such an assignment."""
        if name not in self.assignments():
            raise UnknownName("assignment", name, self.assignments())
        return name

    def seed(self) -> str:
        """The course's secret seed of hidden inputs, made on first use under var/."""
        path = self.var / "course-seed"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(secrets.token_hex(16) + "\n")
        return path.read_text(encoding="utf-8").strip()


def find(start: Path | None = None) -> Course:
    """The course that holds `start` (default: the working directory)."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if all((folder / mark).exists() for mark in _MARKS):
            if any(character in str(folder) for character in UNUSABLE):
                raise WrongFolderError(
                    f"nbgrader cannot work below a folder with one of {' '.join(UNUSABLE)}: {folder}"
                )
            return Course(folder)
    raise WrongFolderError(
        f"{start} is not inside a course: no folder above it has {' and '.join(_MARKS)}; "
        "go to the folder with the course, or name it with --course"
    )
