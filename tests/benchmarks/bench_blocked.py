"""Attention tile by tile against the whole matrix, against itself without a mask, and against torch's kernel."""

import numpy as np
import torch
from manyheads.authoring.timing import in_turns
from manyheads.reference import blocked_attention

from . import table

HEADS, LENGTH, HEAD_DIM = 12, 2048, 64


def full_with_where(q, k, v, seen):
    """The plain way: all scores, the forbidden ones replaced, softmax, product."""
    scores = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(HEAD_DIM))
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v


def test_blocked_against_its_rivals():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 1, HEADS, LENGTH, HEAD_DIM), dtype=np.float32)
    seen = np.tri(LENGTH, dtype=bool)
    tensors = [torch.from_numpy(x) for x in (q, k, v)]
    ways = {
        "full with np.where": lambda: full_with_where(q, k, v, seen),
        "blocked causal": lambda: blocked_attention(q, k, v, causal=True),
        "blocked without mask": lambda: blocked_attention(q, k, v),
        "torch sdpa causal": lambda: torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True),
    }
    expected = ways["full with np.where"]()
    np.testing.assert_allclose(ways["blocked causal"](), expected, rtol=0, atol=2e-6)
    np.testing.assert_allclose(ways["torch sdpa causal"]().numpy(), expected, rtol=0, atol=2e-6)
    everything = full_with_where(q, k, v, np.ones_like(seen))
    np.testing.assert_allclose(ways["blocked without mask"](), everything, rtol=0, atol=2e-6)

    table.title(f"Blocked attention: batch 1, {HEADS} heads of {HEAD_DIM}, {LENGTH} tokens, float32")
    found = in_turns(ways, rounds=15, pause=0.1)  # torch's threads and BLAS's must not meet
    table.times(found)
    table.ratio(found, "blocked causal", "full with np.where", at_most=0.45)
    table.ratio(found, "blocked causal", "blocked without mask", at_most=0.65)
    table.ratio(found, "blocked causal", "torch sdpa causal", at_most=2.2)
