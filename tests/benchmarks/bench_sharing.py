"""Query heads that share K/V heads without a copy, against keys and values repeated for every query head."""

import numpy as np
import pytest
from manyheads.authoring.timing import in_turns
from manyheads.reference import attention

from . import table
from .peak import peak_of

HEADS, KV_HEADS, HEAD_DIM = 12, 4, 64


@pytest.mark.parametrize(
    ("stage", "q_len", "k_len", "time_at_most", "peak_at_most"),
    [("prefill", 1024, 1024, 1.1, 1.0), ("decode", 1, 4096, 0.5, 0.1)],
    ids=["prefill", "decode"],
)
def test_shared_against_repeated(stage, q_len, k_len, time_at_most, peak_at_most):
    rng = np.random.default_rng(0)
    q = rng.standard_normal((1, HEADS, q_len, HEAD_DIM), dtype=np.float32)
    k, v = rng.standard_normal((2, 1, KV_HEADS, k_len, HEAD_DIM), dtype=np.float32)

    def repeated():
        k12, v12 = (np.repeat(x, HEADS // KV_HEADS, axis=1) for x in (k, v))
        return attention(q, k12, v12, causal=True)

    ways = {"shared": lambda: attention(q, k, v, causal=True), "np.repeat": repeated}
    peaks = {name: peak_of(way) for name, way in ways.items()}
    np.testing.assert_allclose(peaks["shared"].result, peaks["np.repeat"].result, rtol=0, atol=1e-6)

    table.title(
        f"GQA, {stage}: batch 1, {HEADS} query heads and {KV_HEADS} K/V heads of {HEAD_DIM}, "
        f"queries {q_len}, keys {k_len}, float32"
    )
    found = in_turns(ways, rounds=15 if q_len > 1 else 100)
    table.times(found)
    table.ratio(found, "shared", "np.repeat", at_most=time_at_most)
    for name, peak in peaks.items():
        table.line(f"peak memory, {name}", peak.nbytes / 2**20, unit=" MiB")
    ratio = peaks["shared"].nbytes / peaks["np.repeat"].nbytes
    table.line("peak memory, shared / np.repeat", ratio, at_most=peak_at_most)
