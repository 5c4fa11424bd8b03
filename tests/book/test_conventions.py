"""Every convention on the notation page, tried on numbers."""

import inspect

import ml_dtypes
import numpy as np
import pytest
import torch
from manyheads import AttentionConfig, costs, reference, torch_path

from .notation_page import near, says, weights


def test_masks():
    says("In a mask, **True means: may attend**.")
    assert near(weights(1, 2, mask=np.array([[True, False]])), [[1, 0]])
    says("A float mask is refused, and the error says where it belongs.")
    with pytest.raises(TypeError, match="bias="):
        weights(1, 2, mask=np.zeros((1, 2)))
    says("Padding is `(batch, 1, 1, k_len)`, which `padding_mask` makes.")
    assert reference.padding_mask(np.array([1, 3]), 3).shape == (2, 1, 1, 3)


def test_causal_and_window():
    says(r"query $i$ sees key $j$ where $j \le i + m - n$. The last query sees every key.")
    n, m = 3, 5
    i, j = np.indices((n, m))
    assert np.array_equal(weights(n, m, causal=True) > 0, j <= i + m - n)
    says("**a window of $W$ is $W$ keys, the token itself included**")
    assert (weights(1, m, causal=True, window=2) > 0).tolist() == [[False, False, False, True, True]]
    says("A pair `(left, right)` counts neighbours, the token itself not included.")
    assert (weights(m, m, window=(2, 1)) > 0)[3].tolist() == [False, True, True, True, True]
    says("A single number without `causal` is refused: it does not say which side it means.")
    with pytest.raises(ValueError, match="does not say which side"):
        weights(n, m, window=2)


def test_a_query_that_may_attend_to_nothing():
    says("**A query that may attend to nothing gets 0**, and its gradients are 0.")
    mask = np.array([[True, True], [False, False]])
    assert near(weights(2, 2, mask=mask)[1], [0, 0])
    rng = np.random.default_rng(0)
    arrays = rng.standard_normal((4, 1, 1, 2, 3))
    by_hand = reference.attention_backward(*arrays, mask=mask)
    q, k, v = (torch.from_numpy(x).requires_grad_() for x in arrays[1:])
    torch_path.attention(q, k, v, mask=torch.from_numpy(mask)).backward(torch.from_numpy(arrays[0]))
    for got, ours in zip((q, k, v), by_hand, strict=False):
        assert got.grad is not None and near(got.grad, ours) and np.isfinite(ours).all()
    assert not by_hand.q[0, 0, 1].any() and by_hand.q[0, 0, 0].any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_slot_that_nobody_may_attend(value):
    says("**A slot that nobody may attend is not read.** Padding and the unused end of a cache may hold anything")
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 2, 1, 3, 4))
    mask = reference.padding_mask(np.array([3, 2]), 3)
    clean = reference.attention(q, k, v, mask=mask)
    k[1, :, 2] = v[1, :, 2] = value
    assert near(reference.attention(q, k, v, mask=mask), clean)


def test_the_order_of_the_steps():
    says("**Scale, softcap, bias and mask, softmax.**")
    q, k = np.random.default_rng(0).standard_normal((2, 1, 1, 3, 4))
    bias, mask = np.random.default_rng(1).standard_normal((3, 3)), np.tri(3, dtype=bool)
    scaled = 0.7 * q @ k.swapaxes(2, 3)
    capped = 2 * np.tanh(scaled / 2)
    masked = np.where(mask, capped + bias, -np.inf)
    softmax = np.exp(masked) / np.exp(masked).sum(-1, keepdims=True)
    options = {"scale": 0.7, "softcap": 2.0, "bias": bias, "mask": mask}
    for stage, expected in zip(reference.STAGES, (scaled, capped, masked, softmax), strict=True):
        assert near(reference.attention_scores(q, k, stage=stage, **options), expected)
    says("With the cap after the mask, minus infinity would become $-1$")
    assert 1.0 * np.tanh(-np.inf / 1.0) == -1
    says(r"The scale is $1 / \sqrt{d}$.")
    assert near(reference.attention_scores(q, k), q @ k.swapaxes(2, 3) / np.sqrt(4))
    says("The log-sum-exp is a natural logarithm of masked scores; minus infinity for a query that sees nothing.")
    mask[1] = False
    _, lse = reference.blocked_attention(q, k, k, return_lse=True, **options)
    assert near(lse[0, 0, [0, 2]], np.log(np.exp(masked).sum(-1))[0, 0, [0, 2]])
    assert lse[0, 0, 1] == -np.inf


