"""What the exercises ask that the library does not have: their references, against the plainest way to say it."""

import itertools
import math

import numpy as np
import pytest
from manyheads import reference
from manyheads.exercises import get

RNG = np.random.default_rng(0)


def asked(name):
    return get(name).reference


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_bytes_copied_is_what_numpy_does(dtype):
    """On all small sizes, ones included: two arrays share memory, or the step has copied all of it."""
    for batch, seq, heads, dim in itertools.product([1, 2, 3], repeat=4):
        x = np.zeros((batch, seq, heads * dim), dtype)
        y = x.reshape(batch, seq, heads, dim)
        z = y.transpose(0, 2, 1, 3)
        c = np.ascontiguousarray(z)
        m = z.reshape(batch * heads, seq, dim)
        back = z.transpose(0, 2, 1, 3).reshape(batch, seq, -1)
        row = c.transpose(0, 2, 1, 3).reshape(batch, seq, -1)
        steps = [(x, y), (y, z), (z, c), (z, m), (z, back), (c, row)]
        copied, strides = asked("bytes-copied")(batch, seq, heads, dim, x.itemsize)
        assert copied.tolist() == [0 if np.shares_memory(*step) else x.nbytes for step in steps], x.shape
        assert strides.tolist() == list(z.strides)


def test_entropy_and_gradient_scale_element_by_element():
    weights = RNG.dirichlet(np.full(7, 0.3), (2, 5))
    weights[0, 0] = 0
    weights[1, 2] = np.eye(7)[3]
    entropy, scale = asked("row-entropy")(weights), asked("gradient-scale")(weights)
    for i, j in np.ndindex(2, 5):
        row = [float(p) for p in weights[i, j]]
        assert entropy[i, j] == pytest.approx(sum(-p * math.log2(p) for p in row if p), abs=1e-14)
        assert scale[i, j] == max(p * (1 - p) for p in row)


def test_a_regrouped_output_weight_gives_the_same_output():
    batch, heads, seq, dim, d_model = 2, 3, 5, 4, 7
    per_head = RNG.standard_normal((batch, heads, seq, dim))
    w_o = RNG.standard_normal((heads * dim, d_model))  # for rows in the order (d h)
    dim_first = per_head.transpose(0, 2, 3, 1).reshape(batch, seq, dim * heads)
    head_first = reference.combine_heads(per_head)
    assert np.allclose(dim_first @ w_o, head_first @ asked("regroup-output-weight")(w_o, heads), atol=1e-13)


def test_the_used_fraction_counts_the_mask():
    for k_len in range(1, 9):
        for q_len in range(1, k_len + 1):
            mask = reference.causal_mask(q_len, k_len)
            assert asked("used-fraction")(q_len, k_len) == pytest.approx(mask.mean(), rel=1e-15)


def test_every_query_head_gets_the_key_value_head_of_its_group():
    x = RNG.standard_normal((2, 3, 5, 4))
    repeated = asked("repeat-kv-heads")(x, 12)
    assert repeated.shape == (2, 12, 5, 4)
    assert all(np.array_equal(repeated[:, h], x[:, h // 4]) for h in range(12))


def test_a_converted_mask_element_by_element():
    allowed = RNG.random((5, 7)) < 0.5
    written = {
        "allow": allowed,
        "forbid": ~allowed,
        "bias": np.where(allowed, np.float32(0), np.float32(-np.inf)),
    }
    for have, want in itertools.product(written, repeat=2):
        assert np.array_equal(asked("convert-mask")(written[have], have, want), written[want]), (have, want)
    finite = np.array([[-1e9, 3.0, -np.inf]], "float32")
    assert asked("convert-mask")(finite, "bias", "allow").tolist() == [[True, True, False]]
    assert asked("convert-mask")(finite, "bias", "bias").tolist() == finite.tolist()


def test_tokens_are_appended_one_at_a_time():
    cache, new = RNG.standard_normal((3, 2, 9, 4)), RNG.standard_normal((3, 2, 3, 4))
    lengths = np.array([0, 4, 6])
    wanted = cache.copy()
    for b, i in np.ndindex(3, 3):
        wanted[b, :, lengths[b] + i] = new[b, :, i]
    assert np.array_equal(asked("append-to-cache")(cache, lengths, new), wanted)


@pytest.mark.parametrize("length", [0, 1, 4, 5, 6, 23])
@pytest.mark.parametrize("tokens", [1, 3, 5, 8, 13])
def test_the_ring_is_written_one_token_at_a_time(length, tokens):
    window = 5
    cache, new = RNG.standard_normal((2, 3, window, 4)), RNG.standard_normal((2, 3, tokens, 4))
    wanted, position = cache.copy(), [-1] * window
    for p in range(length):
        position[p % window] = p
    q = RNG.standard_normal((2, 3, 1, 4))
    if length:
        assert asked("ring-decode")(q, cache, cache, length)[1].tolist() == position
    for i in range(tokens):
        wanted[:, :, (length + i) % window] = new[:, :, i]
    assert np.array_equal(asked("ring-append")(cache, length, new), wanted)
