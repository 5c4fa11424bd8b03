"""What chapter 01 says about a reshape without a transpose, tried with attention on numbers."""

import numpy as np

BATCH, HEADS, SEQ, DIM = 1, 3, 9, 4


def attention(q, k, v, causal):
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", weights / weights.sum(-1, keepdims=True), v)


def layer(x, back, causal=False, right=False):
    """Identity projections; heads split by reshape alone (or rightly), put together in one of two ways."""
    batch, seq, width = x.shape
    split = x.reshape(batch, seq, HEADS, DIM).swapaxes(1, 2) if right else x.reshape(batch, HEADS, seq, DIM)
    out = attention(split, split, split, causal)
    if back == "transpose":
        out = out.swapaxes(1, 2)
    return out.reshape(batch, seq, width)


def reach(back, causal=False, seq=SEQ, right=False):
    """reach[i, j]: whether token i's output changes with token j's input."""
    x = np.random.default_rng(0).standard_normal((BATCH, seq, HEADS * DIM))
    before = layer(x, back, causal, right)
    found = np.zeros((seq, seq), bool)
    for j in range(seq):
        changed = x.copy()
        changed[:, j] += 1.0
        found[:, j] = (np.abs(layer(changed, back, causal, right) - before) > 1e-12).any(axis=(0, 2))
    return found


def test_with_the_reverse_reshape_a_token_attends_to_its_own_part_and_nothing_else():
    part = np.arange(SEQ) // (SEQ // HEADS)
    assert np.array_equal(reach("reverse"), part[:, None] == part[None, :])


def test_depth_does_not_help():
    x = np.random.default_rng(0).standard_normal((BATCH, SEQ, HEADS * DIM))
    changed = x.copy()
    changed[:, -1] += 1.0
    two = [layer(layer(one, "reverse"), "reverse") for one in (x, changed)]
    assert np.array_equal(two[0][:, : SEQ - SEQ // HEADS], two[1][:, : SEQ - SEQ // HEADS])


def test_where_heads_do_not_divide_the_length_parts_overlap():
    assert not np.array_equal(reach("reverse", seq=4), np.eye(4, dtype=bool))


def test_under_a_causal_mask_the_same_tokens_give_other_results_when_more_follow():
    x = np.random.default_rng(0).standard_normal((BATCH, SEQ, HEADS * DIM))
    shorter = x[:, :6]
    assert np.abs(layer(x, "reverse", causal=True)[:, :6] - layer(shorter, "reverse", causal=True)).max() > 0.1
    right = layer(x, "transpose", causal=True, right=True)[:, :6] - layer(shorter, "transpose", causal=True, right=True)
    assert np.abs(right).max() < 1e-12


def test_with_the_right_way_back_a_causal_token_sees_what_comes_after_it():
    assert np.triu(reach("transpose", causal=True), 1).any()
    assert not np.triu(reach("transpose", causal=True, right=True), 1).any()


def test_tiles_on_a_gpu():
    """512 tokens: tiles of 128 x 64 in one head's product, and in the fused one's."""
    assert (512 // 128) * (64 // 64) == 4
    assert (512 // 128) * (3 * 12 * 64 // 64) == 144
