"""Decoding with the keys split over programs, interpreted, against the reference in float64."""

import numpy as np
import pytest
import torch
from manyheads import reference
from manyheads.kernels.triton.decode import decode_attention
from manyheads.kernels.triton.decode_launch import choose_splits
from manyheads.kernels.triton.decode_op import decode

# batch, heads, kv_heads, q_len, k_len, head_dim, v_head_dim, splits: pairwise different within a row
SIZES = [
    (2, 6, 3, 1, 129, 16, 16, 1),
    (3, 8, 2, 4, 127, 40, 40, 2),
    (2, 4, 1, 16, 65, 64, 64, 3),
    (1, 6, 2, 5, 200, 80, 72, 4),
    (3, 2, 2, 7, 64, 32, 48, 5),
    (1, 9, 1, 8, 63, 16, 32, 3),  # 72 rows: more than one tile of them
    (2, 6, 3, 3, 2, 16, 16, 4),  # more queries than keys, and more splits than blocks
    (1, 6, 2, 2, 15, 128, 128, 3),
]
PRECISION = {torch.float64: 1e-12, torch.float32: 4e-6, torch.float16: 2e-3}


def tensors(batch, heads, kv_heads, q_len, k_len, head_dim, v_head_dim, dtype=torch.float32, seed=3):
    draw = np.random.default_rng(seed).standard_normal
    shapes = (batch, heads, q_len, head_dim), (batch, kv_heads, k_len, head_dim), (batch, kv_heads, k_len, v_head_dim)
    return [torch.from_numpy(draw(shape)).to(dtype) for shape in shapes]


def expected(q, k, v, lengths=None, **options):
    """Each item alone, with the keys that it has."""
    lengths = [k.shape[2]] * len(q) if lengths is None else lengths
    items = [
        reference.attention(
            *(x[i : i + 1].double().numpy() for x in (q, k[:, :, :n], v[:, :, :n])), **{"causal": True, **options}
        )
        for i, n in enumerate(map(int, lengths))
    ]
    return np.concatenate(items)


def same(out, wanted, dtype, precision=None):
    assert out.dtype == dtype
    assert tuple(out.shape) == wanted.shape
    assert torch.isfinite(out).all()
    assert np.abs(out.double().numpy() - wanted).max() <= (precision or PRECISION[dtype]) * max(
        1.0, np.abs(wanted).max()
    )


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(
    "options", [{}, {"window": 20}, {"softcap": 1.5, "scale": 0.9}], ids=["causal", "window", "cap"]
)
def test_it_is_attention_however_the_keys_are_split(sizes, options):
    *shape, splits = sizes
    q, k, v = tensors(*shape)
    same(decode_attention(q, k, v, splits=splits, **options), expected(q, k, v, **options), torch.float32)


@pytest.mark.parametrize(
    ("splits", "dtype"),
    [(1, torch.float64), (2, torch.float16), (3, torch.float32), (4, torch.float64), (5, torch.float16)],
)
def test_any_number_of_splits_in_any_precision(splits, dtype):
    q, k, v = tensors(1, 6, 3, 4, 300, 32, 48, dtype=dtype)
    same(decode_attention(q, k, v, splits=splits), expected(q, k, v), dtype)


@pytest.mark.parametrize("options", [{}, {"window": 9}, {"causal": False}, {"causal": False, "window": (6, 2)}])
@pytest.mark.parametrize("splits", [1, 3])
def test_each_item_has_its_own_length(options, splits):
    q, k, v = tensors(5, 6, 3, 4, 140, 32, 48)
    lengths = torch.tensor([0, 2, 77, 140, 128])
    out = decode_attention(q, k, v, lengths=lengths, splits=splits, **options)
    same(out, expected(q, k, v, lengths, **options), torch.float32)
    assert not out[0].any()  # no key at all
    if options.get("causal", True):
        assert not out[1, :, :2].any() and out[1, :, 2:].all()  # two keys, four queries: the first two see none


@pytest.mark.parametrize("window", [None, 9])
def test_what_nobody_sees_is_not_read(window):
    q, k, v = tensors(2, 6, 3, 3, 100, 24, 40)
    lengths = torch.tensor([70, 41])
    wanted = expected(q, k, v, lengths, window=window)
    for item, length in enumerate(lengths):
        first = 0 if window is None else int(length) - 3 - (window - 1)
        for x in (k, v):
            x[item, :, length:] = torch.nan
            x[item, :, :first] = torch.nan
    same(decode_attention(q, k, v, lengths=lengths, window=window, splits=3), wanted, torch.float32)


@pytest.mark.parametrize("left", [None, 8])
def test_lengths_beyond_the_cache_are_cut(left):
    """On a GPU nobody looks at their values before the launch. A negative one is no key at all."""
    q, k, v = tensors(3, 6, 2, 4, 40, 16, 24)
    lengths = torch.tensor([-3, -(2**31), 100], dtype=torch.int32)
    out = decode(q, k, v, lengths, left, 0, 0.25, None, 5)
    same(out, expected(q, k, v, [0, 0, 40], window=None if left is None else (left, 0)), torch.float32)


def test_keys_are_read_where_they_lie_in_a_cache():
    """(batch, seq, heads, dim) inside a larger buffer, one K/V head for several, and a last stride that is not 1."""
    q, k, v = tensors(2, 6, 3, 4, 70, 24, 40)
    wanted = expected(q, k, v)
    cache = torch.full((3, 90, 5, 64), torch.nan)
    cache[1:, 10:80, 1:4, :24] = k.transpose(1, 2)
    sideways = torch.full((2, 3, 40, 75), torch.nan)
    sideways[..., :70] = v.transpose(2, 3)
    k_there = cache[1:, 10:80, 1:4, :24].transpose(1, 2)
    v_there = sideways[..., :70].transpose(2, 3)
    q_there = torch.cat([torch.full_like(q, torch.nan), q], dim=-1)[..., 24:]
    same(decode_attention(q_there, k_there, v_there, splits=2), wanted, torch.float32)
    shared = k[:, :1].expand(-1, 3, -1, -1)
    same(decode_attention(q, shared, v, splits=2), expected(q, shared, v), torch.float32)


def test_the_same_bits_every_time():
    q, k, v = tensors(1, 6, 2, 4, 150, 32, 48)
    first, second = (decode_attention(q, k, v, splits=3) for _ in range(2))
    assert torch.equal(first, second)


@pytest.mark.parametrize("k_len", [0, 1])
def test_no_key_or_one(k_len):
    q, k, v = tensors(2, 6, 3, 4, k_len, 16, 24)
    same(decode_attention(q, k, v), expected(q, k, v), torch.float32)


def test_large_scores_do_not_overflow():
    q, k, v = tensors(2, 6, 3, 4, 150, 32, 48)
    wanted = expected(q * 100, k, v)  # scores up to 2000, known to 1e-4 in float32
    same(decode_attention(q * 100, k, v, splits=3), wanted, torch.float32, precision=1e-4)


def test_splits_follow_what_there_is_to_do():
    assert choose_splits(programs=1, visible=10**6, multiprocessors=132) == 128  # the most that one merge takes
    assert choose_splits(programs=1, visible=300, multiprocessors=132) == 2  # keys end first
    assert choose_splits(programs=400, visible=10**6, multiprocessors=132) == 1  # the batch fills the GPU


def test_the_caller_may_ask_for_more_splits_than_there_would_be():
    q, k, v = tensors(1, 2, 1, 3, 7, 16, 24)
    same(decode_attention(q, k, v, splits=130), expected(q, k, v), torch.float32)
