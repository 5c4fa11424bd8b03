"""split_heads and combine_heads, against indices written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manyheads.reference import combine_heads, split_heads

SIZES = st.lists(st.integers(1, 9), min_size=4, max_size=4, unique=True)


@given(SIZES)
def test_every_number_is_where_the_formula_says(sizes):
    batch, seq, n_heads, head_dim = sizes
    x = np.arange(batch * seq * n_heads * head_dim).reshape(batch, seq, n_heads * head_dim)
    out = split_heads(x, n_heads)
    assert out.shape == (batch, n_heads, seq, head_dim)
    for b, h, n, j in np.ndindex(out.shape):
        assert out[b, h, n, j] == x[b, n, h * head_dim + j]


@given(SIZES, st.sampled_from(["float16", "float32", "float64", "int32", "bool"]))
def test_combine_is_the_inverse(sizes, dtype):
    batch, seq, n_heads, head_dim = sizes
    x = np.arange(batch * seq * n_heads * head_dim).reshape(batch, seq, -1).astype(dtype)
    back = combine_heads(split_heads(x, n_heads))
    assert back.dtype == x.dtype
    assert np.array_equal(back, x)


def test_splitting_is_a_view_and_combining_copies_when_it_must():
    x = np.zeros((2, 5, 12))
    heads = split_heads(x, 3)
    assert np.shares_memory(x, heads)
    assert np.shares_memory(combine_heads(heads), x)  # they still lie as they did
    attended = heads.copy()
    assert not np.shares_memory(combine_heads(attended), attended)


@pytest.mark.parametrize("shape", [(0, 5, 12), (2, 0, 12)])
def test_empty_batches_and_sequences_work(shape):
    assert combine_heads(split_heads(np.zeros(shape), 3)).shape == shape


def test_inputs_that_are_not_contiguous():
    x = np.arange(2 * 5 * 24).reshape(2, 5, 24)[:, ::-1, ::2]
    assert np.array_equal(split_heads(x, 3), split_heads(np.ascontiguousarray(x), 3))
