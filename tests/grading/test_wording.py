"""How sizes, places and numbers are told."""

import numpy as np
import pytest
from manyheads.exercises.definition import Output
from manyheads.grading import wording


@pytest.mark.parametrize(
    ("axes", "names"),
    [
        (("batch", "heads", "q_len", "v_head_dim"), ["sequence", "head", "query", "dim"]),
        (("batch", "n_kv_heads", "seq", "head_dim"), ["sequence", "K/V head", "token", "dim"]),
        (("q_len", "k_len"), ["query", "key"]),
        (("d_model", "n_heads * head_dim"), ["row", "column"]),
        (("n_heads * head_dim", "d_model"), ["row", "column"]),
        (("batch", "seq", "n_heads * head_dim"), ["sequence", "token", "column"]),
        (("step",), ["step"]),
        (None, []),
    ],
)
def test_what_an_index_is_called(axes, names):
    assert wording.one_of(Output("result", axes)) == names


@pytest.mark.parametrize(
    ("count", "size", "said"),
    [
        (1, 7, "1 of 7 elements (14%) is"),
        (1, 4000, "1 of 4000 elements (<1%) is"),
        (299, 300, "299 of 300 elements (99%) are"),
        (300, 300, "300 of 300 elements (100%) are"),
    ],
)
def test_how_much_is_wrong(count, size, said):
    wrong = np.zeros(size, bool)
    wrong[:count] = True
    assert wording.share(wrong) == said


@pytest.mark.parametrize(
    ("have", "want", "said"),
    [
        (0.5, 0.25, "you have 0.5; expected 0.25"),
        (0.12345678, 0.12345679, "you have 0.12345678; expected 0.12345679"),
        (np.float64(1) + 2e-16, np.float64(1), "you have 1.0000000000000002; expected 1"),
        (np.int64(3), np.int64(4), "you have 3; expected 4"),
        (np.False_, np.True_, "you have False; expected True"),
        (np.nan, 1.0, "you have nan; expected 1"),
    ],
)
def test_as_many_digits_as_it_takes_to_see_the_difference(have, want, said):
    assert wording.have_and_want(have, want) == said


@pytest.mark.parametrize(
    ("got", "expected", "said"),
    [
        (30, 10, " (yours is 3 times that)"),
        (10, 30, " (it is 3 times yours)"),
        (7, 10, ""),
        (0, 10, ""),
        (10, 0, ""),
        (10**9, 10, ""),
        (-5, 10, ""),
        (0.5, 0.25, " (yours is 2 times that)"),
        (0.25 + 1e-9, 0.25, ""),
        (1, 0.25, ""),
        (float("inf"), 0.25, ""),
    ],
)
def test_a_factor_that_tells_something(got, expected, said):
    assert wording.times(got, expected) == said
