"""From the authored text to nbgrader's source notebook."""

import pytest
from manyheads.authoring.course import CourseError
from manyheads.authoring.source import source_notebook
from manyheads.exercises import of_chapter

TEXT = """# %% [markdown]
# # Title
# <!-- contract: pack-heads -->

# %% nbgrader={"locked": true, "grade_id": "setup"}
import numpy as np

# %% nbgrader={"solution": true}
def pack_heads(w):
    ### BEGIN SOLUTION
    return w
    ### END SOLUTION

# %% nbgrader={"grade": true}
check("pack-heads", pack_heads, aspect="values")

# %% [markdown] nbgrader={"solution": true, "grade": true, "points": 2, "grade_id": "written"}
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
"""


@pytest.fixture
def notebook_of(tmp_path):
    def notebook_of(text):
        path = tmp_path / "text.py"
        path.write_text(text)
        return source_notebook(path)

    return notebook_of


def test_ids_are_stable_and_say_what_a_cell_is(notebook_of):
    expected = ["cell-000", "library", "setup", "pack-heads", "check-pack-heads-values", "written"]
    assert [cell.id for cell in notebook_of(TEXT).cells] == expected
    assert notebook_of(TEXT) == notebook_of(TEXT)


def test_points_and_hidden_tests_come_from_the_definition(notebook_of):
    cell = notebook_of(TEXT).cells[4]
    assert cell.metadata.nbgrader == {
        "grade": True, "grade_id": "check-pack-heads-values", "locked": True, "points": 2, "schema_version": 3,
        "solution": False, "task": False,
    }  # fmt: skip
    assert cell.source == (
        'check("pack-heads", pack_heads, aspect="values")\n### BEGIN HIDDEN TESTS\n'
        'check("pack-heads", pack_heads, aspect="values", inputs="hidden")\n### END HIDDEN TESTS'
    )


def test_the_contract_comes_from_the_definition(notebook_of):
    text = notebook_of(TEXT).cells[0].source
    assert "**Write** `pack_heads(w)`." in text
    assert "- returns an array (d_model, n_heads * head_dim) of the input's dtype" in text
    assert "**3 points:** *values* 2 (every weight in its place); *float32* 1" in text


def test_the_notebook_carries_the_versions_of_its_exercises(notebook_of):
    assert notebook_of(TEXT).metadata.manyheads == {"exercises": {"pack-heads": 1}}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'aspect="values"',
            'aspect="value"',
            "cell 4: no aspect of pack-heads is called 'value'; did you mean 'values'?",
        ),
        ('check("pack-heads"', 'check("pack-head"', "cell 4: no exercise is called 'pack-head'; did you mean"),
        (', aspect="values"', "", "cell 4: a graded cell is one call: check("),
        ('check("pack-heads", pack_heads', 'check("pack-heads", packed', "with the function called pack_heads"),
        ("def pack_heads", "def pack_haeds", "cell 3: no exercise is called 'pack-haeds'; did you mean 'pack-heads'?"),
        ("contract: pack-heads", "contract: pack", "cell 1: no exercise is called 'pack'"),
        (', "grade_id": "setup"', "", "cell 2: a locked or written cell needs a grade_id"),
        ('"grade_id": "written"', '"grade_id": "setup"', "two cells would be called setup"),
    ],
)
def test_a_slip_of_the_author_is_told_with_file_and_cell(notebook_of, old, new, message):
    assert old in TEXT
    with pytest.raises(CourseError) as caught:
        notebook_of(TEXT.replace(old, new))
    assert "text.py" in str(caught.value)
    assert message in str(caught.value)


def test_every_aspect_of_every_exercise_is_graded_once(course):
    for assignment in course.assignments():
        paths = (course.solutions / assignment).glob("*.py")
        cells = {cell.id: cell for path in paths for cell in source_notebook(path).cells}
        expected = {e.grade_id(a): a.points for e in of_chapter(assignment) for a in e.aspects}
        graded = {
            i: c.metadata.nbgrader.points
            for i, c in cells.items()
            if c.cell_type == "code" and c.metadata.get("nbgrader", {}).get("grade")
        }
        assert graded == expected


def test_three_to_eight_answers_and_a_written_question(course):
    for path in course.solutions.glob("*/*.py"):
        cells = [c for c in source_notebook(path).cells if c.metadata.get("nbgrader", {}).get("solution")]
        assert 3 <= sum(c.cell_type == "code" for c in cells) <= 8
        (written,) = [c for c in cells if c.cell_type == "markdown"]
        assert "Rubric (4 points)" in written.source and written.metadata.nbgrader.points == 4


def test_the_lines_of_a_head_stay_lines(notebook_of):
    text = "# %% [markdown]\n# # Title\n#\n# **Time:** a\n# b.\n# **You need:** c\n# d.\n# **Beside it:** e.\n"
    assert notebook_of(text).cells[0].source == "# Title\n\n**Time:** a\nb.  \n**You need:** c\nd.  \n**Beside it:** e."
