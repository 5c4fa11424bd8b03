"""Masks by their formula, entry by entry, and how they combine; on both paths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .oracle import near
from .paths import PATHS

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
LENGTHS = st.integers(0, 9)


def expected(q_len, k_len, causal, window):
    """Entry by entry, bottom right."""
    mask = np.zeros((q_len, k_len), bool)
    for i, j in np.ndindex(q_len, k_len):
        mask[i, j] = near(i + k_len - q_len, j, causal, window)
    return mask


@given(LENGTHS, LENGTHS)
def test_causal_is_aligned_at_the_bottom_right(path, q_len, k_len):
    mask = path.numpy(path.functions.causal_mask(q_len, k_len))
    assert mask.dtype == bool and mask.shape == (q_len, k_len)
    assert np.array_equal(mask, expected(q_len, k_len, True, None))
    if q_len:
        assert mask[-1].all()


@given(LENGTHS, LENGTHS, st.integers(1, 12))
def test_a_window_of_w_is_w_keys(path, q_len, k_len, window):
    mask = path.numpy(path.functions.sliding_window_mask(q_len, k_len, window))
    assert mask.shape == (q_len, k_len)
    for i in range(q_len):
        position = i + k_len - q_len
        assert np.flatnonzero(mask[i]).tolist() == [j for j in range(k_len) if position - window < j <= position]
    if q_len and k_len >= window:
        assert mask[-1].sum() == window


@given(LENGTHS, LENGTHS, st.none() | st.integers(0, 5), st.none() | st.integers(0, 5))
def test_a_window_of_two_sides_counts_neighbours(path, q_len, k_len, left, right):
    mask = path.numpy(path.functions.sliding_window_mask(q_len, k_len, (left, right)))
    assert mask.shape == (q_len, k_len)
    assert np.array_equal(mask, expected(q_len, k_len, False, (left, right)))


def test_padding_from_lengths_and_from_flags(path):
    padding_mask = path.functions.padding_mask
    mask = path.numpy(padding_mask(path.array(np.array([3, 0, 5])), 5))
    assert mask.shape == (3, 1, 1, 5)
    assert mask[:, 0, 0].sum(axis=1).tolist() == [3, 0, 5]
    assert mask[0, 0, 0].tolist() == [True, True, True, False, False]
    left_padded = np.array([[False, True, True], [True, True, True]])
    assert np.array_equal(path.numpy(padding_mask(path.array(left_padded)))[:, 0, 0], left_padded)
    short = path.array(np.array([1, 2], "int32"))
    assert np.array_equal(path.numpy(padding_mask([1, 2], 3)), path.numpy(padding_mask(short, 3)))


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_block_sparse_repeats_the_layout(path, q_blocks, k_blocks, block, seed):
    layout = np.random.default_rng(seed).random((q_blocks, k_blocks)) < 0.5
    mask = path.numpy(path.functions.block_sparse_mask(path.array(layout), block))
    assert mask.shape == (q_blocks * block, k_blocks * block)
    for i, j in np.ndindex(mask.shape):
        assert mask[i, j] == layout[i // block, j // block]


def test_combining_is_and_over_any_ranks(path):
    functions = path.functions
    causal, padding = functions.causal_mask(3, 5), functions.padding_mask([5, 2], 5)
    per_head = path.array(np.random.default_rng(0).random((1, 4, 3, 1)) < 0.5)
    both = path.numpy(functions.combine_masks(causal, None, padding, per_head))
    assert both.shape == (2, 4, 3, 5)
    for b, h, i, j in np.ndindex(both.shape):
        assert both[b, h, i, j] == (causal[i, j] and padding[b, 0, 0, j] and per_head[0, h, i, 0])
    assert functions.combine_masks(None, None) is None
    assert np.array_equal(path.numpy(functions.combine_masks(causal)), path.numpy(causal))


def test_a_mask_that_was_combined_does_not_share_memory_with_what_it_came_from(path):
    causal = path.functions.causal_mask(3, 3)
    path.functions.combine_masks(causal, path.functions.causal_mask(3, 3))[0, 0] = False
    assert causal[0, 0]


@pytest.mark.parametrize("n", [4, 128, 1024])
def test_the_used_fraction_of_a_causal_square(path, n):
    from manyheads import costs

    used = int(path.functions.causal_mask(n, n).sum())
    assert used == n * (n + 1) // 2 == costs.attended_pairs(n, causal=True)


def test_the_same_sentence_alone_and_in_a_padded_batch(path):
    rng = np.random.default_rng(1)
    q, k, v = (path.array(rng.standard_normal((2, 3, 6, 4))) for _ in "qkv")
    attention = path.functions.attention
    alone = path.numpy(attention(q[1:, :, :4], k[1:, :, :4], v[1:, :, :4]))
    batched = path.numpy(attention(q, k, v, mask=path.functions.padding_mask([6, 4], 6)))[1:, :, :4]
    forgotten = path.numpy(attention(q, k, v))[1:, :, :4]
    np.testing.assert_allclose(batched, alone, atol=1e-14)
    assert np.abs(forgotten - alone).max() > 0.1
