"""36 products against 3 fused ones against 1."""

import numpy as np
import pytest
from manyheads.authoring.timing import in_turns
from manyheads.reference import fused_projection, pack_heads, per_head_projections, split_qkv

from . import table

HEADS, D_MODEL = 12, 768


@pytest.mark.parametrize("seq", [16, 512, 2048])
def test_fused_against_per_head(seq):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, seq, D_MODEL), dtype=np.float32)
    stacked = rng.standard_normal((3, HEADS, D_MODEL, 64), dtype=np.float32) / np.float32(np.sqrt(D_MODEL))
    packed = [pack_heads(w) for w in stacked]
    fused = np.concatenate(packed, axis=1)
    ways = {
        "36 products": lambda: [per_head_projections(x, w) for w in stacked],
        "3 products": lambda: [fused_projection(x, w, HEADS) for w in packed],
        "1 product": lambda: split_qkv(x @ fused, HEADS),
    }
    results = [np.stack(way()) for way in ways.values()]
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=0, atol=5e-6)
    table.title(f"Projections: {seq} tokens, d_model {D_MODEL}, {HEADS} heads of 64, float32")
    found = in_turns(ways)
    table.times(found)
    fewer = "about 1" if seq < 100 else "0.8 to 0.95"  # few tokens: reading the weights is most of it, for all
    table.ratio(found, "3 products", "36 products", expect=fewer)
    table.ratio(found, "1 product", "36 products", expect=fewer)
    table.ratio(found, "1 product", "3 products", expect="about 1")
