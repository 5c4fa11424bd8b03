"""Running a student's function: whatever it does, the next call is not affected and the outcome is plain data."""

import sys
import warnings

import numpy as np
import pytest
from manyheads.grading.outcome import WRONG_CALL
from manyheads.grading.run import call

INPUTS = {"x": np.arange(6.0).reshape(2, 3), "n": 2}


def test_what_it_returns():
    outcome = call(lambda x, n: x * n, INPUTS)
    assert outcome.exception is None
    assert np.array_equal(outcome.value.array, INPUTS["x"] * 2)


def test_inputs_that_are_changed_in_place_are_noticed_and_not_passed_on():
    def spoils(x, n):
        x *= 0
        return x

    before = INPUTS["x"].copy()
    assert call(spoils, INPUTS).changed_inputs == ("x",)
    assert np.array_equal(INPUTS["x"], before)
    assert call(lambda x, n: x + n, INPUTS).changed_inputs == ()


def test_a_result_that_is_a_view_of_the_input_is_kept_as_it_was():
    outcome = call(lambda x, n: x, INPUTS)
    outcome.value.array[:] = 99
    assert INPUTS["x"][0, 0] == 0


def test_printing_and_warning_are_caught():
    def noisy(x, n):
        print("hello")
        print("careful", file=sys.stderr)
        warnings.warn("slow", stacklevel=1)
        return np.log(np.zeros(1))

    outcome = call(noisy, INPUTS)
    assert "hello" in outcome.printed and "careful" in outcome.printed
    assert any(text == "UserWarning: slow" for text in outcome.warned)
    assert any("divide by zero" in text for text in outcome.warned)


def test_endless_printing_is_cut():
    def floods(x, n):
        for i in range(100_000):
            print(i)

    assert len(call(floods, INPUTS).printed) <= 4000


def helper(x):
    return x @ x


def calls_helper(x, n):
    return helper(x)


@pytest.mark.parametrize(
    ("function", "exception", "message", "line"),
    [
        (calls_helper, "ValueError", "matmul", "return x @ x"),
        (lambda x, n: x[7], "IndexError", "index 7 is out of bounds", "x[7]"),
        (lambda x, n: np.stack([x, x[0]]), "ValueError", "all input arrays must have the same shape", "np.stack"),
        (lambda x, n: sys.exit(3), "SystemExit", "3", "sys.exit(3)"),
    ],
)
def test_an_exception_is_told_by_the_students_own_line(function, exception, message, line):
    outcome = call(function, INPUTS)
    assert outcome.value is None
    assert outcome.exception == exception
    assert message in outcome.message
    assert line in outcome.line


def test_the_line_is_counted_in_the_students_cell():
    cell = "def f(x, n):\n    y = x\n    return y.nothing\n"
    written: dict = {}
    exec(compile(cell, "<cell 7>", "exec"), written)
    assert call(written["f"], INPUTS).line.startswith("line 3")


def test_an_exception_whose_text_raises():
    class NastyError(Exception):
        def __str__(self):
            raise RuntimeError

    def raises(x, n):
        raise NastyError

    outcome = call(raises, INPUTS)
    assert (outcome.exception, outcome.message) == ("NastyError", "(its message could not be read)")


def test_endless_recursion():
    def recurses(x, n):
        return recurses(x, n)

    assert call(recurses, INPUTS).exception == "RecursionError"


def test_an_interrupt_goes_through():
    def interrupted(x, n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(interrupted, INPUTS)


@pytest.mark.parametrize(
    ("function", "takes"),
    [(lambda x: x, "(x)"), (lambda x, n, k: x, "(x, n, k)"), (lambda *, x, n: x, "(*, x, n)"), (lambda: 1, "()")],
)
def test_a_function_with_other_parameters_is_told_so(function, takes):
    outcome = call(function, INPUTS)
    assert outcome.exception == WRONG_CALL
    assert outcome.message == f"your function takes {takes}, but the exercise calls it with (x, n)"


def test_parameters_may_have_other_names_and_defaults():
    assert call(lambda tokens, heads, extra=1: tokens, INPUTS).exception is None


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (None, "nothing"), (True, "bool"), (np.True_, "bool"), (3, "integer"), (np.int8(3), "integer"),
        (0.5, "float"), (np.float32(0.5), "float"), ((1, 2), "tuple"), ([1, [2]], "list"), ({}, "other"),
        ("a", "text"), (object(), "other"), (np.zeros(2), "array"), (np.ma.zeros(2), "other"),
    ],
)  # fmt: skip
def test_anything_that_is_returned_becomes_plain_data(result, kind):
    value = call(lambda x, n: result, INPUTS).value
    assert value.kind == kind
    assert value.array is None or type(value.array) is np.ndarray


def test_an_array_that_claims_to_equal_everything_is_reduced_to_its_numbers():
    class Agreeable(np.ndarray):
        def __eq__(self, other):
            return True

        def __array_ufunc__(self, *args, **kwargs):
            return np.zeros(3)

    value = call(lambda x, n: np.ones(3).view(Agreeable), INPUTS).value
    assert type(value.array) is np.ndarray
    assert value.array.tolist() == [1, 1, 1]


def test_a_function_that_closes_or_changes_what_others_need():
    def spoils(x, n):
        np.seterr(all="raise")
        sys.stdout.close()
        sys.stderr.close()
        x.dtype = "V8"
        return 1

    before = np.geterr()
    outcome = call(spoils, INPUTS)
    assert np.geterr() == before
    assert outcome.value.number == 1 and outcome.changed_inputs == ("x",)
    print("still open")


def test_text_that_no_file_can_hold():
    def prints(x, n):
        print("\ud800")
        raise ValueError("\ud800")

    outcome = call(prints, INPUTS)
    assert (outcome.printed + outcome.message).encode() == b"?\n?"


def test_a_wrapped_function_and_one_with_a_nasty_default():
    import functools

    class Nasty:
        def __repr__(self):
            raise RuntimeError

    @functools.wraps(len)
    def wrapped(x, n):
        return x

    assert call(wrapped, INPUTS).exception is None
    nasty = Nasty()
    assert call(lambda x, n, k, extra=nasty: x, INPUTS).message.startswith("your function takes (x, n, k, extra)")


def test_numpys_own_lines_are_not_the_students(tmp_path):
    """Wherever NumPy is installed: a folder called site-packages or dist-packages is nobody's answer."""
    folder = tmp_path / "dist-packages"
    folder.mkdir()
    (folder / "elsewhere.py").write_text("def fails(x):\n    raise ValueError('inside')\n")
    written: dict = {}
    exec(compile((folder / "elsewhere.py").read_text(), str(folder / "elsewhere.py"), "exec"), written)
    outcome = call(lambda x, n: written["fails"](x), INPUTS)
    assert 'written["fails"](x)' in outcome.line
