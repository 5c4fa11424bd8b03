"""Decoding with latent attention: W_up absorbed into query and output, against keys and values decompressed."""

import numpy as np
from manyheads.authoring.timing import in_turns
from manyheads.reference import KVCache, LatentCache, mla

from . import table
from .peak import peak_of

D_MODEL, HEADS, HEAD_DIM, ROPE, RANK, PAST = 768, 12, 64, 32, 256, 2048
ROUNDS = 40


def test_absorbed_against_naive():
    rng = np.random.default_rng(0)

    def weights(rows, columns):
        return rng.standard_normal((rows, columns), dtype=np.float32) / np.float32(np.sqrt(rows))

    w_q, w_down = weights(D_MODEL, HEADS * (HEAD_DIM + ROPE)), weights(D_MODEL, RANK + ROPE)
    w_up, w_o = weights(RANK, HEADS * 2 * HEAD_DIM), weights(HEADS * HEAD_DIM, D_MODEL)
    layer = w_q, w_down, np.ones(RANK, np.float32), w_up, w_o
    past = rng.standard_normal((1, PAST, D_MODEL), dtype=np.float32)
    token = rng.standard_normal((1, 1, D_MODEL), dtype=np.float32)

    def decoding(absorbed: bool):
        cache = LatentCache(1, RANK, ROPE, capacity=PAST + ROUNDS + 3)
        mla(past, *layer, n_heads=HEADS, absorbed=absorbed, cache=cache)
        return lambda: mla(token, *layer, n_heads=HEADS, absorbed=absorbed, cache=cache)

    ways = {"absorbed": decoding(True), "naive": decoding(False)}
    peaks = {name: peak_of(way) for name, way in ways.items()}
    np.testing.assert_allclose(peaks["absorbed"].result, peaks["naive"].result, rtol=0, atol=1e-6)

    table.title(
        f"MLA, one token after {PAST}: batch 1, d_model {D_MODEL}, {HEADS} heads of {HEAD_DIM} + {ROPE} rotary, "
        f"rank {RANK}, float32"
    )
    found = in_turns(ways, rounds=ROUNDS)
    table.times(found)
    table.ratio(found, "absorbed", "naive", at_most=0.2)
    table.line("peak memory, absorbed / naive", peaks["absorbed"].nbytes / peaks["naive"].nbytes, at_most=0.1)
    latents, keys = LatentCache(1, RANK, ROPE, capacity=PAST), KVCache(1, HEADS, HEAD_DIM, capacity=PAST)
    assert latents.nbytes * 2 * HEADS * HEAD_DIM == keys.nbytes * (RANK + ROPE)
    expected = f"{RANK + ROPE} / {2 * HEADS * HEAD_DIM}"
    table.line("bytes of the cache, LatentCache / KVCache", latents.nbytes / keys.nbytes, expect=expected)
