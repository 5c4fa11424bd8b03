"""What students get: one archive with the library as a wheel, the notebooks and a README, and nothing of solutions/."""

import io
import re
import zipfile
from collections.abc import Callable
from importlib.resources import files as resources
from pathlib import Path

import nbformat

from manyheads import __version__
from manyheads.authoring import files, first_cell, kit_guard
from manyheads.authoring.course import Course
from manyheads.authoring.kit_wheel import LICENCES, build_wheel
from manyheads.authoring.release import build_release, build_source
from manyheads.exercises import of_chapter

TOP = "many-heads"
Told = Callable[[int, int, str], None]


def build(course: Course, assignments: list[str], told: Told = lambda done, of, what: None) -> Path:
    """Pack the kit of some assignments into var/kit; the same content gives the same bytes.

    Raises
    ------
    CourseError
        If a notebook or the wheel cannot be built, or if a file would give an answer away.
    """
    told(0, len(assignments) + 1, "the wheel")
    name, wheel = build_wheel(course.root)
    packed, answers, heads = {name: wheel}, [], {}
    for done, assignment in enumerate(assignments, 1):
        told(done, len(assignments) + 1, assignment)
        answers += kit_guard.answers(build_source(course, assignment))
        released = {f"exercises/{assignment}/{file}": data for file, data in build_release(course, assignment).items()}
        packed |= released
        heads |= _heads(assignment, {path: data.decode() for path, data in released.items() if path.endswith(".ipynb")})
    packed["README.md"] = readme(name, heads, first_cell.wheel_setting(course.root)).encode()
    packed |= {licence: (course.root / licence).read_bytes() for licence in LICENCES}
    kit_guard.require_no_answer(packed, answers)
    path = course.var / "kit" / f"{TOP}-{__version__}.zip"
    files.write(path, archive({f"{TOP}/{file}": data for file, data in packed.items()}))
    return path


def _heads(assignment: str, notebooks: dict[str, str]) -> dict[str, str]:
    """The first cells of an assignment's notebooks, in the order in which their exercises are to be done."""
    place = {exercise.name: number for number, exercise in enumerate(of_chapter(assignment))}
    cells = {path: nbformat.reads(text, as_version=4).cells for path, text in notebooks.items()}

    def first(path: str) -> int:
        return min((place[cell.id] for cell in cells[path] if cell.id in place), default=len(place))

    return {path: cells[path][0].source for path in sorted(cells, key=first)}


def readme(wheel: str, heads: dict[str, str], address: str) -> str:
    """The kit's README: how to start with this wheel, and the notebooks as their own first cells describe them."""
    colab = "upload the notebook, and run it."
    if not address.startswith("https://"):
        colab = f"upload the notebook, and put `{wheel}` into the folder that the panel *Files* shows. Then run it."
    lines = ["| notebook | about | minutes | more than NumPy |", "|---|---|---|---|"]
    lines += [f"| `{path}` | {' | '.join(described(head))} |" for path, head in heads.items()]
    text = resources("manyheads.authoring").joinpath("kit_readme.md").read_text("utf-8")
    return text.replace("@WHEEL@", wheel).replace("@COLAB@", colab).replace("@NOTEBOOKS@", "\n".join(lines))


def described(head: str) -> tuple[str, str, str]:
    """(title, minutes, what is needed beside NumPy) of a notebook, as its first cell says it."""
    title = re.search(r"^# (?:\d+ · )?(.+)$", head, re.M)
    minutes = re.search(r"\*\*Time:\*\* about (\d+) minutes", head)
    needs = re.search(r"\*\*You need:\*\* (.+?)\n(?:\*\*|\n)", head, re.S)
    sentences = re.split(r"(?<=\.)\s+", " ".join(needs[1].split())) if needs else []
    more = " ".join(one for one in sentences if _MORE.search(one) and "no torch" not in one.lower())
    return (
        title[1] if title else "",
        minutes[1] if minutes else "",
        more or "nothing",
    )


#: What a notebook may need that does not come with the library.
_MORE = re.compile(r"\btorch\b|\bTriton\b|C\+\+ compiler", re.I)


def archive(packed: dict[str, bytes]) -> bytes:
    """A zip archive of these files that does not depend on the time or the machine's permissions."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in sorted(packed.items()):
            entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, data)
    return written.getvalue()
