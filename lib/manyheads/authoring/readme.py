"""The README's picture and its sample of what a student reads: made from the library, like everything else."""

import re

import numpy as np

from manyheads import plots, reference
from manyheads.authoring import files
from manyheads.authoring.course import Course
from manyheads.exercises import get
from manyheads.grading import report, seeds
from manyheads.grading.judge import judge
from manyheads.grading.run import call

#: A picture in a README has no page to take its colours from.
_COLOURS = "<style>svg { color: #1f2328 } @media (prefers-color-scheme: dark) { svg { color: #d1d7e0 } }</style>"


def picture() -> bytes:
    """The picture at the head of the README, as SVG that follows light and dark."""
    product = np.arange(4 * 3 * 2).reshape(1, 4, 6)
    panels = {
        "x @ w": None,
        "reshape, then transpose": reference.split_heads(product, 3)[0],
        "reshape alone": product.reshape(1, 3, 4, 2)[0],
    }
    shown = plots.show(plots.where_numbers_went(product.reshape(4, 3, 2), panels), alt="", name="readme")
    svg = shown.svgs[0].replace('role="img" aria-label="" ', "")
    return re.sub(r"(<svg[^>]*>)", rf"\1{_COLOURS}", svg, count=1).encode()


def report_on_bare_reshape() -> str:
    """What `check` says to the most instructive mistake of chapter 01."""
    exercise = get("fused-projection")
    aspect = exercise.aspect("values")
    mistake = next(m for m in exercise.mistakes if m.name == "bare-reshape")
    cases = aspect.cases(seeds.generator(exercise, aspect))
    outcomes = [call(mistake.answer, case.inputs) for case in cases]
    return report.as_text(judge(exercise, aspect, cases, outcomes), links=False)


def write(course: Course) -> None:
    """Renew both in place."""
    files.write(course.root / "book" / "assets" / "many-heads.svg", picture())
    path = course.root / "README.md"
    text = re.sub(
        r"```text\n✗.*?```", lambda _: f"```text\n{report_on_bare_reshape()}\n```", path.read_text("utf-8"), flags=re.S
    )
    files.write(path, text.encode())


if __name__ == "__main__":
    from manyheads.authoring.course import find

    write(find())
