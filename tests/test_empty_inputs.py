"""An empty batch, no queries and no keys work, on both paths: right shapes, zeros where there is nothing to see."""

import numpy as np
import pytest
import torch

from .layers import VARIANTS, layer
from .paths import PATHS, TORCH

SIZES = {"no batch": (0, 3, 5), "no queries": (2, 0, 5), "no keys": (2, 3, 0), "nothing": (0, 0, 0)}
OPTIONS = {
    "plain": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 2},
    "softcap": {"softcap": 2.0},
    "mask": {"mask": True},
    "bias": {"bias": True},
    "mask and causal": {"mask": True, "causal": True},
}
both = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
sizes = pytest.mark.parametrize(("batch", "q_len", "k_len"), SIZES.values(), ids=SIZES)
options = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def inputs(path, batch, q_len, k_len, options):
    shapes = ((batch, 6, q_len, 4), (batch, 2, k_len, 4), (batch, 2, k_len, 7))
    q, k, v = (path.array(np.ones(shape, "float32")) for shape in shapes)
    options = dict(options)
    if "mask" in options:
        options["mask"] = path.array(np.ones((q_len, k_len), bool))
    if "bias" in options:
        options["bias"] = path.array(np.ones((1, 6, q_len, k_len), "float32"))
    return q, k, v, options


@both
@sizes
@options
def test_attention(path, batch, q_len, k_len, options):
    q, k, v, options = inputs(path, batch, q_len, k_len, options)
    functions = path.functions
    for backend in ("auto", "math", "sdpa") if path is TORCH else (None,):
        if backend == "sdpa" and "softcap" in options:
            continue
        out = functions.attention(q, k, v, **options, **({"backend": backend} if backend else {}))
        assert out.shape == (batch, 6, q_len, 7) and out.dtype == q.dtype
        assert path.numpy(out).tolist() == np.full(out.shape, 1.0 if k_len and batch else 0.0).tolist()
    tiled, lse = functions.blocked_attention(q, k, v, return_lse=True, **options)
    assert tiled.shape == (batch, 6, q_len, 7) and lse.shape == (batch, 6, q_len)
    assert np.array_equal(path.numpy(tiled), path.numpy(out))
    assert np.isneginf(path.numpy(lse)).all() if not k_len else np.isfinite(path.numpy(lse)).all()
    merged, _ = functions.merge_attention([(tiled, lse), (tiled, lse)])
    assert np.array_equal(path.numpy(merged), path.numpy(out))
    for stage in functions.STAGES:
        scores = functions.attention_scores(q, k, stage=stage, **options)
        assert scores.shape == (batch, 6, q_len, k_len) and scores.dtype == q.dtype
    gradients = functions.attention_backward(out, q, k, v, **options)
    for gradient, x in zip(gradients, (q, k, v, options.get("bias")), strict=True):
        assert gradient is x is None or (gradient.shape == x.shape and np.isfinite(path.numpy(gradient)).all())


@sizes
@pytest.mark.parametrize("backend", ["math", "sdpa"])
def test_autograd(batch, q_len, k_len, backend):
    q, k, v, _ = inputs(TORCH, batch, q_len, k_len, {})
    for x in (q, k, v):
        x.requires_grad_()
    TORCH.functions.attention(q, k, v, backend=backend).sum().backward()
    assert all(x.grad.shape == x.shape and torch.isfinite(x.grad).all() for x in (q, k, v))


@both
@pytest.mark.parametrize("variant", VARIANTS)
def test_layers(path, variant):
    one = layer(variant)
    for batch, seq in ((0, 3), (2, 0)):
        x = np.zeros((batch, seq, 11))
        assert one.run(path, x, causal=True, rotary="halves").shape == x.shape
    cache = one.cache(path, 2, 4)
    first = one.run(path, np.ones((2, 3, 11)), cache=cache)
    assert one.run(path, np.zeros((2, 0, 11)), cache=cache).shape == (2, 0, 11)
    assert cache.lengths.tolist() == [3, 3]
    nobody = one.cache(path, 0, 4)
    assert one.run(path, np.zeros((0, 3, 11)), cache=nobody).shape == (0, 3, 11)
    ring = one.cache(path, 2, window=2)
    assert one.run(path, np.zeros((2, 0, 11)), cache=ring).shape == (2, 0, 11)
    assert first.shape == (2, 3, 11)


@both
def test_cross_attention_to_nothing(path):
    one = layer("gqa")
    out = one.run(path, np.ones((2, 3, 11)), context=np.zeros((2, 0, 11)))
    assert out.tolist() == np.zeros((2, 3, 11)).tolist()


@both
def test_pieces(path):
    functions = path.functions
    assert functions.causal_mask(0, 3).shape == (0, 3)
    assert functions.padding_mask(path.array(np.zeros(0, int)), 3).shape == (0, 1, 1, 3)
    assert functions.padding_mask(path.array(np.zeros(2, int)), 0).shape == (2, 1, 1, 0)
    assert functions.apply_rotary(path.zeros(2, 3, 0, 4)).shape == (2, 3, 0, 4)
    assert functions.alibi_bias(3, 0, 2).shape == (1, 3, 0, 2)
    assert functions.rms_norm(path.zeros(0, 4), path.zeros(4)).shape == (0, 4)
    for axis in (0, 1):
        assert functions.softmax(path.zeros(0, 3), axis).shape == (0, 3)
        assert functions.softmax_backward(path.zeros(0, 3), path.zeros(0, 3), axis).shape == (0, 3)
    assert functions.mix_heads(path.zeros(2, 3, 0, 4), path.zeros(12, 5)).shape == (2, 0, 5)
    assert functions.merge_qkv(*(path.zeros(0, 3, 2, 4) for _ in "qkv")).shape == (0, 2, 36)
