"""Prefill then decode equals one pass: any chunks, any mixture of lengths, with and without a window; both paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .layers import D_MODEL, VARIANTS, by_hand, layer
from .paths import PATHS


@st.composite
def sittings(draw):
    """Chunks for a batch: for each chunk its width, and how many of its tokens are real in each sequence."""
    batch = draw(st.integers(1, 3))
    widths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=5))
    even = draw(st.booleans())
    lengths = [[width if even else draw(st.integers(0, width)) for _ in range(batch)] for width in widths]
    return batch, widths, lengths, even


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=40, deadline=None)
@given(sittings(), st.none() | st.integers(1, 6), st.sampled_from(["interleaved", "halves"]), st.integers(0, 99))
def test_chunks_equal_one_pass_over_each_sequence_alone(path, variant, sitting, window, pairing, seed):
    batch, widths, lengths, even = sitting
    one = layer(variant)
    rng = np.random.default_rng(seed)
    chunks = [rng.standard_normal((batch, width, D_MODEL)) for width in widths]
    capacity = None if window else max(1, max(sum(row) for row in zip(*lengths, strict=True)))
    cache = one.cache(path, batch, capacity, window)
    found: list[list[np.ndarray]] = [[] for _ in range(batch)]
    for chunk, real in zip(chunks, lengths, strict=True):
        how = {} if even else {"lengths": real}
        out = one.run(path, chunk, cache=cache, rotary=pairing, **how)
        for b, count in enumerate(real):
            found[b].append(out[b, :count])
            assert (out[b, count:] == 0).all()  # padding sees nothing
    for b in range(batch):
        tokens = np.concatenate([chunk[b, : real[b]] for chunk, real in zip(chunks, lengths, strict=True)])[None]
        assert cache.lengths[b] == tokens.shape[1]
        whole = by_hand(one, tokens, rotary=pairing, causal=True, window=window)
        np.testing.assert_allclose(np.concatenate(found[b])[None], whole, rtol=0, atol=1e-11)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_mask_softcap_and_bias_go_with_a_cache(path, variant):
    """ALiBi and a forbidden first token, in one pass and token by token."""
    one = layer(variant)
    x = np.random.default_rng(3).standard_normal((2, 6, D_MODEL))
    mask, bias = np.ones((6, 6), bool), np.asarray(path.functions.alibi_bias(6, 6, 6, path.zeros(1).dtype))
    mask[1:, 0] = False
    whole = by_hand(one, x, causal=True, mask=mask, bias=bias, softcap=1.5)
    cache = one.cache(path, 2, 6)
    for start, stop in ((0, 3), (3, 4), (4, 6)):
        seen = {"mask": mask[start:stop, :stop], "bias": bias[:, :, start:stop, :stop]}
        out = one.run(path, x[:, start:stop], cache=cache, softcap=1.5, **seen)
        np.testing.assert_allclose(out, whole[:, start:stop], rtol=0, atol=1e-11)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_lies_in_unused_slots_does_not_matter(path, variant):
    """A cache that held NaN before it was filled gives what a clean one gives."""
    one = layer(variant)
    x = np.random.default_rng(4).standard_normal((3, 4, D_MODEL))
    outs = []
    for poison in (0.0, np.nan):
        cache = one.cache(path, 3, 9)
        for name in ("_keys", "_values"):
            if hasattr(cache, name):
                getattr(cache, name)[...] = poison
        first = one.run(path, x, cache=cache, lengths=[4, 1, 0])
        outs.append((first, one.run(path, x, cache=cache, lengths=[1, 4, 2])))
    for clean, dirty in zip(*outs, strict=True):
        assert np.isfinite(dirty).all()
        np.testing.assert_array_equal(clean, dirty)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_ring_keeps_position_p_in_slot_p_mod_w(path):
    cache = path.functions.KVCache(1, 1, 1, window=3, dtype=path.zeros(1).dtype)
    for position in range(5):
        new = path.array(np.full((1, 1, 1, 1), float(position)))
        seen = cache.append(new, -new)
    assert path.numpy(seen.keys).ravel().tolist() == [3, 4, 2]
    assert path.numpy(seen.values).ravel().tolist() == [-3, -4, -2]
    assert path.numpy(seen.key_positions).tolist() == [[3, 4, 2]]
    assert path.numpy(seen.query_positions).tolist() == [[4]]
    assert path.numpy(seen.mask).tolist() == [[[[True, True, True]]]]
    many = path.array(np.arange(5.0, 13.0).reshape(1, 1, 8, 1))  # a chunk longer than the ring
    seen = cache.append(many, many)
    assert path.numpy(seen.keys).ravel().tolist() == [3, 4, 2, 5, 6, 7, 8, 9, 10, 11, 12]
    assert path.numpy(seen.mask)[0, 0].sum(axis=1).tolist() == [3] * 8
    last = cache.append(many[:, :, :1], many[:, :, :1])
    assert sorted(path.numpy(last.key_positions)[0].tolist()) == [11, 12, 13]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_refused_token_leaves_the_cache_as_it_was(path):
    cache = path.functions.KVCache(2, 3, 4, capacity=5, dtype=path.zeros(1).dtype)
    full = path.array(np.ones((2, 3, 4, 4)))
    cache.append(full, full, [4, 2])
    with pytest.raises(
        ValueError, match="the cache holds 5 tokens a sequence; sequence 0 has 4, and 2 more do not fit"
    ):
        cache.append(2 * full[:, :, :2], full[:, :, :2])
    assert cache.lengths.tolist() == [4, 2]
    seen = cache.append(full[:, :, :1], full[:, :, :1])
    assert path.numpy(seen.keys)[0, 0, :, 0].tolist() == [1, 1, 1, 1, 1]
    assert cache.lengths.tolist() == [5, 3]


def test_bytes_are_what_costs_says():
    from manyheads import AttentionConfig, costs, reference, torch_path

    grouped = AttentionConfig(24, 6, n_kv_heads=2, v_head_dim=5)
    latent = AttentionConfig(24, 6, latent_rank=7, rope_head_dim=2)
    ring = AttentionConfig(24, 6, n_kv_heads=3, window=8)
    for functions in (reference, torch_path):
        for config, cls, capacity in ((grouped, "KVCache", 10), (latent, "LatentCache", 10), (ring, "KVCache", 100)):
            cache = getattr(functions, cls).for_config(config, 3, capacity)
            assert cache.nbytes == 3 * costs.kv_cache_bytes(config, tokens=capacity, bytes_per_element=4)
