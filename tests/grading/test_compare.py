"""Comparing: each kind of difference by its own message, and no tolerance looser than it needs to be."""

import numpy as np
import pytest
from manyheads.exercises.definition import ONE_PRODUCT, Output
from manyheads.grading.compare import equal, problem, wrong_elements
from manyheads.grading.outcome import to_value

HEADS = (Output("result", ("batch", "n_heads", "seq", "head_dim")),)
COUNT = (Output("result", None),)
RNG = np.random.default_rng(0)
WANT = RNG.standard_normal((2, 3, 5, 4))


def message(got, want=WANT, outputs=HEADS, tolerance=ONE_PRODUCT):
    found = problem(outputs, to_value(want), to_value(got), tolerance)
    return found and (found.kind, found.message)


def changed(*places, by=1.0):
    got = WANT.copy()
    for place in places:
        got[place] += by
    return got


AXES = "(batch 2, n_heads 3, seq 5, head_dim 4)"


@pytest.mark.parametrize(
    ("got", "kind", "text"),
    [
        (None, "type", f"returned None; expected an array {AXES}; a return may be missing"),
        (WANT.tolist(), "type", f"returned a list; expected an array {AXES}; np.stack"),
        ((WANT, WANT), "type", "returned a tuple; expected an array"),
        (3.5, "type", "returned the float 3.5; expected an array"),
        (7, "type", "returned an int; expected an array"),
        ("text", "type", "returned a str; expected an array"),
        (WANT.astype(object), "dtype", "an array of object, not of numbers; expected float64"),
        (WANT[0], "shape", f"shape (3, 5, 4); expected (2, 3, 5, 4), that is {AXES}"),
        (
            WANT.swapaxes(1, 2),
            "shape",
            f"shape (2, 5, 3, 4); expected (2, 3, 5, 4), that is {AXES}; the axes are there, in another order",
        ),
        (WANT.astype("float32"), "dtype", "dtype float32; expected float64, which the input has"),
        (WANT.astype(">f8"), None, ""),
        (WANT.astype("float16"), "dtype", "dtype float16; expected float64"),
        (np.asfortranarray(WANT), None, ""),
        (
            changed((1, 2, 3, 0), by=np.nan),
            "finite",
            "1 of 120 elements (1%) is NaN or infinite, the first at sequence 1, head 2, token 3, dim 0",
        ),
        (
            changed((0, 1, 3, 2)),
            "values",
            "1 of 120 elements (1%) is wrong, the first at sequence 0, head 1, token 3, dim 2",
        ),
    ],
)
def test_arrays(got, kind, text):
    found = message(got)
    if kind is None:
        assert found is None
    else:
        assert found[0] == kind
        assert found[1].startswith(text), found[1]


def test_the_first_places_are_told_a_row_at_a_time():
    _, text = message(changed((0, 0, 1), (1, 2, 3, 2), (1, 2, 4)))
    assert "9 of 120 elements" in text
    assert (
        "the first at sequence 0, head 0, token 1, dim 0, more at sequence 1, head 2, token 3, dim 2; at sequence 1"
        in text
    )


def test_what_is_got_and_expected_at_the_first_place():
    got = changed((0, 1, 3, 2))
    _, text = message(got)
    assert f"you have {got[0, 1, 3, 2]:.6g}; expected {WANT[0, 1, 3, 2]:.6g}" in text


@pytest.mark.parametrize(
    ("got", "text"),
    [
        (5, None),
        (np.int32(5), None),
        (6, "6; expected 5"),
        (10, "10; expected 5 (yours is 2 times that)"),
        (5.0, "the float 5.0; expected a whole number (int); / makes a float of a count, // does not"),
        (None, "None; expected a whole number (int); a return may be missing"),
        (True, "a bool; expected a whole number (int)"),
        ("5", "a str; expected a whole number (int)"),
        (np.array([5]), "one array; expected a whole number (int)"),
    ],
)
def test_whole_numbers(got, text):
    found = message(got, want=5, outputs=COUNT)
    assert (found and found[1]) == text


def test_several_outputs():
    outputs = (Output("q", ("batch", "seq")), Output("k", ("batch", "seq")))
    q, k = np.ones((2, 3)), np.zeros((2, 3))
    assert message((q, k), (q, k), outputs) is None
    assert message([q, k], (q, k), outputs) is None
    assert message(q, (q, k), outputs)[1] == "returned one array; expected 2 arrays: return q, k"
    assert message((q,), (q, k), outputs)[1] == "returned 1 values; expected 2 arrays: return q, k"
    assert message((q, k + 1), (q, k), outputs)[1].startswith("k: 6 of 6 elements (100%) are wrong")


