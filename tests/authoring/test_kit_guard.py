"""Nothing that students get gives an answer away."""

import nbformat
import pytest
from manyheads.authoring import kit, kit_guard, release
from manyheads.authoring.course import CourseError

#: An answer of several lines, indented otherwise and with a gap.
LONGER = """
def mine(x, w):
  heads = []
  for head_matrix in w:
      heads.append(x @ head_matrix)

  return np.stack(heads, axis=1)
"""

#: Where a kernel's model answer stands on purpose.
MODEL_KERNEL = "manyheads/exercises/ch08_kernels/cuda_a_answers.py"


def notebook_with(source):
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])).encode()


def wheel_with(name, text):
    return kit.archive({name: text.encode()})


@pytest.fixture(scope="module")
def answers(course):
    return kit_guard.answers(release.build_source(course, "01-projections"))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.ipynb", notebook_with("def f(w):\n    ### BEGIN SOLUTION\n    pass"), "a.ipynb holds '### BEGIN SOLUTION'"),
        ("a.ipynb", notebook_with("### BEGIN HIDDEN TESTS"), "holds '### BEGIN HIDDEN TESTS'"),
        ("a.txt", b"x\n        return np.concatenate(list(w), axis=1)\n", "a.txt holds the answer 'return np.conc"),
        ("a.ipynb", notebook_with(LONGER), "a.ipynb holds the answer 'heads = []'"),
        ("a.whl", wheel_with("tests/helpers.py", ""), "a.whl holds tests/helpers.py, which is not of the library"),
        ("a.whl", wheel_with("manyheads/a.py", "    ### BEGIN SOLUTION\n"), "a.py holds '### BEGIN SOLUTION'"),
        ("a.whl", wheel_with("manyheads/a.py", LONGER), "a.whl, manyheads/a.py holds the answer 'heads = []'"),
        ("a.whl", wheel_with("manyheads/exercises/ch08_kernels/cuda_a_mistakes.py", LONGER), "holds the answer"),
        ("a.whl", wheel_with("manyheads/exercises/ch07_tiles/a_answers.py", LONGER), "holds the answer"),
        ("a.whl", wheel_with(MODEL_KERNEL, "### BEGIN SOLUTION\n"), "holds '### BEGIN SOLUTION'"),
    ],
)  # fmt: skip
def test_a_file_that_gives_an_answer_away_is_not_packed(answers, name, data, said):
    assert len(answers) == 6 and "**Rubric (4 points).**" in answers[-1]
    kit_guard.require_no_answer({"README.md": b"fine"}, answers)
    with pytest.raises(CourseError) as caught:
        kit_guard.require_no_answer({name: data}, answers)
    assert said in str(caught.value) and str(caught.value).endswith("nothing was packed")


def test_the_file_of_a_kernels_model_answer_may_hold_it(answers):
    kit_guard.require_no_answer({"a.whl": wheel_with(MODEL_KERNEL, LONGER)}, answers)
