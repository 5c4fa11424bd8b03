"""Which assignments this machine can grade: kernels need a C++ compiler, Triton, and compilers for a GPU."""

from manyheads.authoring.course import CourseError
from manyheads.exercises import of_chapter
from manyheads.kernels.handed_in import missing


def left_out(assignments: list[str]) -> dict[str, str]:
    """Assignment -> what is missing for it here, with the remedy; empty where everything can be graded."""
    lacking = {}
    for assignment in assignments:
        languages = {exercise.kernel.language for exercise in of_chapter(assignment) if exercise.kernel}
        reasons = [reason for language in sorted(languages) for reason in [missing(language)] if reason]
        if reasons:
            lacking[assignment] = "; ".join(dict.fromkeys(reasons))
    return lacking


def require(assignments: list[str]) -> None:
    """Refuse to grade a class where correct answers could not be told from wrong ones.

    Raises
    ------
    CourseError
        Before anything is run.
    """
    for assignment, reason in left_out(assignments).items():
        raise CourseError(
            f"{assignment} cannot be graded on this machine: {reason}. Install that, or name the other assignments "
            "with --assignment"
        )
