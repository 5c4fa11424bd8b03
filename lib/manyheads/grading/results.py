"""Reading results back: marks from the gradebook, verdicts from the executed notebooks."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from manyheads.grading.execute import FLAG


@dataclass
class Result:
    """One submission, graded."""

    student: str
    assignment: str
    cells: dict[str, tuple[float, float]] = field(default_factory=dict)  #: automatic: grade id -> points, most
    written: tuple[float, float] = (0.0, 0.0)  #: points given by hand so far, most
    needs_reading: bool = False  #: a written answer waits for a person
    flags: list[str] = field(default_factory=list)
    verdicts: list[dict] = field(default_factory=list)  #: as `report.as_record` makes them

    @property
    def auto(self) -> float:
        """Points that the checks gave."""
        return sum(points for points, _ in self.cells.values())

    @property
    def most_auto(self) -> float:
        """Points that the checks can give."""
        return sum(most for _, most in self.cells.values())

    @property
    def mistakes(self) -> list[tuple[str, str]]:
        """(exercise, mistake) recognised in this submission, each once."""
        found = ((v["exercise"], v["mistake"]) for v in self.verdicts if v["mistake"])
        return list(dict.fromkeys(found))


def read(gradebook, home: Path, student: str, assignment: str, flags: list[str]) -> Result:
    """The result of one submission from an open gradebook and the class folder `home`."""
    result = Result(student, assignment, flags=list(flags))
    submission = gradebook.find_submission(assignment, student)
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            if grade.cell.cell_type == "code":
                result.cells[grade.name] = (grade.score, grade.max_score)
            else:
                result.written = (result.written[0] + grade.score, result.written[1] + grade.max_score)
                result.needs_reading |= bool(grade.needs_manual_grade)
        path = home / "autograded" / student / assignment / f"{notebook.name}.ipynb"
        if path.exists():
            executed = nbformat.read(path, as_version=4)
            if FLAG in executed.metadata:
                result.flags.append(str(executed.metadata[FLAG]))
            result.verdicts += _verdicts(executed)
    return result


def _verdicts(executed) -> list[dict]:
    outputs = (output for cell in executed.cells for output in cell.get("outputs", []))
    records = (output.get("metadata", {}).get("manyheads") for output in outputs)
    wanted = {"exercise": str, "aspect": str, "right": bool, "unwritten": bool}
    return [
        dict(record)
        for record in records
        if isinstance(record, dict)
        and all(isinstance(record.get(key), kind) for key, kind in wanted.items())
        and isinstance(record.get("mistake"), (str, type(None)))
    ]


def zero(gradebook, home: Path, student: str, assignment: str) -> None:
    """Give 0 for everything that a check grades: the submission could not be graded.

    Marks by hand stay. What an earlier hand-in of the student left in the class folder `home` is removed, so that it
    is not taken for this one.
    """
    for step in ("autograded", "feedback"):
        shutil.rmtree(home / step / student / assignment, ignore_errors=True)
    gradebook.update_or_create_student(student)
    submission = gradebook.update_or_create_submission(assignment, student)
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            grade.auto_score = 0
            grade.needs_manual_grade = False
    gradebook.db.commit()
