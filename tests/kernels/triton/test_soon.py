"""The sharpest cases, in seconds: what a broken mask, rescale or offset breaks first."""

import pytest
import torch
import triton
import triton.language as tl
from manyheads.kernels.triton import attention
from manyheads.kernels.triton.scores import tanh
from manyheads.kernels.triton.visible import key_blocks, query_blocks

from tests.kernels.triton.cases import Case, check, inputs

CASES = {
    "several blocks, nothing masked": Case(17, 65),
    "heads that share": Case(3, 5, heads=(6, 2), batch=2, dims=(8, 12)),
    "a ragged block, scores far apart": Case(17, 49, scale=3.0),
    "causal, more keys": Case(35, 70, causal=True),
    "causal, more queries": Case(50, 35, causal=True, dims=(24, 16)),
    "window, left and right": Case(37, 81, window=(33, 20)),
    "window far from the first keys": Case(20, 90, causal=True, window=3, blocks=(16, 16)),
    "window to the left only": Case(40, 70, window=(37, None)),
    "window to the right only": Case(50, 40, window=(None, 2)),
    "lengths": Case(5, 65, lengths="some", batch=3),
    "lengths in a causal call": Case(36, 34, lengths="some", causal=True, batch=3),
    "mask, with NaN in what nobody sees": Case(18, 37, mask="full", heads=(4, 2), batch=2, blocks=(32, 64)),
    "mask of two axes, causal": Case(18, 50, mask="two axes", causal=True),
    "mask of keys": Case(5, 37, mask="keys", heads=(2, 1), batch=2),
    "bias that forbids": Case(19, 41, bias="infinite"),
    "bias in a causal call": Case(18, 40, bias="two axes", causal=True),
    "bias by heads": Case(5, 41, bias="heads", heads=(2, 1)),
    "softcap": Case(20, 40, softcap=0.75, causal=True),
    "softcap in float32": Case(5, 33, softcap=30.0, dtype=torch.float32),
    "negative scale": Case(5, 33, scale=-0.5, causal=True),
    "inside NaN": Case(5, 35, strides="inside NaN", heads=(2, 1), batch=2),
    "transposed": Case(5, 35, strides="last is not 1", dims=(40, 16), heads=(2, 1)),
    "float16": Case(5, 35, dtype=torch.float16, causal=True),
}


@pytest.mark.parametrize("name", CASES)
def test_kernels_give_what_the_reference_gives(name):
    check(CASES[name])


def test_lengths_beyond_the_keys_are_cut():
    """On a GPU nobody looks at their values before the launch; backward neither."""
    q, k, v, d_out = inputs(Case(3, 5, batch=2))
    leaves = [x.requires_grad_() for x in (q, k, v)]
    all_keys, cut = (attention(q, k, v, lengths=torch.tensor(lengths)) for lengths in ([0, 5], [-1, 9]))
    assert cut.equal(all_keys)
    for one, other in zip(*(torch.autograd.grad(out, leaves, d_out) for out in (cut, all_keys)), strict=True):
        assert one.equal(other)
        assert other[1].any() and not other[0].any()


@triton.jit
def _store_blocks(
    out, left, right, length, q_len, k_len, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,  # noqa: N803
):  # fmt: skip
    band = (left, right, length, k_len - q_len)
    first = tl.program_id(0) * BLOCK_Q
    a, b, c, d = key_blocks(first, tl.minimum(first + BLOCK_Q, q_len), band, BLOCK_K)
    out += tl.program_id(0) * 8
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    a, b, c, d = query_blocks(tl.program_id(0) * BLOCK_K, band, q_len, BLOCK_Q, BLOCK_K)
    tl.store(out + 4, a)
    tl.store(out + 5, b)
    tl.store(out + 6, c)
    tl.store(out + 7, d)


@pytest.mark.parametrize(("left", "right"), [(None, None), (None, 0), (9, 0), (2, 30), (None, 3), (40, None)])
@pytest.mark.parametrize(("q_len", "k_len", "length"), [(37, 70, 70), (70, 37, 37), (33, 64, 41), (16, 48, 0)])
def test_no_block_is_walked_in_vain_and_full_ones_are_full(left, right, q_len, k_len, length):
    """Blocks against a mask made by hand, for both kinds of walks."""
    query, key = torch.arange(q_len)[:, None] + k_len - q_len, torch.arange(k_len)
    seen = (key < length).expand(q_len, k_len)
    seen = seen if left is None else seen & (key >= query - left)
    seen = seen if right is None else seen & (key <= query + right)
    blocks = max(-(-q_len // 16), -(-k_len // 8))
    out = torch.zeros(blocks, 8, dtype=torch.int32)
    _store_blocks[(blocks,)](out, left, right, length, q_len, k_len, BLOCK_Q=16, BLOCK_K=8)
    for mask, rows, columns, found in ((seen, 16, 8, out[:, :4]), (seen.T, 8, 16, out[:, 4:])):
        for block, (first, full_first, full_end, end) in enumerate(found.tolist()[: -(-len(mask) // rows)]):
            tiles = mask[block * rows : (block + 1) * rows].split(columns, dim=1)
            walked = {place // columns for place in range(first, end, columns)}
            needed = {i for i, tile in enumerate(tiles) if tile.any()}
            assert needed <= walked
            assert len(walked - needed) <= (length < k_len)  # where a length cuts a band off, one block may be empty
            complete = len(mask[block * rows : (block + 1) * rows]) == rows or rows == 16
            full = {place // columns for place in range(full_first, full_end, columns)}
            ragged = columns == 16  # queries after the last do no harm, keys do
            wanted = {i for i, tile in enumerate(tiles) if tile.all() and (ragged or tile.shape[1] == columns)}
            assert full == (wanted if complete else set()) or (ragged and full <= wanted)


@triton.jit
def _store_tanh(x, out):
    places = tl.arange(0, 256)
    tl.store(out + places, tanh(tl.load(x + places)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_softcaps_tanh_keeps_its_last_bits_near_0(dtype):
    size = torch.logspace(-6, 1.5, 128, dtype=torch.float64)
    x = torch.cat([-size, size]).to(dtype)
    out = torch.empty_like(x)
    _store_tanh[(1,)](x, out)
    rtol = 4e-7 if dtype == torch.float32 else 1e-9
    torch.testing.assert_close(out.double(), x.double().tanh(), rtol=rtol, atol=0)
