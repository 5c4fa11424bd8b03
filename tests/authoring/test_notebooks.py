"""The texts of the notebooks: each stands alone, says how long it takes, and renders anywhere."""

import ast
import re
from pathlib import Path

import pytest
from manyheads.authoring.source import source_notebook
from manyheads.authoring.verification import model_answers
from manyheads.exercises import NAMES, get, of_chapter
from manyheads.exercises.source import source_as

_PART = re.compile(
    r"^## (\d+) · .+\n\n\*(\d+) minutes\. You need: [^*]+?\.(?: \d points?, given by a person\.)?\*\n", re.M
)


ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "solutions").glob("*/*.py"))


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def notebook(path):
    return source_notebook(path)


@pytest.fixture(scope="module")
def exercises(path, notebook):
    """Those that this notebook asks, in the order of the registry."""
    ids = {cell.id for cell in notebook.cells}
    return [exercise for exercise in of_chapter(path.parent.name) if exercise.name in ids]


@pytest.fixture(scope="module")
def prose(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_every_exercise_is_asked_in_one_notebook():
    asked = [cell.id for path in NOTEBOOKS for cell in source_notebook(path).cells if cell.id in NAMES]
    assert sorted(asked) == sorted(NAMES)


def test_it_asks_three_to_eight_functions_in_the_order_of_the_registry(notebook, exercises):
    answers = [c.id for c in notebook.cells if c.cell_type == "code" and c.metadata.get("nbgrader", {}).get("solution")]
    assert answers == [exercise.name for exercise in exercises]
    assert 3 <= len(answers) <= 8


def test_every_aspect_is_checked_once(notebook, exercises):
    checked = [c.id for c in notebook.cells if c.cell_type == "code" and c.metadata.get("nbgrader", {}).get("grade")]
    assert checked == [e.grade_id(a) for e in exercises for a in e.aspects]


def test_every_part_says_how_long_it_takes_and_what_it_needs(prose, exercises):
    parts = [text for text in prose if text.startswith("## ")]
    found = [_PART.match(text) for text in parts]
    assert all(found), [text[:150] for text, match in zip(parts, found, strict=True) if not match]
    assert [int(match[1]) for match in found] == list(range(1, len(exercises) + 2))
    told = re.search(r"\*\*Time:\*\* about (\d+) minutes", prose[0])
    assert int(told[1]) == sum(int(match[2]) for match in found)


def test_it_says_what_is_needed_and_allowed_at_its_head(prose):
    for said in ("**Time:**", "**You need:**", "**Beside it:**", "**How it works.**", "**What is allowed.**"):
        assert said in prose[0]


def test_every_part_has_its_contract_with_an_example_and_hints(prose, exercises):
    parts = [text for text in prose if text.startswith("## ")]
    for exercise, text in zip(exercises, parts, strict=False):
        written = exercise.kernel.head.strip() if exercise.kernel else f"**Write** `{exercise.signature}`."
        assert written in text
        assert exercise.example in text and "hint=1" in text
        assert re.search(r"By hand|by hand", text), exercise.name


def test_there_is_a_written_question_with_a_rubric(notebook):
    (cell,) = [c for c in notebook.cells if c.cell_type == "markdown" and c.metadata.get("nbgrader", {}).get("grade")]
    points = cell.metadata.nbgrader.points
    assert cell.id.startswith("written-") and 3 <= points <= 5
    assert f"**Rubric ({points} points).**" in cell.source
    rubric = re.findall(r"(?m)^- (\d) points?: ", cell.source)
    assert sum(map(int, rubric)) == points


def test_it_is_plain_markdown_that_jupyter_vs_code_and_colab_render(prose):
    for text in prose:
        plain = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.S)
        assert plain.count("$") % 2 == 0
        plain = re.sub(r"\$\$.+?\$\$|\$[^$\n]+\$", "", plain, flags=re.S)
        assert not re.search(r"\{\w[\w:-]*\}|^:::|!\[|<[a-zA-Z/!]", plain, re.M), text
        assert "](../" not in plain and "](http" not in plain


def test_answers_use_what_is_given_and_nothing_else_of_the_library(course, exercises):
    solutions = model_answers(course, list(NAMES))
    for exercise in exercises:
        alternatives = [source_as(answer, exercise.function_name) for answer in exercise.alternatives.values()]
        for text in (solutions[exercise.name], *alternatives):
            used = {
                node.attr
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "reference"
            }
            assert used <= set(exercise.given), exercise.name


def test_the_points_of_the_contract_are_those_of_the_cells(notebook, exercises):
    graded = {c.id: c.metadata.nbgrader.points for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")}
    for exercise in exercises:
        assert sum(graded[exercise.grade_id(a)] for a in exercise.aspects) == get(exercise.name).points