@pytest.mark.parametrize(("dtype", "close", "far"), [("float64", 1e-15, 1e-12), ("float32", 2e-7, 1e-4)])
def test_the_tolerance_forgives_rounding_and_nothing_more(dtype, close, far):
    want = WANT.astype(dtype)
    scale = np.abs(want).max()
    for by, wrong in ((close, False), (far, True)):
        got = want.copy()
        got[0, 0, 0, 0] += dtype_of(by * scale, dtype)
        assert wrong_elements(want, got, ONE_PRODUCT).any() == wrong


def dtype_of(value, dtype):
    return np.asarray(value, dtype)


def test_without_a_tolerance_the_last_bit_counts():
    got = WANT.copy()
    got[0, 0, 0, 0] = np.nextafter(got[0, 0, 0, 0], 9)
    assert wrong_elements(WANT, got, {}).sum() == 1
    assert not wrong_elements(WANT, WANT.copy(), {}).any()


def test_equal_needs_kind_shape_dtype_and_values():
    assert equal(to_value(WANT), to_value(WANT.copy()), ONE_PRODUCT)
    for other in (WANT[None], WANT.astype("float32"), WANT + 1, None, WANT.tolist()):
        assert not equal(to_value(WANT), to_value(other), ONE_PRODUCT)
    assert not equal(to_value((WANT, WANT)), to_value((WANT,)), ONE_PRODUCT)


def test_nan_where_nan_is_expected_is_right_and_elsewhere_wrong():
    want = np.array([1.0, np.nan, np.inf])
    assert not wrong_elements(want, want.copy(), ONE_PRODUCT).any()
    assert wrong_elements(want, np.array([np.nan, 1.0, -np.inf]), ONE_PRODUCT).all()


@pytest.mark.parametrize(
    ("holds", "wanted", "got", "said"),
    [
        ("bool", "bool", "float64", "dtype float64; expected bool: True or False for each element"),
        ("bool", "float32", "float64", "dtype float64; expected float32"),
        ("int", "int64", "float64", "dtype float64; expected whole numbers, such as int64"),
        ("like the input", "float32", "float64", "dtype float64; expected float32, which the input has"),
    ],
)
def test_what_dtype_is_expected_and_why(holds, wanted, got, said):
    output = Output("result", ("q_len", "k_len"), holds)
    found = problem((output,), to_value(np.ones((2, 3), wanted)), to_value(np.ones((2, 3), got)), {})
    assert (found.kind, found.message) == ("dtype", said)


def test_an_axis_of_one_element_has_no_name_in_a_message():
    output = Output("result", ("batch", "1", "k_len"), "bool")
    want = np.ones((2, 1, 3), bool)
    got = want.copy()
    got[1, 0, 2] = False
    assert "the first at sequence 1, key 2." in problem((output,), to_value(want), to_value(got), {}).message
    assert "(batch 2, 1, k_len 3)" in problem((output,), to_value(want), to_value(want[0]), {}).message


FRACTION = (Output("fraction", None, "float"),)


@pytest.mark.parametrize("got", [0.75, np.float64(0.75), np.float32(0.75), np.array(0.75), 0.75 * (1 + 1e-13)])
def test_a_float_that_is_right(got):
    assert problem(FRACTION, to_value(0.75), to_value(got), {"float64": 1e-12}) is None


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (0.375, "0.375; expected 0.75 (yours is 0.5 times that)"),
        (1, "1; expected 0.75"),
        (0.75 * (1 + 1e-11), "0.7500000000075; expected 0.75"),
        (float("nan"), "nan; expected 0.75"),
        (10**400, "a number of about 400 digits; expected 0.75"),
        (True, "a bool; expected a float"),
        (None, "None; expected a float; a return may be missing"),
        ("0.75", "a str; expected a float"),
    ],
)
def test_a_float_that_is_wrong(got, said):
    assert said in problem(FRACTION, to_value(0.75), to_value(got), {"float64": 1e-12}).message


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_equals_only_itself(odd):
    """A known mistake may give one, and must not be named for a finite answer."""
    others = [x for x in (float("nan"), float("inf"), float("-inf"), 0.5, 2**2000) if repr(x) != repr(odd)]
    assert equal(to_value(odd), to_value(odd), ONE_PRODUCT)
    assert not any(equal(to_value(odd), to_value(other), ONE_PRODUCT) for other in others)
    assert not any(equal(to_value(other), to_value(odd), ONE_PRODUCT) for other in others)
