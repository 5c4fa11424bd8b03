"""split_qkv: each layout against its order of blocks, written out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manyheads.reference import split_qkv


def blocks(order: str, head_dim: int, batch: int = 2, seq: int = 3) -> np.ndarray:
    """A row of blocks such as "q0 k0 v0", each full of the number that `number` gives it, plus place and token."""
    row = np.concatenate([number(block) + np.arange(head_dim) for block in order.split()])
    tokens = np.arange(batch * seq).reshape(batch, seq, 1) * 10_000
    return row + tokens


def number(block: str) -> int:
    return {"q": 1000, "k": 2000, "v": 3000}[block[0]] + 100 * int(block[1:])


@pytest.mark.parametrize(
    ("layout", "n_heads", "n_kv_heads", "order"),
    [
        ("concatenated", 3, 3, "q0 q1 q2 k0 k1 k2 v0 v1 v2"),
        ("concatenated", 6, 2, "q0 q1 q2 q3 q4 q5 k0 k1 v0 v1"),
        ("concatenated", 4, 1, "q0 q1 q2 q3 k0 v0"),
        ("per_head", 3, 3, "q0 k0 v0 q1 k1 v1 q2 k2 v2"),
        ("per_group", 6, 2, "q0 q1 q2 k0 v0 q3 q4 q5 k1 v1"),
        ("per_group", 6, 3, "q0 q1 k0 v0 q2 q3 k1 v1 q4 q5 k2 v2"),
        ("per_group", 3, 3, "q0 k0 v0 q1 k1 v1 q2 k2 v2"),
        ("per_group", 4, 1, "q0 q1 q2 q3 k0 v0"),
    ],
)
@pytest.mark.parametrize("head_dim", [1, 5])
def test_every_block_goes_to_its_head(layout, n_heads, n_kv_heads, order, head_dim):
    qkv = blocks(order, head_dim)
    parts = dict(zip("qkv", split_qkv(qkv, n_heads, n_kv_heads, layout), strict=True))
    assert parts["q"].shape == (2, n_heads, 3, head_dim)
    assert parts["k"].shape == parts["v"].shape == (2, n_kv_heads, 3, head_dim)
    for block in order.split():
        expected = number(block) + np.arange(head_dim) + np.arange(6).reshape(2, 3, 1) * 10_000
        assert np.array_equal(parts[block[0]][:, int(block[1:])], expected), block


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_nothing_is_lost_and_nothing_appears_twice(n_kv_heads, group, head_dim):
    width = (n_kv_heads * group + 2 * n_kv_heads) * head_dim
    qkv = np.arange(2 * 3 * width).reshape(2, 3, width)
    for layout in ("concatenated", "per_group"):
        parts = split_qkv(qkv, n_kv_heads * group, n_kv_heads, layout)
        assert sorted(np.concatenate([part.ravel() for part in parts])) == list(range(qkv.size))


def test_kv_heads_default_to_query_heads_and_the_dtype_stays():
    qkv = blocks("q0 q1 k0 k1 v0 v1", 2).astype("float32")
    for one, other in zip(split_qkv(qkv, 2), split_qkv(qkv, 2, 2, "concatenated"), strict=True):
        assert one.dtype == np.float32
        assert np.array_equal(one, other)
