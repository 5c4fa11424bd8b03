"""Counting a class, and the page that shows it."""

import csv
import io

from manyheads.exercises import get
from manyheads.grading import summary, tally
from manyheads.grading.results import Result

NAME = "pack-heads"


def record(mistake=None, right=False, unwritten=False, aspect="values"):
    return {"exercise": NAME, "version": 1, "aspect": aspect, "inputs": "visible", "right": right, "mistake": mistake,
            "unwritten": unwritten}  # fmt: skip


def result(student, earned=0.0, verdicts=(), flags=(), reading=False):
    cells = {
        "check-pack-heads-values": (min(earned, 2.0), 2.0),
        "check-pack-heads-float32": (max(earned - 2, 0.0), 1.0),
    }
    return Result(student, "01-projections", cells, (0.0, 4.0), reading, list(flags), list(verdicts))


CLASS = [
    result("right", 3.0, [record(right=True)], reading=True),
    result("mix-up", 0.0, [record("bare-reshape"), record("bare-reshape", aspect="float32")]),
    result("mix-up-too", 0.0, [record("bare-reshape")]),
    result("own way", 0.0, [record()]),
    result("starter", 0.0, [record(unwritten=True)]),
    result("crashed <b>", 0.0, [], ["the notebook ended its own kernel"]),
]


def test_a_class_by_exercise():
    found = {t.exercise.name: t for t in tally.tally("01-projections", CLASS)}[NAME]
    assert (found.handed_in, found.right, found.unwritten, found.unchecked, found.unnamed) == (6, 1, 1, 1, 1)
    sentence = next(m.sentence for m in get(NAME).mistakes if m.name == "bare-reshape")
    assert found.mistakes == [("bare-reshape", sentence, 2)]


def test_the_table_of_marks():
    rows = list(csv.DictReader(io.StringIO(tally.as_csv(CLASS))))
    assert len(rows) == 6
    assert rows[0]["student"] == "right"
    assert (rows[0]["score"], rows[0]["max_score"], rows[0]["checks"], rows[0]["max_checks"]) == ("3", "7", "3", "3")
    assert (rows[0]["waits_for"], rows[1]["waits_for"]) == ("a reader", "")
    assert rows[5]["flags"] == "the notebook ended its own kernel"


def test_the_page(tmp_path):
    page = summary.page(CLASS, tmp_path / "feedback", tmp_path)
    assert "<b>2 of 6: bare-reshape.</b>" in page
    assert "Right: 1 of 6. Not written: 1. Could not be checked, because an earlier cell failed: 1." in page
    assert "the notebook ended its own kernel" in page
    assert "crashed &lt;b&gt;" in page and "crashed <b>" not in page
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_the_page_links_feedback_where_there_is_some(tmp_path):
    folder = tmp_path / "feedback" / "own way" / "01-projections"
    folder.mkdir(parents=True)
    (folder / "projections.html").touch()
    page = summary.page(CLASS, tmp_path / "feedback", tmp_path)
    assert page.count("<a href") == 1
    assert '<a href="feedback/own%20way/01-projections/projections.html">own way</a>' in page
