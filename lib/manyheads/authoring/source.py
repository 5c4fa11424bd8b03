"""From a solution as text (solutions/NN-slug/slug.py) to nbgrader's source notebook.

The text says of a cell only what it is: an answer, a check, a locked cell, a written question. The rest of
nbgrader's metadata follows from that and from the exercise's definition: the grade id, the points, the hidden
tests, the cell ids. So none of it can disagree with the definition.
"""

import ast
import re
from pathlib import Path

import jupytext
import nbformat

from manyheads.authoring import first_cell
from manyheads.authoring.contract import HOW_IT_WORKS, HOW_KERNELS_WORK, contract
from manyheads.authoring.course import CourseError
from manyheads.exercises import Exercise, UnknownName, get
from manyheads.exercises.registry import aspect_of

_CONTRACT = re.compile(r"<!-- contract: (\S+) -->")
#: The lines of a notebook's head would run together: two spaces before a line's end keep it.
_OWN_LINE = re.compile(r"\n(?=\*\*(?:You need|Beside it):\*\*)")
_HIDDEN = "\n### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"


def source_notebook(path: Path, wheel: str = "") -> nbformat.NotebookNode:
    """Read one authored solution; every cell gets a stable id, every graded one its complete metadata.

    Behind the title comes the cell that finds the library, or installs it from `wheel`.

    Raises
    ------
    CourseError
        With file and cell, if the text does not say what is needed.
    """
    notebook = jupytext.read(path, fmt="py:percent")
    exercises: dict[str, Exercise] = {}
    for index, cell in enumerate(notebook.cells):
        try:
            _complete(cell, exercises)
        except (ValueError, UnknownName) as error:
            raise CourseError(f"{path}, cell {index + 1}: {error}") from None
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell-{index:03}"
    notebook.cells.insert(1, first_cell.cell(wheel))
    _refuse_twice(notebook, path)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            # An exercise that is mended after release is graded by the version that was released.
            "manyheads": {"exercises": {name: exercise.version for name, exercise in sorted(exercises.items())}},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def _complete(cell, exercises: dict[str, Exercise]) -> None:
    said = dict(cell.metadata.get("nbgrader", {}))
    cell.metadata = nbformat.NotebookNode()
    if cell.cell_type == "markdown":
        cell.source = cell.source.replace("<!-- how it works -->", HOW_IT_WORKS)
        cell.source = cell.source.replace("<!-- how kernels work -->", HOW_KERNELS_WORK)
        cell.source = _OWN_LINE.sub("  \n", cell.source)
        cell.source = _CONTRACT.sub(lambda match: contract(get(match[1])), cell.source)
    if not said:
        return
    derived: dict = {}
    if said.get("grade") and not said.get("solution"):
        exercise, aspect = _checked(cell.source)
        exercises[exercise.name] = exercise
        derived = {
            "grade_id": exercise.grade_id(aspect),
            "points": aspect.points,
            "locked": True,
        }
        if exercise.version > 1:  # so that any library, and stock nbgrader, knows what this notebook asks
            cell.source = cell.source.rstrip().removesuffix(")") + f", version={exercise.version})"
        cell.source += _HIDDEN.format(cell.source.rstrip().removesuffix(")") + ', inputs="hidden")')
    elif said.get("solution") and cell.cell_type == "code":
        exercise = get(_defined(cell.source).replace("_", "-"))
        exercises[exercise.name] = exercise
        derived = {"grade_id": exercise.name}
    defaults = {"grade": False, "locked": False, "schema_version": 3, "solution": False, "task": False}
    complete = {**defaults, **derived, **said}
    if "grade_id" not in complete:
        raise ValueError("a locked or written cell needs a grade_id")
    cell.metadata["nbgrader"] = nbformat.from_dict(complete)


def _checked(source: str):
    """The exercise and the aspect that ``check("name", function, aspect="…")`` names."""
    advice = 'a graded cell is one call: check("exercise-name", function, aspect="aspect name")'
    try:
        (statement,) = ast.parse(source).body
        call = statement.value  # type: ignore[attr-defined]
        name = ast.literal_eval(call.args[0])
        (keyword,) = call.keywords
        aspect = ast.literal_eval(keyword.value)
        called, function = call.func.id, call.args[1].id
    except (SyntaxError, ValueError, AttributeError, IndexError):
        raise ValueError(advice) from None
    exercise = get(name)
    if called != "check" or keyword.arg != "aspect" or function != exercise.function_name:
        raise ValueError(f"{advice}, with the function called {exercise.function_name}")
    return exercise, aspect_of(exercise, aspect)


def _defined(source: str) -> str:
    """The function that an answer cell defines."""
    functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1:
        raise ValueError(f"an answer cell defines one function, this one defines {len(functions)}")
    return functions[0]


def _refuse_twice(notebook, path: Path) -> None:
    ids = [cell.id for cell in notebook.cells]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise CourseError(f"{path}: two cells would be called {twice[0]}; check each aspect once")
