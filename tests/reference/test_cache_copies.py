"""A step of decoding copies nothing of the past: what append gives are views, and attention reads them as they lie."""

import numpy as np
import pytest
import torch
from manyheads import reference, torch_path

from ..benchmarks.peak import peak_of

HEADS, HEAD_DIM, RANK, ROPE, PAST = 6, 32, 96, 16, 2000
CAPACITY = PAST + 48


def normal(*shape) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def chunk(kind: str, tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """What is appended: keys and values, or latents and rotary keys."""
    if kind == "latent":
        return normal(1, tokens, RANK), normal(1, tokens, ROPE)
    return normal(1, HEADS, tokens, HEAD_DIM), normal(1, HEADS, tokens, HEAD_DIM)


def cache(path, kind: str, **size):
    """A cache with its past, and one token beyond it, so that nothing is done for the first time later."""
    if kind == "latent":
        made = path.LatentCache(1, RANK, ROPE, **size)
    else:
        made = path.KVCache(1, HEADS, HEAD_DIM, **size)
    to_path = torch.from_numpy if path is torch_path else np.asarray
    for tokens in (PAST, 1):
        made.append(*map(to_path, chunk(kind, tokens)))
    return made


# capacity: all of the past; window: a ring that is full, so that each token takes the place of another
SIZES = [{"capacity": CAPACITY}, {"window": PAST // 2}]


@pytest.mark.parametrize("size", SIZES, ids=["capacity", "window"])
@pytest.mark.parametrize("kind", ["keys and values", "latent"])
def test_append_gives_views_and_copies_nothing_of_the_past(kind, size):
    held = cache(reference, kind, **size)
    new = chunk(kind, 1)
    seen, most = peak_of(lambda: held.append(*new))
    assert np.shares_memory(seen.keys, held._keys)
    assert np.shares_memory(seen.values, held._keys if kind == "latent" else held._values)
    assert np.array_equal(seen.keys[:, :, seen.key_positions[0] == PAST + 1], entry(kind, new))
    # Positions and mask of 2000 tokens are all that grows: 8 bytes and 1 a token, held a few times over.
    assert most < 40 * seen.keys.shape[2] < seen.keys.nbytes / 8


def entry(kind: str, new) -> np.ndarray:
    """The key of the new token as the cache holds it."""
    return np.concatenate(new, axis=-1)[:, None] if kind == "latent" else new[0]


@pytest.mark.parametrize("size", SIZES, ids=["capacity", "window"])
@pytest.mark.parametrize("kind", ["keys and values", "latent"])
def test_append_gives_views_of_tensors(kind, size):
    held = cache(torch_path, kind, **size)
    seen = held.append(*map(torch.from_numpy, chunk(kind, 1)))
    assert seen.keys.data_ptr() == held._keys.data_ptr()
    assert seen.values.data_ptr() == (held._keys if kind == "latent" else held._values).data_ptr()


@pytest.mark.parametrize("size", SIZES, ids=["capacity", "window"])
@pytest.mark.parametrize("kind", ["keys and values", "latent"])
def test_attention_to_a_cache_copies_no_key(kind, size):
    held = cache(reference, kind, **size)
    seen = held.append(*chunk(kind, 1))
    q = normal(1, HEADS, 1, seen.keys.shape[-1])
    out, most = peak_of(lambda: reference.attention(q, seen.keys, seen.values, mask=seen.mask))
    scores = HEADS * seen.keys.shape[2] * 4
    assert out.shape == (1, HEADS, 1, seen.values.shape[-1])
    assert most < 6 * scores
    assert most < seen.keys.nbytes / 4
