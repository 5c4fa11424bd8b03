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


@sizes
def test_autograd_through_tiles_and_softmax(batch, q_len, k_len):
    q, k, v, given = inputs(TORCH, batch, q_len, k_len, {"bias": True})
    functions = TORCH.functions
    for x in (q, k, v, given["bias"]):
        x.requires_grad_()
    functions.blocked_attention(q, k, v, block=(2, 2), **given).sum().backward()
    functions.attention_scores(q, k, stage="weights", **given).sum().backward()
    found = [x.grad for x in (q, k, v, given["bias"])]
    assert all(grad.shape == x.shape for grad, x in zip(found, (q, k, v, given["bias"]), strict=True))
    assert all(torch.isfinite(grad).all() for grad in found)


@both
def test_a_mask_that_forbids_all_is_like_no_keys(path):
    q, k, v, _ = inputs(path, 2, 3, 5, {})
    functions, none = path.functions, path.array(np.zeros((2, 1, 1, 5), bool))
    out, lse = functions.blocked_attention(q, k, v, mask=none, return_lse=True)
    assert path.numpy(out).tolist() == np.zeros((2, 6, 3, 7)).tolist()
    assert path.numpy(lse).tolist() == np.full((2, 6, 3), -np.inf).tolist()
    assert path.numpy(functions.attention(q, k, v, mask=none)).tolist() == np.zeros((2, 6, 3, 7)).tolist()
    for gradient in functions.attention_backward(out, q, k, v, mask=none)[:3]:
        assert not path.numpy(gradient).any()
    merged, both_lse = functions.merge_attention([(out, lse), (out, lse)])
    assert path.numpy(merged).tolist() == path.numpy(out).tolist()
    assert path.numpy(both_lse).tolist() == path.numpy(lse).tolist()


@both
@pytest.mark.parametrize("room", [{"capacity": 4}, {"window": 2}], ids=["all", "ring"])
def test_caches(path, room):
    """A chunk of nothing, before the first token and after some; a batch of nobody."""
    kv = path.functions.KVCache(2, 3, 4, v_head_dim=5, dtype=path.zeros(1).dtype, **room)
    latents = path.functions.LatentCache(2, 6, 0, dtype=path.zeros(1).dtype, **room)
    for tokens, seen in ((0, 0), (2, 2), (0, 2)):
        got = kv.append(path.zeros(2, 3, tokens, 4), path.zeros(2, 3, tokens, 5), lengths=[tokens] * 2)
        assert got.keys.shape == (2, 3, seen, 4) and got.values.shape == (2, 3, seen, 5)
        assert got.mask.shape[-2:] == (tokens, seen) and got.mask.dtype == path.array(np.zeros(1, bool)).dtype
        out = path.functions.attention(path.zeros(2, 3, tokens, 4), got.keys, got.values, mask=got.mask)
        assert out.shape == (2, 3, tokens, 5) and out.dtype == got.keys.dtype
        entry = latents.append(path.zeros(2, tokens, 6), path.zeros(2, tokens, 0))
        assert entry.keys.shape == entry.values.shape == (2, 1, seen, 6)
        assert kv.lengths.tolist() == latents.lengths.tolist() == [seen, seen]
    nobody = path.functions.KVCache(0, 3, 4, dtype=path.zeros(1).dtype, **room)
    for tokens in (2, 0, 1):
        got = nobody.append(path.zeros(0, 3, tokens, 4), path.zeros(0, 3, tokens, 4), lengths=[])
        out = path.functions.attention(path.zeros(0, 3, tokens, 4), got.keys, got.values, mask=got.mask)
        assert out.shape == (0, 3, tokens, 4)
    assert nobody.lengths.tolist() == [] and nobody.nbytes == 0


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
    assert functions.padding_mask([], 3).shape == (0, 1, 1, 3)
    assert functions.padding_mask(path.array(np.zeros((0, 3), bool))).shape == (0, 1, 1, 3)
    assert functions.block_sparse_mask(path.array(np.zeros((0, 2), bool)), 4).shape == (0, 8)
    assert functions.sliding_window_mask(3, 0, 2).shape == functions.top_left_causal_mask(3, 0).shape == (3, 0)
    mixed = functions.combine_masks(functions.causal_mask(3, 0), functions.padding_mask([0, 0], 0))
    assert mixed.shape == (2, 1, 3, 0) and str(mixed.dtype).endswith("bool")
    assert functions.mask_to_bias(mixed).shape == functions.bias_to_mask(functions.mask_to_bias(mixed)).shape
    assert functions.apply_rotary(path.zeros(2, 3, 0, 4)).shape == (2, 3, 0, 4)
    assert functions.alibi_bias(3, 0, 2).shape == (1, 3, 0, 2)
    assert functions.rms_norm(path.zeros(0, 4), path.zeros(4)).shape == (0, 4)
    for axis in (0, 1):
        assert functions.softmax(path.zeros(0, 3), axis).shape == (0, 3)
        assert functions.softmax_backward(path.zeros(0, 3), path.zeros(0, 3), axis).shape == (0, 3)
    assert functions.mix_heads(path.zeros(2, 3, 0, 4), path.zeros(12, 5)).shape == (2, 0, 5)
    assert functions.merge_qkv(*(path.zeros(0, 3, 2, 4) for _ in "qkv")).shape == (0, 2, 36)
