"""mha, mqa, gqa and mla on both paths, against the layer written head by head."""

import numpy as np
import pytest
from manyheads import reference

from .layers import D_MODEL, HEADS, V_DIM, VARIANTS, by_hand, layer
from .paths import PATHS

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
RNG = np.random.default_rng(7)
X, CONTEXT = RNG.standard_normal((2, 8, D_MODEL)), RNG.standard_normal((2, 9, D_MODEL))
OPTIONS = {
    "plain": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window": 3},
    "padded": {"mask": reference.padding_mask([8, 5], 8)},
    "capped and scaled": {"softcap": 0.8, "scale": 1.3, "causal": True},
    "bias": {"bias": np.random.default_rng(8).standard_normal((1, 1, 8, 8))},
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_layer_is_the_sum_over_its_heads(path, variant, options):
    one = layer(variant)
    np.testing.assert_allclose(
        one.run(path, X, **OPTIONS[options]), by_hand(one, X, **OPTIONS[options]), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rotary_positions(path, variant, pairing):
    one = layer(variant)
    expected = by_hand(one, X, rotary=pairing, base=500.0, causal=True)
    out = one.run(path, X, rotary=pairing, rotary_base=500.0, causal=True)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12)
    assert np.abs(out - by_hand(one, X, rotary=pairing, base=501.0, causal=True)).max() > 1e-6


@pytest.mark.parametrize("variant", ["mha", "gqa", "mqa"])
def test_cross_attention(path, variant):
    one = layer(variant)
    mask = RNG.random((2, 1, 1, 9)) < 0.6
    out = one.run(path, X, context=CONTEXT, mask=mask)
    assert out.shape == X.shape
    np.testing.assert_allclose(out, by_hand(one, X, context=CONTEXT, mask=mask), rtol=0, atol=1e-12)


def test_cross_attention_to_latents(path):
    """Without a rotary part, the latents may come from another sequence."""
    rng = np.random.default_rng(1)
    weights = [rng.standard_normal(shape) for shape in ((11, 12), (9, 5), (5,), (5, 3 * (4 + 2)), (6, 11))]
    x, context = rng.standard_normal((2, 8, 11)), rng.standard_normal((2, 7, 9))
    arrays = [path.array(w) for w in weights]
    outs = [
        path.functions.mla(path.array(x), *arrays, n_heads=3, context=path.array(context), absorbed=absorbed)
        for absorbed in (False, True)
    ]
    latent = reference.rms_norm(context @ weights[1], weights[2])
    up = reference.split_heads(latent @ weights[3], 3)
    heads = reference.attention(reference.split_heads(x @ weights[0], 3), up[..., :4], up[..., 4:])
    for out in outs:
        np.testing.assert_allclose(path.numpy(out), reference.mix_heads(heads, weights[4]), rtol=0, atol=1e-11)


@pytest.mark.parametrize("variant", ["mha", "gqa", "mqa"])
def test_biases_of_the_projections(path, variant):
    one = layer(variant)
    biases = {f"b_{name}": RNG.standard_normal(w.shape[1]) for name, w in zip("qkvo", one.weights, strict=True)}
    # A bias is a weight on an input that is always 1.
    longer = [np.vstack([w, biases[f"b_{name}"]]) for name, w in zip("qkv", one.weights[:3], strict=True)]
    with_one = np.concatenate([X, np.ones((2, 8, 1))], axis=-1)
    expected = one._replace(weights=[*longer, one.weights[3]]).run(path, with_one, causal=True) + biases["b_o"]
    np.testing.assert_allclose(one.run(path, X, causal=True, **biases), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_weights_are_given_when_asked_for(path, variant):
    one = layer(variant)
    function = getattr(path.functions, one.function)
    out, weights = function(path.array(X), *map(path.array, one.weights), **one.sizes, causal=True, return_weights=True)
    weights = path.numpy(weights)
    assert weights.shape == (2, HEADS, 8, 8)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)
    assert (np.triu(weights, 1) == 0).all()
    np.testing.assert_array_equal(path.numpy(out), one.run(path, X, causal=True, backend="math") if path.name == "torch"
                                  else one.run(path, X, causal=True))  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_naive_and_absorbed_latents_agree_to_1e_10(path, seed):
    options = {"causal": True, "softcap": 3.0, "window": 4} if seed % 2 else {"mask": reference.causal_mask(8, 8)}
    naive, absorbed = (layer(name, seed).run(path, X, **options) for name in ("mla", "mla absorbed"))
    assert np.abs(naive - absorbed).max() < 1e-10
    assert np.abs(naive).max() > 0.1


def test_the_latents_scale_counts_the_rotary_part_too(path):
    """Leaving the rotary width out of the scale is a mistake that raises nothing."""
    one = layer("mla")
    right = one.run(path, X, causal=True)
    np.testing.assert_allclose(one.run(path, X, causal=True, scale=12**-0.5), right, atol=1e-13)
    assert np.abs(one.run(path, X, causal=True, scale=4**-0.5) - right).max() > 1e-3


def test_mixing_heads_is_a_sum_over_heads(path):
    heads, w_o = RNG.standard_normal((2, HEADS, 8, V_DIM)), RNG.standard_normal((HEADS * V_DIM, D_MODEL))
    mixed = path.numpy(path.functions.mix_heads(path.array(heads), path.array(w_o)))
    parts = path.numpy(path.functions.head_contributions(path.array(heads), path.array(w_o)))
    expected = np.einsum("bhnd,hdm->bhnm", heads, w_o.reshape(HEADS, V_DIM, D_MODEL))
    np.testing.assert_allclose(parts, expected, atol=1e-12)
    np.testing.assert_allclose(mixed, expected.sum(axis=1), atol=1e-12)
    heads[:, 2] = 0
    without = path.numpy(path.functions.mix_heads(path.array(heads), path.array(w_o)))
    np.testing.assert_allclose(without, mixed - expected[:, 2], atol=1e-12)


def test_pooled_heads_are_the_mean_of_their_group(path):
    w = RNG.standard_normal((D_MODEL, 6 * 4))
    pooled = path.numpy(path.functions.pool_kv_heads(path.array(w), 6, 2))
    for j, h, n in np.ndindex(2, 1, 4):
        expected = np.mean([w[:, (3 * j + i) * 4 + n] for i in range(3)], axis=0)
        np.testing.assert_allclose(pooled[:, j * 4 + n], expected, atol=1e-15), h
    same = np.tile(w[:, :4], 3)  # heads that are equal lose nothing
    one = layer("mha")
    w_k, w_v = np.tile(one.weights[1][:, :4], 6), np.tile(one.weights[2][:, :5], 6)
    full = one._replace(weights=[one.weights[0], w_k, w_v, one.weights[3]]).run(path, X)
    pooled = [reference.pool_kv_heads(w, 6, 2) for w in (w_k, w_v)]
    fewer = layer("gqa")._replace(
        weights=[one.weights[0], *pooled, one.weights[3]], sizes={"n_heads": 6, "n_kv_heads": 2}
    )
    np.testing.assert_allclose(fewer.run(path, X), full, atol=1e-13)
    assert same.shape == (D_MODEL, 12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_dtype_stays(path, dtype):
    for variant in VARIANTS:
        one = layer(variant)
        one = one._replace(weights=[w.astype(dtype) for w in one.weights])
        rotary = {"rotary": "halves"}
        assert one.run(path, X.astype(dtype), causal=True, **rotary).dtype == dtype