def test_heads_and_layouts():
    says(r"**Query head $i$ reads key/value head $\lfloor i / g \rfloor$**")
    v = np.array([10.0, 20.0]).reshape(1, 2, 1, 1)
    got = reference.attention(np.zeros((1, 6, 1, 4)), np.zeros((1, 2, 1, 4)), v)
    assert got.ravel().tolist() == [10, 10, 10, 20, 20, 20]
    says("The default is `concatenated`.")
    for function in (reference.split_qkv, reference.merge_qkv):
        assert inspect.signature(function).parameters["layout"].default == "concatenated"


def test_positions():
    says("With fewer queries than keys the queries are the last tokens.")
    says("A mask, a window and ALiBi's distance all count so.")
    for make in (
        reference.causal_mask,
        lambda n, m: reference.sliding_window_mask(n, m, 2),
        lambda n, m: reference.alibi_bias(2, n, m),
    ):
        assert np.array_equal(make(2, 5), make(5, 5)[..., -2:, :])


def test_a_cache_and_its_ring():
    says("the first new one stands where the cache's `lengths` said that the old ones end")
    says("**position $p$ lies in slot `p % window`**")
    says("`key_positions` says where each stands, and -1 that a slot is empty")
    says("A padding query has position -1, sees no key, and gets 0.")
    cache = reference.KVCache(2, 1, 4, window=3)
    for number in range(4):  # one token at a time; the second sequence has no fourth
        k = np.full((2, 1, 1, 4), number, np.float32)
        before = cache.lengths
        seen = cache.append(k, k, lengths=np.array([1, number < 3]))
    assert before.tolist() == [3, 3] and cache.lengths.tolist() == [4, 3]
    assert seen.key_positions.tolist() == [[3, 1, 2], [0, 1, 2]]
    assert all(position % 3 == slot for row in seen.key_positions for slot, position in enumerate(row))
    assert seen.keys[0, 0, :, 0].tolist() == [3, 1, 2]
    assert seen.query_positions.tolist() == [[3], [-1]]
    assert seen.mask[:, 0, 0].tolist() == [[True] * 3, [False] * 3]
    assert not reference.attention(k, seen.keys, seen.values, mask=seen.mask)[1].any()
    short = reference.KVCache(2, 1, 4, window=3).append(k, k, lengths=np.array([1, 0]))
    assert short.key_positions.tolist() == [[0], [-1]]
    says("Where the sequences of a batch are in step, one row of a cache's mask and positions stands for all")
    even = reference.KVCache(2, 1, 4, window=3).append(k, k)
    assert even.mask.shape[0] == even.key_positions.shape[0] == even.query_positions.shape[0] == 1


def test_rotary_pairs():
    says(r"turns pair $i$ at position $p$ by the angle $p \cdot \text{base}^{-2i/d}$")
    says("With `interleaved` a pair is the elements $2i$ and $2i + 1$, with `halves` it is $i$ and $i + d/2$.")
    d, p, base = 6, 5, 100.0
    for pairing, pairs in {"interleaved": [(0, 1), (2, 3), (4, 5)], "halves": [(0, 3), (1, 4), (2, 5)]}.items():
        x = np.random.default_rng(0).standard_normal((1, 1, 1, d))
        expected = np.empty(d)
        for i, pair in enumerate(pairs):
            turned = complex(*x[0, 0, 0, list(pair)]) * np.exp(1j * p * base ** (-2 * i / d))
            expected[list(pair)] = turned.real, turned.imag
        assert near(reference.apply_rotary(x, np.array([p]), base=base, pairing=pairing)[0, 0, 0], expected)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_dtypes(dtype):
    says("A result has the dtype of its inputs.")
    says("Inside, 16-bit numbers are computed in float32; a log-sum-exp stays float32.")
    dtype = np.dtype(dtype)
    q, k, v = (x.astype(dtype) for x in np.random.default_rng(0).standard_normal((3, 1, 2, 3, 4)))
    out, lse = reference.blocked_attention(q, k, v, return_lse=True)
    assert out.dtype == reference.attention(q, k, v).dtype == dtype
    assert lse.dtype == (np.float64 if dtype == np.float64 else np.float32)
    if dtype.itemsize == 2:
        wide = reference.attention(*(x.astype(np.float32) for x in (q, k, v)))
        assert np.array_equal(reference.attention(q, k, v), wide.astype(dtype))


def test_counts():
    says("Counts of parameters, operations and bytes are Python integers, which do not overflow.")
    config = AttentionConfig(np.int32(8192), np.int32(64), n_layers=np.int32(80))
    for count in (costs.parameters(config), costs.kv_cache_bytes(config, np.int32(10**6))):
        assert type(count) is int and count > 2**32
