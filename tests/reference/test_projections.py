"""One matrix a head and one for all: against einsum, and against each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manyheads.reference import fused_projection, pack_heads, per_head_projections, unpack_heads

SIZES = st.lists(st.integers(1, 8), min_size=5, max_size=5, unique=True)


@given(SIZES, st.sampled_from(["float32", "float64"]), st.integers(0, 99))
def test_both_ways_are_the_sum_over_d_model(sizes, dtype, seed):
    batch, seq, d_model, n_heads, head_dim = sizes
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((batch, seq, d_model)).astype(dtype)
    w = rng.standard_normal((n_heads, d_model, head_dim)).astype(dtype)
    expected = np.einsum("bni,hij->bhnj", x.astype("float64"), w.astype("float64"))
    bound = 40 * np.finfo(dtype).eps
    for out in (per_head_projections(x, w), fused_projection(x, pack_heads(w), n_heads)):
        assert out.shape == expected.shape
        assert out.dtype == dtype
        np.testing.assert_allclose(out, expected, rtol=0, atol=bound)


@given(SIZES)
def test_packing_puts_every_weight_where_the_formula_says(sizes):
    d_model, n_heads, head_dim, *_ = sizes
    w = np.arange(n_heads * d_model * head_dim).reshape(n_heads, d_model, head_dim)
    packed = pack_heads(w)
    assert packed.shape == (d_model, n_heads * head_dim)
    for h, i, j in np.ndindex(w.shape):
        assert packed[i, h * head_dim + j] == w[h, i, j]
    assert np.array_equal(unpack_heads(packed, n_heads), w)


def test_one_head_and_one_token():
    x = np.array([[[1.0, 2.0]]])
    w = np.array([[[1.0], [0.0]], [[0.0], [10.0]]])
    assert per_head_projections(x, w).tolist() == [[[[1.0]], [[20.0]]]]


@pytest.mark.parametrize(("batch", "seq"), [(0, 3), (2, 0)])
def test_nothing_to_project_works(batch, seq):
    x, w = np.zeros((batch, seq, 5)), np.zeros((3, 5, 2))
    assert per_head_projections(x, w).shape == (batch, 3, seq, 2)
    assert fused_projection(x, pack_heads(w), 3).shape == (batch, 3, seq, 2)
