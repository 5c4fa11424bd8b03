"""The memory of attention tile by tile grows with the length, and that of the whole matrix with its square."""

import numpy as np
import pytest
from manyheads.reference import attention, blocked_attention

from ..benchmarks.peak import peak_of

BATCH, HEADS, HEAD_DIM = 2, 2, 16


def peak_beyond_output(way, length: int, padded: bool) -> int:
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, BATCH, HEADS, length, HEAD_DIM), dtype=np.float32)
    real = np.array([length, length - length // 8])  # tokens of each sequence; the rest is padding
    options = {"mask": (np.arange(length) < real[:, None])[:, None, None]} if padded else {}
    out, most = peak_of(lambda: way(q, k, v, causal=True, **options))
    return most - out.nbytes


@pytest.mark.parametrize("padded", [False, True], ids=["causal", "causal and padded"])
def test_four_times_the_length_takes_four_times_the_memory_in_tiles(padded):
    short, long = (peak_beyond_output(blocked_attention, length, padded) for length in (1024, 4096))
    assert long <= 5 * short


@pytest.mark.parametrize("padded", [False, True], ids=["causal", "causal and padded"])
def test_four_times_the_length_takes_sixteen_times_the_memory_as_a_whole(padded):
    short, long = (peak_beyond_output(attention, length, padded) for length in (256, 1024))
    assert 14 * short <= long <= 18 * short


def test_tiles_take_less_than_the_scores_of_one_head_alone():
    length = 4096
    assert peak_beyond_output(blocked_attention, length, padded=True) < 4 * length**2 / 8
