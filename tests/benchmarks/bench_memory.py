"""What attention holds beyond its output as the sequence grows: tile by tile, and as a whole matrix."""

import numpy as np
import pytest
from manyheads.reference import attention, blocked_attention

from . import table
from .peak import peak_of

HEADS, HEAD_DIM = 12, 64
#: The whole matrix takes a gigabyte at 2048 tokens; twice the length takes four.
WHOLE, TILES = (512, 1024, 2048), (1024, 2048, 4096, 8192)


@pytest.mark.parametrize(
    ("way", "padded", "lengths", "growth"),
    [
        (blocked_attention, False, TILES, {"at_most": 1.1}),
        (blocked_attention, True, TILES[:-1], {"at_most": 1.1}),
        (attention, False, WHOLE, {"expect": "about 2"}),
    ],
    ids=["tiles", "tiles padded", "whole"],
)
def test_peak_beyond_the_output(way, padded, lengths, growth):
    kind = "causal and padded" if padded else "causal"
    table.title(f"Peak memory of {way.__name__}, {kind}: batch 1, {HEADS} heads of {HEAD_DIM}, float32")
    peaks = []
    for length in lengths:
        rng = np.random.default_rng(0)
        q, k, v = rng.standard_normal((3, 1, HEADS, length, HEAD_DIM), dtype=np.float32)
        real = np.arange(length)[None, None, None] >= length // 8  # padding on the left
        mask = {"mask": real} if padded else {}
        out, most = peak_of(lambda q=q, k=k, v=v, mask=mask: way(q, k, v, causal=True, **mask))
        peaks.append(most - out.nbytes)
        rows = slice(length - 3, length)  # the last queries see everything, and are cheap to compute otherwise
        expected = attention(q[:, :, rows], k, v, causal=True, **mask)
        np.testing.assert_allclose(out[:, :, rows], expected, rtol=0, atol=1e-6)
        table.line(f"{length} tokens: peak beyond the output", peaks[-1] / 2**20, unit=" MiB")
        table.line(f"{length} tokens: the same / output", peaks[-1] / out.nbytes)
    exponent = np.polyfit(np.log(lengths), np.log(peaks), 1)[0]
    table.line("exponent p of peak ~ tokens^p", float(exponent), **growth)
