"""A notebook without Triton: kernels can be defined, and each check says what is missing."""

import sys

import pytest
from manyheads.grading import check
from manyheads.grading.check import CheckFailed
from manyheads.kernels.handed_in.triton_stub import tl, triton


@triton.jit
def triton_row_softmax(
    scores,
    weights,
    length,
    scores_row,
    scores_column,
    weights_row,
    weights_column,
    BLOCK: tl.constexpr,  # noqa: N803
):
    raise NotImplementedError()


@pytest.mark.parametrize("aspect", ["values", "for a GPU"])
def test_does_a_check_say_in_one_line_what_is_missing(monkeypatch, aspect):
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises(CheckFailed, match=r"cannot be checked on this machine: .*Triton") as caught:
        check("triton-row-softmax", triton_row_softmax, aspect=aspect)
    assert "\n" not in str(caught.value)


def test_is_a_kernel_from_before_triton_came_told_apart():
    with pytest.raises(CheckFailed, match="Triton"):
        check("triton-row-softmax", triton_row_softmax, aspect="values")
