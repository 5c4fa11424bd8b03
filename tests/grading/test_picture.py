"""The map of where an answer is wrong."""

import numpy as np
import pytest
from manyheads.exercises.definition import Output
from manyheads.grading import picture
from manyheads.grading.compare import Problem

HEADS = Output("result", ("batch", "n_heads", "seq", "head_dim"))


def error_map(wrong, output=HEADS):
    return picture.error_map(Problem("values", "", output, wrong))


def test_heads_against_tokens_with_the_rest_averaged():
    wrong = np.zeros((2, 3, 5, 4), bool)
    wrong[:, 1, 2] = True
    wrong[0, 2, 4, 0] = True
    found = error_map(wrong)
    assert (found.rows, found.columns) == ("head", "token")
    expected = np.zeros((3, 5))
    expected[1, 2], expected[2, 4] = 1, 1 / 8
    assert np.array_equal(found.share, expected)
    assert found.describe() == "Wrong in every head but head 0 and token 2, 4."


def test_other_arrays_are_drawn_by_their_last_axes():
    wrong = np.eye(3, 4, dtype=bool)
    found = error_map(wrong, Output("result", ("d_model", "n_heads * head_dim")))
    assert (found.rows, found.columns) == ("row", "column")
    assert np.array_equal(found.share, wrong)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (np.ones((3, 5)), "Every cell is wrong, at least in part."),
        (np.eye(3, 3), "33% of the cells are wrong; no head and no token is right."),
        (np.array([[0, 0, 0], [1, 1, 1], [1, 1, 1]]), "Wrong in every head but head 0 and every token."),
        (np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]), "Wrong in head 0, 1 and token 2."),
    ],
)
def test_the_picture_in_a_sentence(cells, sentence):
    wrong = np.broadcast_to(cells[None, :, :, None].astype(bool), (2, *cells.shape, 4))
    assert error_map(wrong).describe() == sentence


def test_axes_of_one_element_are_left_out():
    wrong = np.zeros((2, 1, 1, 5), bool)
    wrong[1, :, :, 3] = True
    found = error_map(wrong, Output("result", ("batch", "1", "1", "k_len")))
    assert (found.rows, found.columns, found.share.shape) == ("sequence", "key", (2, 5))
    assert error_map(wrong[:1], Output("result", ("1", "1", "1", "k_len"))) is None


def test_heads_are_drawn_against_queries_where_there_are_no_keys():
    found = error_map(np.ones((2, 3, 4, 5), bool), Output("result", ("batch", "heads", "q_len", "v_head_dim")))
    assert (found.rows, found.columns) == ("head", "query")
    found = error_map(np.ones((2, 3, 4, 5), bool), Output("weights", ("batch", "heads", "q_len", "k_len")))
    assert (found.rows, found.columns) == ("query", "key")


def test_a_large_array_is_drawn_coarser_and_says_so():
    wrong = np.zeros((1, 30, 60, 1), bool)
    wrong[0, 29, 59] = True
    found = error_map(wrong)
    assert found.share.shape == (15, 20)
    assert found.step == (2, 3)
    assert found.share[14, 19] == 1 / 6
    assert "A cell is 2 head by 3 token." in picture.as_text(found)


def test_marks_say_what_colours_say():
    wrong = np.zeros((1, 1, 3, 2), bool)
    wrong[0, 0, 1], wrong[0, 0, 2, 0] = True, True
    found = error_map(wrong)
    assert "head 0" in picture.as_text(found)
    assert "· █ ▒" in picture.as_text(found)
    page = picture.as_html(found)
    assert [page.count(f">{mark}</td>") for mark in "·×~"] == [1, 1, 1]
    assert 'scope="row"' in page and 'aria-label="Wrong in' in page


def test_nothing_to_draw():
    assert picture.error_map(Problem("shape", "", HEADS)) is None
    assert error_map(np.ones(3, bool), Output("result", ("seq",))) is None
