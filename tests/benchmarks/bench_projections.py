"""36 products against 3 against 1, in one run: ``make bench``."""

import os
import platform

import numpy as np
import pytest
from manyheads.authoring.timing import interleaved
from manyheads.reference import fused_projection, pack_heads, per_head_projections, split_qkv


@pytest.mark.parametrize("seq", [16, 512, 2048])
def test_fused_against_per_head(seq):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, seq, 768), dtype=np.float32)
    stacked = rng.standard_normal((3, 12, 768, 64), dtype=np.float32)
    packed = [pack_heads(w) for w in stacked]
    fused = np.concatenate(packed, axis=1)
    ways = {
        "36 products": lambda: [per_head_projections(x, w) for w in stacked],
        "3 products": lambda: [fused_projection(x, w, 12) for w in packed],
        "1 product": lambda: split_qkv(x @ fused, 12),
    }
    for q36, q3, q1 in zip(*(way() for way in ways.values()), strict=True):
        np.testing.assert_allclose(q36, q3, atol=1e-3)
        np.testing.assert_allclose(q36, q1, atol=1e-3)
    times = interleaved(ways)
    rival = times["36 products"]
    print(f"\n{seq} tokens, d_model 768, 12 heads, float32, {os.cpu_count()} cores, {platform.machine()}")
    for name, seconds in times.items():
        print(f"  {name:12} {1e3 * seconds:8.2f} ms   {rival / seconds:5.2f} times as fast as 36 products")
