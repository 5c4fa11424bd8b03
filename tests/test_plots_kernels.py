"""Figures of kernels: the right block at the right place, the right tiles skipped, also said in numbers."""

import re

import numpy as np
import pytest
from manyheads import plots, reference


def texts(figure):
    svg = plots.show(figure, "alt", name="x").svgs[0]
    return [text.strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def counted(allowed, block_q, block_k):
    """Tiles by kind, by looking at every pair."""
    q_len, k_len = allowed.shape
    found = {"skipped": 0, "masked inside": 0, "full": 0}
    for i in range(0, q_len, block_q):
        for j in range(0, k_len, block_k):
            pairs = [
                allowed[a, b] for a in range(i, min(i + block_q, q_len)) for b in range(j, min(j + block_k, k_len))
            ]
            found["full" if all(pairs) else "masked inside" if any(pairs) else "skipped"] += 1
    return found


@pytest.mark.parametrize(("q_len", "k_len", "block_q", "block_k"), [(37, 50, 8, 10), (23, 9, 5, 2), (16, 16, 16, 4)])
def test_the_tiles_are_counted(q_len, k_len, block_q, block_k):
    allowed = reference.causal_mask(q_len, k_len)
    said = texts(plots.skipped_tiles(allowed, block_q, block_k))
    for kind, number in counted(allowed, block_q, block_k).items():
        assert f"{kind}: {number}" in said


def test_a_skipped_tile_is_hatched_and_a_full_one_is_not():
    svg = plots.show(plots.skipped_tiles(np.tril(np.ones((4, 4), bool)), 2, 2), "alt", name="x").svgs[0]
    assert svg.count("<pattern") == 2  # skipped and masked inside


def test_every_block_of_a_launch_says_its_queries_and_its_kv_head():
    programs = np.array([[[[0, 16], [16, 5]]] * 6] * 2)
    said = texts(plots.launch_grid(programs, kv_heads=2))
    assert [t for t in said if t.startswith("sequence 1")] == [
        f"sequence 1, head {head}: K/V {head // 3}" for head in range(6)
    ]
    assert said.count("0 … 15") == said.count("16 … 20") == 12


def test_a_heads_elements_are_found_in_memory():
    offsets = np.arange(4 * 3 * 2).reshape(4, 3, 2).transpose(1, 0, 2)  # three heads inside four tokens' rows
    said = texts(plots.memory_strip(offsets, heads=3, chosen=1))
    assert [t for t in said if t not in "0123"] == ["8", "14", "20"]  # the token's first element; that of token 0 is 2
    assert said.count("2") == 6 + 1
