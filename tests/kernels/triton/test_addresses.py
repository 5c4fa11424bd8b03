"""The check of every address, which all tests of this folder run under, sees what it is for."""

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def _copy(x, out, n, ahead, shared, BLOCK: tl.constexpr):  # noqa: N803
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + (i - tl.program_id(0) * shared), tl.load(x + i + ahead, mask=i < n), mask=i < n)


def _copied(n=11, ahead=0, shared=0, length=11):
    rows = torch.arange(30.0).reshape(2, 15)
    x, out = rows[1, 2 : 2 + length], torch.full((11,), -1.0)
    _copy[(3,)](x, out, n, ahead, shared, BLOCK=4)
    assert out.tolist() == x.tolist()


def test_what_is_right_passes():
    _copied()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ahead": 1}, "tl.load reads 1 of 3"),  # inside the memory, but not of the view
        ({"ahead": -1}, "tl.load reads 1 of 4"),
        ({"length": 10}, "tl.load reads 1 of 3"),
        ({"n": 12, "length": 12}, "tl.store writes 1 of 4"),
        ({"shared": 1}, "tl.store writes elements that were written before"),
    ],
)
def test_what_is_wrong_ends_the_launch(wrong, words):
    with pytest.raises(Exception, match=words):
        _copied(**wrong)
