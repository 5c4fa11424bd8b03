"""Every converter, both ways and on both paths, against the other library's meaning written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .layers import turn
from .paths import PATHS

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
RNG = np.random.default_rng(11)
KV_AND_GROUP = st.sampled_from([(2, 3), (3, 2), (3, 4), (1, 5), (5, 1)])


def test_polarity(path):
    theirs = RNG.random((2, 1, 3, 4)) < 0.5
    ours = path.numpy(path.functions.flip_mask(path.array(theirs)))
    assert np.array_equal(ours, np.logical_not(theirs))


def test_masks_that_are_added(path):
    mask = RNG.random((3, 4)) < 0.5
    for dtype in ("float16", "float32", "float64"):
        kind = path.array(np.zeros(1, dtype)).dtype
        bias = path.functions.mask_to_bias(path.array(mask), kind)
        assert bias.dtype == kind
        assert path.numpy(bias).tolist() == [[0.0 if m else -np.inf for m in row] for row in mask]
        assert np.array_equal(path.numpy(path.functions.bias_to_mask(bias)), mask)
    for stand_in in (-1e4, -1e9, np.finfo("float32").min, -np.inf):
        bias = np.where(mask, 0, stand_in).astype("float32")
        assert np.array_equal(path.numpy(path.functions.bias_to_mask(path.array(bias))), mask)
    q, k, v = (path.array(RNG.standard_normal((2, 3, n, 5))) for n in (3, 4, 4))
    attention = path.functions.attention
    added = attention(q, k, v, bias=path.functions.mask_to_bias(path.array(mask), q.dtype))
    assert np.array_equal(path.numpy(added), path.numpy(attention(q, k, v, mask=path.array(mask))))


@given(st.integers(0, 6), st.integers(0, 6))
def test_the_top_left_corner(path, q_len, k_len):
    mask = path.numpy(path.functions.top_left_causal_mask(q_len, k_len))
    assert mask.shape == (q_len, k_len)
    for i, j in np.ndindex(q_len, k_len):
        assert mask[i, j] == (j <= i)


@given(st.integers(-1, 6), st.integers(-1, 6))
def test_windows_that_count_neighbours(path, left, right):
    """Tried on the mask: a key counts when it is at most `left` behind and `right` ahead; -1 is no limit."""
    options = path.functions.window_from_neighbours(left, right)
    zeros = path.array(np.zeros((1, 1, 7, 2)))
    weights = path.numpy(path.functions.attention_scores(zeros, zeros, **options))[0, 0] == 0
    for i, j in np.ndindex(7, 7):
        assert weights[i, j] == ((left < 0 or i - j <= left) and (right < 0 or j - i <= right))
    assert path.functions.window_to_neighbours(**options) == (left, right)


def test_windows_without_a_limit(path):
    functions = path.functions
    assert functions.window_from_neighbours(None, 0) == {"causal": True, "window": None}
    assert functions.window_from_neighbours(-1, -1) == {"causal": False, "window": None}
    assert functions.window_to_neighbours() == (-1, -1)
    assert functions.window_to_neighbours(causal=True) == (-1, 0)
    assert functions.window_to_neighbours(causal=True, window=1) == (0, 0)
    assert functions.window_to_neighbours(causal=True, window=(2, 3)) == (2, 0)


@given(KV_AND_GROUP)
def test_models_that_tile_their_heads(path, sizes):
    """Attention with heads reordered is the model that reads K/V head h % kv_heads."""
    kv_heads, group = sizes
    heads = kv_heads * group
    q, k, v = (RNG.standard_normal((2, h, n, 4)) for h, n in ((heads, 3), (kv_heads, 6), (kv_heads, 6)))
    grouped = path.functions.group_heads(path.array(q), kv_heads)
    for j, i in np.ndindex(kv_heads, group):
        assert np.array_equal(path.numpy(grouped)[:, j * group + i], q[:, i * kv_heads + j])
    out = path.functions.attention(grouped, path.array(k), path.array(v))
    back = path.numpy(path.functions.tile_heads(out, kv_heads))
    tiled = path.functions.attention(
        *(path.array(x) for x in (q, np.tile(k, (1, group, 1, 1)), np.tile(v, (1, group, 1, 1))))
    )
    np.testing.assert_allclose(back, path.numpy(tiled), atol=1e-14)


@pytest.mark.parametrize(
    ("layout", "kv_heads"), [("concatenated", 6), ("concatenated", 2), ("per_head", 6), ("per_group", 2)]
)
def test_fused_layouts_there_and_back(path, layout, kv_heads):
    functions, width = path.functions, (6 + 2 * kv_heads) * 5
    fused = path.array(RNG.standard_normal((2, 3, width)))
    q, k, v = functions.split_qkv(fused, 6, kv_heads, layout)
    assert np.array_equal(path.numpy(functions.merge_qkv(q, k, v, layout)), path.numpy(fused))
    w, x = path.array(RNG.standard_normal((7, width))), path.array(RNG.standard_normal((2, 3, 7)))
    parts = functions.split_qkv_weights(w, 6, kv_heads, layout)
    for mine, theirs, heads in zip(
        parts, functions.split_qkv(x @ w, 6, kv_heads, layout), (6, kv_heads, kv_heads), strict=True
    ):
        assert mine.shape == (7, heads * 5)
        np.testing.assert_allclose(
            path.numpy(functions.split_heads(x @ mine, heads)), path.numpy(theirs), rtol=0, atol=1e-13
        )
    merged = functions.merge_qkv_weights(*parts, 6, kv_heads, layout)
    assert np.array_equal(path.numpy(merged), path.numpy(w))


def test_linear_stores_the_transpose(path):
    w = RNG.standard_normal((3, 5))
    turned = path.functions.transpose_linear(path.array(w))
    assert turned.shape == (5, 3)
    assert np.array_equal(path.numpy(turned), w.T)


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
def test_rotary_is_multiplication_of_complex_numbers(path, pairing):
    x = RNG.standard_normal((2, 3, 5, 8))
    positions = np.array([[0, 1, 2, 3, 4], [7, 8, 9, 3000, 1]])
    for at in (None, positions[1], positions):
        out = path.numpy(path.functions.apply_rotary(path.array(x), at, base=700.0, pairing=pairing))
        for h in range(3):
            expected = turn(x[:, h], pairing, 700.0, np.arange(5) if at is None else at)
            np.testing.assert_allclose(out[:, h], expected, atol=1e-12)
    for dtype in ("float16", "float32"):
        assert path.numpy(path.functions.apply_rotary(path.array(x.astype(dtype)), pairing=pairing)).dtype == dtype


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
def test_rotary_scores_depend_on_distance_alone(path, pairing):
    q, k = RNG.standard_normal((2, 1, 1, 1, 6))

    def score(i, j):
        turned = [
            path.numpy(path.functions.apply_rotary(path.array(x), [p], pairing=pairing)) for x, p in ((q, i), (k, j))
        ]
        return (turned[0] * turned[1]).sum()

    assert abs(score(5, 2) - score(105, 102)) < 1e-11
    assert abs(score(5, 2) - score(5, 3)) > 1e-3


@pytest.mark.parametrize(
    ("source", "target"), [("interleaved", "halves"), ("halves", "interleaved"), ("halves", "halves")]
)
def test_a_model_that_pairs_otherwise_gets_the_same_scores(path, source, target):
    functions = path.functions
    x, w_q, w_k = RNG.standard_normal((2, 5, 7)), RNG.standard_normal((7, 24)), RNG.standard_normal((7, 24))
    scores = []
    for pairing, weights in ((source, (w_q, w_k)), (target, None)):
        weights = weights or [
            path.numpy(functions.convert_rotary_pairing(path.array(w), 3, source, target)) for w in (w_q, w_k)
        ]
        q, k = (
            functions.apply_rotary(functions.fused_projection(path.array(x), path.array(w), 3), pairing=pairing)
            for w in weights
        )
        scores.append(path.numpy(functions.attention_scores(q, k)))
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-12)
    back = functions.convert_rotary_pairing(
        functions.convert_rotary_pairing(path.array(w_q), 3, source, target), 3, target, source
    )
    assert np.array_equal(path.numpy(back), w_q)


@pytest.mark.parametrize("n_heads", [1, 2, 3, 8, 12])
def test_alibi(path, n_heads):
    bias = path.numpy(path.functions.alibi_bias(n_heads, 3, 5))
    assert bias.shape == (1, n_heads, 3, 5) and bias.dtype == np.float32
    slopes = path.functions.alibi_slopes(n_heads)
    assert len(set(slopes)) == n_heads
    for h, i, j in np.ndindex(n_heads, 3, 5):
        np.testing.assert_allclose(bias[0, h, i, j], -slopes[h] * abs(i + 2 - j), rtol=1e-6)
    known = {8: [2.0**-n for n in range(1, 9)], 1: [2.0**-8], 2: [2.0**-4, 2.0**-8], 3: [2.0**-4, 2.0**-8, 2.0**-2]}
    if n_heads in known:
        assert slopes == known[n_heads]
    else:  # the eight of 8 heads, then every other one of 16
        assert slopes == known[8] + [2.0 ** -(n + 0.5) for n in range(4)]


def test_rms_norm(path):
    x, weight = RNG.standard_normal((2, 3, 5)), RNG.standard_normal(5)
    out = path.numpy(path.functions.rms_norm(path.array(x), path.array(weight), eps=0.1))
    np.testing.assert_allclose(out, x / np.sqrt((x**2).mean(-1, keepdims=True) + 0.1) * weight, atol=1e-14)
    zeros = path.functions.rms_norm(path.array(np.zeros((2, 5), "float16")), path.array(np.ones(5, "float16")))
    assert path.numpy(zeros).dtype == np.float16 and (path.numpy(zeros) == 0).all()
    large = path.functions.rms_norm(path.array(np.full((1, 4), 300, "float16")), path.array(np.ones(4, "float16")))
    assert path.numpy(large).tolist() == [[1, 1, 1, 1]]  # 300 squared does not fit float16
