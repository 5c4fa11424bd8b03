"""Forward and backward over pairs of everything that may vary, at awkward sizes, against the reference in float64."""

import pytest
import torch

from tests.kernels.triton.cases import Case, check, computed, inputs, pairwise

ROWS = pairwise(
    q_len=[1, 15, 17, 63, 65],
    k_len=[2, 16, 64, 127, 129],
    dims=[(16, 16), (32, 40), (72, 72), (80, 96), (192, 128)],
    heads=[(1, 1), (4, 2), (3, 1)],
    band=[(False, None), (True, None), (True, 5), (False, (20, 7)), (False, (None, 3))],
    lengths=["", "some"],
    added=["", "mask", "bias"],
    softcap=[None, 4.0],
    strides=["contiguous", "packed", "expanded", "last is not 1", "inside NaN"],
    dtype=[torch.float16, torch.float32],
)


def case_of(row: dict) -> Case:
    row = dict(row)
    causal, window = row.pop("band")
    added = row.pop("added")
    return Case(
        **row,
        causal=causal,
        window=window,
        mask="keys" if added == "mask" else "",
        bias="heads" if added == "bias" else "",
        batch=2 if row["q_len"] < 60 and row["lengths"] else 1,
        blocks=(32, 64),
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(map(str, row.values())))
def test_pairs_of_everything(row):
    check(case_of(row))


@pytest.mark.parametrize("dim", [64, 128])
def test_the_blocks_that_ship(dim):
    """Without smaller ones forced."""
    case = Case(130, 150, dims=(dim, dim), causal=True, dtype=torch.float16, blocks=(128, 64))
    check(case)


def test_the_same_bits_twice():
    case = Case(20, 40, dtype=torch.float16, causal=True, heads=(2, 1))
    given = inputs(case)
    for one, other in zip(computed(case, *given), computed(case, *given), strict=True):
        assert one.equal(other)


@pytest.mark.parametrize(("q_len", "k_len", "batch"), [(0, 3, 2), (3, 0, 2), (3, 4, 0)])
def test_axes_of_length_0(q_len, k_len, batch):
    case = Case(q_len, k_len, batch=batch)
    q, k, v, d_out = inputs(case)
    out, lse, *gradients = computed(case, q, k, v, d_out)
    assert out.shape == d_out.shape
    assert not out.any()
    assert (lse == -torch.inf).all()
    assert [g.shape for g in gradients] == [q.shape, k.shape, v.shape]
    assert not any(g.any() for g in gradients)


def test_lengths_beyond_the_keys_read_nothing_more():
    from manyheads.kernels.triton import attention

    q, k, v, _ = inputs(Case(3, 5, batch=2, strides="inside NaN"))
    lengths = torch.tensor([9, -1])
    out = attention(q, k, v, lengths=lengths)
    torch.testing.assert_close(out[:1], attention(q, k, v)[:1])
    assert not out[1].any()
