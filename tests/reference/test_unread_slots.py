"""A slot that nobody may attend is not read, and a row with nothing in it is 0: on every NumPy path."""

import numpy as np
import pytest
from manyheads import reference

from ..attention_calls import DTYPES

FUNCTIONS = {
    "attention": reference.attention,
    "blocked": lambda *arrays, **options: reference.blocked_attention(*arrays, block=(2, 3), **options),
    "one tile": reference.blocked_attention,
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("heads_axis", [1, 6])
def test_nothing_leaks_from_padding(function, dtype, poison, heads_axis):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((3, h, n, 4)).astype(DTYPES[dtype]) for h, n in ((6, 5), (2, 9), (2, 9)))
    mask = np.broadcast_to(reference.padding_mask(np.array([9, 4, 0]), 9), (3, heads_axis, 1, 9))
    expected = FUNCTIONS[function](q, k, v, mask=mask, causal=True)
    k[1, :, 4:], v[1, :, 4:], k[2], v[2] = poison, poison, poison, poison
    out = FUNCTIONS[function](q, k, v, mask=mask, causal=True)
    assert np.array_equal(out, expected)
    assert np.isfinite(out.astype(float)).all()
    assert (out[2] == 0).all() and (out[0] != 0).any()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_leaks_from_outside_everyones_window(function):
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (2, 9, 9))
    expected = FUNCTIONS[function](q, k, v, causal=True, window=3)
    k[:, :, :5], v[:, :, :5] = np.nan, np.nan  # the first query stands at 7 and sees 5, 6, 7
    assert np.array_equal(FUNCTIONS[function](q, k, v, causal=True, window=3), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_leaks_from_under_a_bias_of_minus_infinity(function):
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (5, 7, 7))
    bias = rng.standard_normal((2, 1, 1, 7))
    bias[1, ..., 3:] = -np.inf
    expected = FUNCTIONS[function](q, k, v, bias=bias)
    k[1, :, 3:], v[1, :, 3:] = np.nan, np.inf
    assert np.array_equal(FUNCTIONS[function](q, k, v, bias=bias), expected)


def test_a_head_that_reads_a_slot_does_not_lend_it_to_another_kv_head():
    """Query heads 0-2 read K/V head 0, heads 3-5 read K/V head 1; slot 4 is for heads 0-2 alone."""
    rng = np.random.default_rng(3)
    q, k, v = rng.standard_normal((2, 6, 3, 4)), rng.standard_normal((2, 2, 7, 4)), rng.standard_normal((2, 2, 7, 4))
    mask = np.ones((1, 6, 1, 7), bool)
    mask[:, 3:, :, 4] = False
    for function in FUNCTIONS.values():
        expected = function(q, k, v, mask=mask)
        dirty_k, dirty_v = k.copy(), v.copy()
        dirty_k[:, 1, 4], dirty_v[:, 1, 4] = np.nan, np.nan
        assert np.array_equal(function(q, dirty_k, dirty_v, mask=mask), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_more_queries_than_keys_leave_the_first_rows_empty(function, dtype):
    q, k, v = (np.ones((2, 3, n, 4)).astype(DTYPES[dtype]) for n in (5, 2, 2))
    out = FUNCTIONS[function](q, k, v, causal=True)
    assert out.dtype == DTYPES[dtype]
    assert out[:, :, :, 0].astype(float).tolist() == [[[0, 0, 0, 1, 1]] * 3] * 2


def test_softmax_keeps_dtype_shape_and_empty_rows():
    for dtype in DTYPES.values():
        scores = np.array([[1e4, 1e4, -np.inf], [-np.inf] * 3]).astype(dtype)
        weights = reference.softmax(scores)
        assert weights.dtype == dtype
        assert weights.astype(float).tolist() == [[0.5, 0.5, 0], [0, 0, 0]]
        columns = reference.softmax(scores, axis=0)
        assert columns.astype(float).tolist() == [[1, 1, 0], [0, 0, 0]]
    assert reference.softmax(np.zeros((3, 0))).shape == (3, 0)
