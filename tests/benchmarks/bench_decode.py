"""Decoding with a cache that is written in place, against keys and values that are concatenated anew each time."""

import time

import numpy as np
from manyheads.reference import KVCache, attention

from . import table

HEADS, HEAD_DIM, TOKENS = 12, 64, 2048
LENGTHS = (256, 512, 1024, 2048)
TURN, SAMPLE = 32, 64  # tokens that a way decodes before its rival's turn; tokens measured up to a length


class InPlace:
    """A KVCache: memory once, for as many tokens as will come."""

    def __init__(self):
        self.cache = KVCache(1, HEADS, HEAD_DIM, capacity=TOKENS)

    def append(self, k, v):
        seen = self.cache.append(k, v)
        return seen.keys, seen.values, seen.mask


class Concatenated:
    """The plain way: all of the past is copied to have one more token at its end."""

    def __init__(self):
        self.keys = self.values = np.zeros((1, HEADS, 0, HEAD_DIM), np.float32)

    def append(self, k, v):
        self.keys = np.concatenate([self.keys, k], axis=2)
        self.values = np.concatenate([self.values, v], axis=2)
        return self.keys, self.values, None


def decode(way, q, k, v, out, appends, totals) -> None:
    """One token after another; what each took goes to the two lists."""
    for t in range(q.shape[2]):
        one = slice(t, t + 1)
        start = time.perf_counter()
        keys, values, mask = way.append(k[:, :, one], v[:, :, one])
        appended = time.perf_counter()
        out[:, :, one] = attention(q[:, :, one], keys, values, mask=mask)
        totals.append(time.perf_counter() - start)
        appends.append(appended - start)


def test_decoding():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 1, HEADS, TOKENS, HEAD_DIM), dtype=np.float32)
    ways = {"KVCache": InPlace(), "np.concatenate": Concatenated()}
    outs = {name: np.empty_like(q) for name in ways}
    appends: dict[str, list[float]] = {name: [] for name in ways}
    totals: dict[str, list[float]] = {name: [] for name in ways}
    for start in range(0, TOKENS, TURN):
        turn = np.s_[:, :, start : start + TURN]
        for name, way in ways.items():
            decode(way, q[turn], k[turn], v[turn], outs[name][turn], appends[name], totals[name])
    np.testing.assert_allclose(outs["KVCache"], outs["np.concatenate"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(outs["KVCache"], attention(q, k, v, causal=True), rtol=0, atol=2e-6)

    table.title(f"Decoding one token: batch 1, {HEADS} heads of {HEAD_DIM}, float32")
    for length in LENGTHS:
        near = slice(length - SAMPLE, length)
        found = {f"{name}, {length} tokens": times[near] for name, times in totals.items()}
        table.times(found)
        table.ratio(found, *found, **({"at_most": 0.6} if length == TOKENS else {}))
    table.title(f"Appending one token: batch 1, {HEADS} heads of {HEAD_DIM}, float32")
    for name, times in appends.items():
        found = {f"{name}, {length} tokens": times[length - SAMPLE : length] for length in LENGTHS}
        table.times(found)
        shortest, *_, longest = found
        table.ratio(found, longest, shortest, **({"at_most": 1.5} if name == "KVCache" else {"expect": "8 and more"}))
