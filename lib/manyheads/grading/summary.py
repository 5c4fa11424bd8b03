"""The class summary: who got what, and which mistakes were made. One page that needs nothing beside it."""

from pathlib import Path

import jinja2

from manyheads.grading import book_links, tally
from manyheads.grading.results import Result


def page(results: list[Result], feedback: Path, home: Path) -> str:
    """The summary as HTML.

    Parameters
    ----------
    results : list of Result
    feedback : Path
        nbgrader's folder with ``STUDENT/ASSIGNMENT/NOTEBOOK.html``, linked where it exists.
    home : Path
        Where the page will stand; links are relative to it.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("manyheads", "grading"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["short"] = lambda number: f"{number:g}"
    sections = []
    for assignment in dict.fromkeys(result.assignment for result in results):
        own = [result for result in results if result.assignment == assignment]
        exercises = tally.tally(assignment, own)
        sections.append(
            {
                "name": assignment,
                "exercises": exercises,
                "rows": [_row(result, exercises, feedback, home) for result in own],
                "places": {
                    (t.exercise.name, m.name): book_links.place(t.exercise.chapter, m.section)
                    for t in exercises
                    for m in t.exercise.mistakes
                },
                "reading": sum(result.needs_reading for result in own),
                "distribution": _distribution(own),
            }
        )
    return environment.get_template("summary.html.jinja").render(sections=sections)


def _row(result: Result, exercises, feedback: Path, home: Path) -> dict:
    folder = feedback / result.student / result.assignment
    pages = sorted(folder.glob("*.html")) if folder.exists() else []
    return {
        "result": result,
        "points": [tally.points(result, t.exercise) for t in exercises],
        "feedback": pages[0].relative_to(home).as_posix() if pages else None,
    }


def _distribution(results: list[Result], bins: int = 5) -> list[tuple[str, int]]:
    """How many got which share of the checks' points, the full marks apart."""
    counts = [0] * (bins + 1)
    for result in results:
        share = result.auto / result.most_auto if result.most_auto else 0.0
        counts[min(int(share * bins), bins)] += 1
    labels = [f"{100 * i // bins} to under {100 * (i + 1) // bins} %" for i in range(bins)] + ["100 %"]
    return list(zip(labels, counts, strict=True))
