"""attention, attention_scores and blocked_attention, against the definition written as loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manyheads import reference

from .. import oracle
from ..attention_calls import DTYPES, attention_calls, close

SETTINGS = settings(max_examples=150, deadline=None)


@SETTINGS
@given(attention_calls())
def test_attention_is_its_definition(call):
    q, k, v, options, dtype = call
    out, weights = reference.attention(q, k, v, return_weights=True, **options)
    expected, expected_weights, _ = oracle.attention(q, k, v, **options)
    assert out.dtype == weights.dtype == DTYPES[dtype]
    close(out, expected, dtype, 4)
    close(weights, expected_weights, dtype)
    assert np.array_equal(out, reference.attention(q, k, v, **options))


@SETTINGS
@given(attention_calls(), st.tuples(st.integers(1, 4), st.integers(1, 4)))
def test_tiles_of_any_size_change_nothing(call, block):
    q, k, v, options, dtype = call
    out, lse = reference.blocked_attention(q, k, v, block=block, return_lse=True, **options)
    expected, _, expected_lse = oracle.attention(q, k, v, **options)
    assert out.dtype == DTYPES[dtype]
    assert lse.dtype == (np.float64 if dtype == "float64" else np.float32)
    close(out, expected, dtype, 4)
    close(lse, expected_lse, "float64" if dtype == "float64" else "float32", 4)
    assert np.array_equal(out, reference.blocked_attention(q, k, v, block=block, **options))


@SETTINGS
@given(attention_calls(dtypes=("float64",)), st.data())
def test_merged_parts_are_the_whole(call, data):
    """The keys cut in three (a part may be empty), each part with its own piece of the mask."""
    q, k, v, options, _ = call
    q_len, k_len = q.shape[2], k.shape[2]
    band = [[oracle.near(i + k_len - q_len, j, options["causal"], options["window"]) for j in range(k_len)]
            for i in range(q_len)]  # fmt: skip
    expected, _, expected_lse = oracle.attention(q, k, v, **options)
    mask = reference.combine_masks(options.get("mask"), np.array(band))
    cuts = sorted(data.draw(st.tuples(st.integers(0, k_len), st.integers(0, k_len))))
    parts = []
    for start, stop in zip((0, *cuts), (*cuts, k_len), strict=True):
        piece = {name: options[name] for name in ("scale", "softcap")}
        piece["mask"] = columns(mask, start, stop)
        if "bias" in options:
            piece["bias"] = columns(options["bias"], start, stop)
        keys, values = k[:, :, start:stop], v[:, :, start:stop]
        parts.append(reference.blocked_attention(q, keys, values, return_lse=True, **piece))
    out, lse = reference.merge_attention(parts)
    close(out, expected, "float64", 4)
    close(lse, expected_lse, "float64", 4)


def columns(x, start, stop):
    """Some columns of a mask or bias that may broadcast over them."""
    return x if x.shape[-1] == 1 and x.ndim == 4 else x[..., start:stop]


@pytest.mark.parametrize("causal", [False, True])
def test_the_stages_come_in_their_order(causal):
    rng = np.random.default_rng(3)
    q, k = 4 * rng.standard_normal((2, 6, 3, 5)), 4 * rng.standard_normal((2, 2, 7, 5))
    bias = rng.standard_normal((1, 6, 3, 7))
    options = {"bias": bias, "causal": causal, "scale": 0.7, "softcap": 2.0}
    stages = {stage: reference.attention_scores(q, k, stage=stage, **options) for stage in reference.STAGES}
    scaled = 0.7 * np.einsum("bhqd,bhkd->bhqk", q, np.repeat(k, 3, axis=1))
    capped = 2.0 * np.tanh(scaled / 2.0)
    masked = np.where(np.tri(3, 7, 4, dtype=bool), capped + bias, -np.inf) if causal else capped + bias
    close(stages["scaled"], scaled, "float64", 10)
    close(stages["capped"], capped, "float64", 10)
    close(stages["masked"], masked, "float64", 10)
    assert np.abs(scaled).max() > 4 > 2 >= np.abs(stages["capped"]).max()
    close(stages["weights"], np.exp(masked) / np.exp(masked).sum(-1, keepdims=True), "float64", 10)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_large_scores_neither_overflow_nor_lose_the_row(dtype):
    """Products beyond what 16 bits hold: 300 * 300 * 4 is 360,000, and float16 ends at 65,504."""
    q = np.full((1, 1, 2, 4), 300).astype(DTYPES[dtype])
    k = np.stack([np.full(4, 300), np.full(4, 299)])[None, None].astype(DTYPES[dtype])
    v = np.array([[[[1.0], [2.0]]]]).astype(DTYPES[dtype])
    for function in (reference.attention, reference.blocked_attention):
        assert function(q, k, v).astype(float).ravel().tolist() == [1.0, 1.0] or dtype == "bfloat16"
        assert np.isfinite(function(q, k, v, causal=True).astype(float)).all()


def test_window_and_causal_agree_with_the_masks_that_say_the_same():
    rng = np.random.default_rng(4)
    q, k, v = (rng.standard_normal((2, 3, n, 4)) for n in (5, 8, 8))
    pairs = [
        ({"causal": True}, reference.causal_mask(5, 8)),
        ({"causal": True, "window": 3}, reference.sliding_window_mask(5, 8, 3)),
        ({"window": (2, 1)}, reference.sliding_window_mask(5, 8, (2, 1))),
        ({"causal": True, "window": (2, 1)}, reference.sliding_window_mask(5, 8, (2, 0))),
        ({"window": (None, 1)}, reference.sliding_window_mask(5, 8, (None, 1))),
    ]
    for options, mask in pairs:
        expected = reference.attention(q, k, v, mask=mask)
        assert np.array_equal(reference.attention(q, k, v, **options), expected), options
    assert reference.sliding_window_mask(5, 8, 3).sum(axis=1).tolist() == [3] * 5
