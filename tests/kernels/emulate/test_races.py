"""A missing barrier is a data race, with both lines; the barrier in its place is none."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.launching import Out

from tests.kernels.emulate.launches import X, found, kernel, places, run

LOAD = """  __shared__ float tile[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = x[i];
  %s
  out[i] = tile[63 - t];"""

REUSE = """  __shared__ float tile[64];
  const int t = threadIdx.x;
  float sum = 0;
  for (int start = 0; start < 192; start += 64) {
    tile[t] = x[start + t];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];
    %s
  }
  out[blockIdx.x * 64 + t] = sum;"""


@pytest.mark.parametrize("order", emulate.ORDERS)
def test_no_barrier_after_the_load(order, with_compiler):
    finding = found(kernel(LOAD % ""), order=order, check="races")
    assert places(finding) == ("data race", 6)
    assert finding.message.startswith("Line 4 writes element ")
    assert " of tile, which another thread reads in line 6; a __syncthreads() is missing" in finding.message
    assert finding.text == "out[i] = tile[63 - t];"


@pytest.mark.parametrize("order", emulate.ORDERS)
def test_no_barrier_before_the_tile_is_used_again(order, with_compiler):
    finding = found(kernel(REUSE % ""), order=order, check="races")
    assert places(finding) == ("data race", 8)
    assert finding.message.startswith("Line 6 writes element ")


@pytest.mark.parametrize("body", [LOAD, REUSE], ids=["load", "reuse"])
@pytest.mark.parametrize("threads", [64])
def test_with_the_barrier_there_is_none(body, threads, with_compiler):
    for check in ("races", "all"):
        assert np.isfinite(run(kernel(body % "__syncthreads();"), check=check)[:192]).all()


def test_the_numbers_of_a_race_depend_on_the_order():
    results = [run(kernel(LOAD % ""), order=order)[:192] for order in emulate.ORDERS]
    right = run(kernel(LOAD % "__syncthreads();"))[:192]
    assert not all(np.array_equal(result, right) for result in results)


@pytest.mark.parametrize("threads", [256, 1024])
def test_large_blocks(threads):
    body = LOAD.replace("[64]", f"[{threads}]").replace("* 64", f"* {threads}").replace("63", str(threads - 1))
    arguments = {"x": np.ones(threads, np.float32), "out": Out((threads,)), "n": 0}
    sizes = {"block": (threads,), "grid": (1,), "check": "races"}
    assert found(kernel(body % ""), arguments, **sizes).kind == "data race"
    np.testing.assert_array_equal(run(kernel(body % "__syncthreads();"), arguments, **sizes), arguments["x"])


def test_two_threads_write_one_element():
    finding = found(kernel("  out[threadIdx.x / 2] = x[threadIdx.x];"), grid=(1,), check="races")
    assert places(finding) == ("data race", 2)
    assert "another thread also writes in line 2" in finding.message


def test_two_blocks_write_one_element():
    body = "  out[threadIdx.x] = x[threadIdx.x];"
    np.testing.assert_array_equal(run(kernel(body), grid=(1,), check="races")[:64], X[:64])
    finding = found(kernel(body), check="races")
    assert places(finding) == ("data race", 2)
    assert "another thread of another block also writes" in finding.message
    assert "nothing orders two blocks" in finding.message


def test_atomics_do_not_race_with_each_other_but_with_a_load():
    body = "  atomicAdd(out, 1.0f);\n  atomicAdd(&out[1], 1);"
    arguments = {"x": X, "out": Out((2,)), "n": 0}
    run(kernel(body), arguments, check="races")
    finding = found(kernel(body + "\n  out[1] += 1;"), arguments, check="races")
    assert finding.kind == "data race"


def test_a_fence_and_a_counter_order_blocks():
    """The last block to finish adds up what the others left: the idiom of a reduction in one launch."""
    source = """
extern "C" __global__ void k(const float* x, float* out, int* counter, float* partial) {
  partial[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicAdd(counter, 1) == gridDim.x - 1) out[0] = partial[0] + partial[1] + partial[2];
}"""
    arguments = {"x": X, "out": Out((1,)), "counter": np.zeros(1, np.int32), "partial": np.zeros(3, np.float32)}
    assert run(source, arguments, block=(1,), check="races") == 6


def test_a_single_thread_does_not_race_with_itself():
    run(kernel("  if (threadIdx.x == 0) { out[0] = 1; out[0] += x[0]; out[1] = out[0]; }"), grid=(1,), check="races")
