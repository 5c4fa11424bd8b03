"""Masks by their formula, entry by entry, and how they combine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manyheads import reference

LENGTHS = st.integers(0, 9)


@given(LENGTHS, LENGTHS)
def test_causal_is_aligned_at_the_bottom_right(q_len, k_len):
    mask = reference.causal_mask(q_len, k_len)
    assert mask.dtype == bool and mask.shape == (q_len, k_len)
    for i, j in np.ndindex(q_len, k_len):
        assert mask[i, j] == (j <= i + k_len - q_len)
    if q_len:
        assert mask[-1].all()


@given(LENGTHS, LENGTHS, st.integers(1, 12))
def test_a_window_of_w_is_w_keys(q_len, k_len, window):
    mask = reference.sliding_window_mask(q_len, k_len, window)
    for i in range(q_len):
        position = i + k_len - q_len
        expected = [j for j in range(k_len) if position - window < j <= position]
        assert np.flatnonzero(mask[i]).tolist() == expected
    if q_len and k_len >= window:
        assert mask[-1].sum() == window


@given(LENGTHS, LENGTHS, st.none() | st.integers(0, 5), st.none() | st.integers(0, 5))
def test_a_window_of_two_sides_counts_neighbours(q_len, k_len, left, right):
    mask = reference.sliding_window_mask(q_len, k_len, (left, right))
    for i, j in np.ndindex(q_len, k_len):
        distance = j - (i + k_len - q_len)
        assert mask[i, j] == ((left is None or distance >= -left) and (right is None or distance <= right))


def test_padding_from_lengths_and_from_flags():
    mask = reference.padding_mask(np.array([3, 0, 5]), 5)
    assert mask.shape == (3, 1, 1, 5)
    assert mask[:, 0, 0].sum(axis=1).tolist() == [3, 0, 5]
    assert mask[0, 0, 0].tolist() == [True, True, True, False, False]
    left_padded = np.array([[False, True, True], [True, True, True]])
    assert np.array_equal(reference.padding_mask(left_padded)[:, 0, 0], left_padded)
    assert np.array_equal(reference.padding_mask([1, 2], 3), reference.padding_mask(np.array([1, 2], "int32"), 3))


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_block_sparse_repeats_the_layout(q_blocks, k_blocks, block, seed):
    layout = np.random.default_rng(seed).random((q_blocks, k_blocks)) < 0.5
    mask = reference.block_sparse_mask(layout, block)
    assert mask.shape == (q_blocks * block, k_blocks * block)
    for i, j in np.ndindex(mask.shape):
        assert mask[i, j] == layout[i // block, j // block]


def test_combining_is_and_over_any_ranks():
    rng = np.random.default_rng(0)
    causal, padding = reference.causal_mask(3, 5), reference.padding_mask([5, 2], 5)
    per_head = rng.random((1, 4, 3, 1)) < 0.5
    both = reference.combine_masks(causal, None, padding, per_head)
    assert both.shape == (2, 4, 3, 5)
    for b, h, i, j in np.ndindex(both.shape):
        assert both[b, h, i, j] == (causal[i, j] and padding[b, 0, 0, j] and per_head[0, h, i, 0])
    assert reference.combine_masks(None, None) is None
    assert np.array_equal(reference.combine_masks(causal), causal)


def test_a_mask_that_was_combined_does_not_share_memory_with_what_it_came_from():
    causal = reference.causal_mask(3, 3)
    reference.combine_masks(causal, None)[0, 0] = False
    assert causal[0, 0]


@pytest.mark.parametrize("n", [4, 128, 1024])
def test_the_used_fraction_of_a_causal_square(n):
    assert reference.causal_mask(n, n).sum() == n * (n + 1) // 2


def test_the_same_sentence_alone_and_in_a_padded_batch():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((2, 3, 6, 4)) for _ in "qkv")
    alone = reference.attention(q[1:, :, :4], k[1:, :, :4], v[1:, :, :4])
    batched = reference.attention(q, k, v, mask=reference.padding_mask([6, 4], 6))[1:, :, :4]
    forgotten = reference.attention(q, k, v)[1:, :, :4]
    np.testing.assert_allclose(batched, alone, atol=1e-14)
    assert np.abs(forgotten - alone).max() > 0.1
