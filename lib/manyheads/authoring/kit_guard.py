"""Nothing that students get may give an answer away: looked for in every file before it is packed."""

import io
import re
import zipfile

import nbformat

from manyheads.authoring.course import CourseError

_ANSWER = re.compile(r"^[ \t]*### BEGIN SOLUTION\n(.*?)^[ \t]*### END SOLUTION", re.M | re.S)
_MARKS = ("### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS")

#: All that a wheel of the library holds.
_IN_WHEEL = re.compile(r"manyheads/|manyheads-[^/]+\.dist-info/")

#: These hold the model answer on purpose: a kernel's known mistakes are changes of it, and `check` runs them to name
#: what went wrong.
_MODEL_KERNEL = re.compile(r"manyheads/exercises/\w+/(?:cuda|triton)_\w+_answers\.py")


def answers(source: dict[str, bytes]) -> list[str]:
    """Every model answer and every rubric in the files of an assignment's source, one text each."""
    found = []
    for name, data in source.items():
        if name.endswith(".ipynb"):
            for cell in nbformat.reads(data.decode(), as_version=4).cells:
                found += [_bare(answer) for answer in _ANSWER.findall(cell.source)]
    return [answer for answer in found if answer]


def require_no_answer(packed: dict[str, bytes], answers: list[str]) -> None:
    """Refuse the first file that holds an answer, or what marks one.

    The library computes what the notebooks ask, and a student may read it: so of the wheel only answers of more
    than one line are asked, which nobody writes twice by chance.

    Raises
    ------
    CourseError
    """
    long = [answer for answer in answers if "\n" in answer]
    for name, data in packed.items():
        if not name.endswith(".whl"):
            _require(name, data, _MARKS, answers)
            continue
        with zipfile.ZipFile(io.BytesIO(data)) as wheel:
            for member in wheel.namelist():
                if not _IN_WHEEL.match(member):
                    raise CourseError(f"{name} holds {member}, which is not of the library; nothing was packed")
                # The library's own code names the marks; an answer has them on lines of their own.
                marks = [f"\n{mark}\n" for mark in _MARKS]
                _require(f"{name}, {member}", wheel.read(member), marks, [] if _MODEL_KERNEL.match(member) else long)


def _require(name: str, data: bytes, marks, answers: list[str]) -> None:
    cells = [data.decode("utf-8", errors="replace")]
    if name.endswith(".ipynb"):
        cells = [cell.source for cell in nbformat.reads(cells[0], as_version=4).cells]
    for text in cells:
        bare = f"\n{_bare(text)}\n"
        for mark in marks:
            if mark in bare:
                raise CourseError(f"{name} holds {mark.strip()!r}; nothing was packed")
        for answer in answers:
            if f"\n{answer}\n" in bare:
                raise CourseError(f"{name} holds the answer {answer.splitlines()[0]!r} …; nothing was packed")


def _bare(text: str) -> str:
    """The lines that say something, without their indentation."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())
