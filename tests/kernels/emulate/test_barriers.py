"""Barriers that some threads do not reach."""

import pytest
from manyheads.kernels import emulate

from tests.kernels.emulate.launches import found, kernel, places, run

RETURN = "  if (threadIdx.x >= 41) return;\n  __syncthreads();\n  out[threadIdx.x] = 1;"
BRANCH = "  if (threadIdx.x < 23) {\n    __syncthreads();\n  }\n  out[threadIdx.x] = 1;"
OTHERWISE = "  if (threadIdx.x < 23) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }"
CASES = {
    "return": (RETURN, 3, "41 of the block's 64 threads wait at __syncthreads() in line 3, 23 have returned."),
    "branch": (BRANCH, 3, "23 of the block's 64 threads wait at __syncthreads() in line 3, 41 have returned."),
    "else": (
        OTHERWISE,
        3,
        "23 of the block's 64 threads wait at __syncthreads() in line 3, 41 wait elsewhere, in line 5.",
    ),
}


@pytest.mark.parametrize("check", [None, "races"])
@pytest.mark.parametrize("order", emulate.ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_divergence(name, order, check):
    body, line, told = CASES[name]
    finding = found(kernel(body), order=order, check=check)
    assert places(finding) == ("divergent barrier", line)
    assert finding.message == told + " Every thread of the block must reach the same barrier."
    assert finding.text == "__syncthreads();"


def test_a_branch_that_all_threads_take_together_does_not_diverge():
    body = (
        "  if (n > 100) __syncthreads();\n  if (blockIdx.x == 1) return;\n  __syncthreads();\n  out[threadIdx.x] = 1;"
    )
    for order in emulate.ORDERS:
        assert (run(kernel(body), order=order)[:64] == 1).all()


def test_loops_of_different_lengths():
    finding = found(kernel("  for (int i = 0; i <= threadIdx.x / 32; ++i)\n    __syncthreads();"))
    assert places(finding) == ("divergent barrier", 3)
    assert "32 have returned" in finding.message
