"""What the lanes of a warp do together, against loops over the lanes."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.launching import Out

from tests.kernels.emulate.launches import found, kernel, run

ALL = "0xffffffffu"
VALUES = np.random.default_rng(2).permutation(70).astype(np.float32)


def shuffled(call: str, **options) -> np.ndarray:
    body = f"  const int t = threadIdx.x; float v = x[t]; out[t] = {call};"
    return run(kernel(body), {"x": VALUES, "out": Out((70,)), "n": 0}, grid=(1,), block=(70,), **options)


def by_loop(source, width: int) -> list[float]:
    """`source` says which lane of a segment a lane reads; outside the segment it keeps its own."""
    result = []
    for thread in range(64):
        lane = thread % width
        other = source(lane)
        result.append(VALUES[thread - lane + other] if 0 <= other < width else VALUES[thread])
    return result


@pytest.mark.parametrize("width", [32, 16, 8])
@pytest.mark.parametrize("call, source", [
    ("__shfl_sync(0xffffffffu, v, 3, {})", lambda lane: 3),
    ("__shfl_down_sync(0xffffffffu, v, 5, {})", lambda lane: lane + 5),
    ("__shfl_up_sync(0xffffffffu, v, 2, {})", lambda lane: lane - 2),
    ("__shfl_xor_sync(0xffffffffu, v, 4, {})", lambda lane: lane ^ 4),
], ids=["shfl", "down", "up", "xor"])  # fmt: skip
def test_shuffles(call, source, width):
    got = shuffled(call.format(width), order="shuffled")
    np.testing.assert_array_equal(got[:64], by_loop(source, width))


def test_a_lane_that_is_not_there_gives_no_number():
    got = shuffled(f"__shfl_down_sync({ALL}, v, 1)")
    np.testing.assert_array_equal(got[64:69], VALUES[65:70])
    assert np.isnan(got[69])


def test_a_warp_sums_and_half_a_warp_too():
    body = """
  float v = x[threadIdx.x], w = v;
  for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(0xffffffffu, v, by);
  const unsigned half = threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
  for (int by = 8; by > 0; by /= 2) w += __shfl_xor_sync(half, w, by);
  out[threadIdx.x] = v;
  out[threadIdx.x + 64] = w;"""
    for order in emulate.ORDERS:
        arguments = {"x": VALUES, "out": Out((128,)), "n": 0}
        got = run(kernel(body), arguments, grid=(1,), block=(64,), order=order, check="races")
        np.testing.assert_array_equal(got[:64], np.repeat(VALUES[:64].reshape(2, 32).sum(1), 32))
        np.testing.assert_array_equal(got[64:], np.repeat(VALUES[:64].reshape(4, 16).sum(1), 16))


def test_votes():
    body = """
  const int t = threadIdx.x; const bool big = x[t] > 60;
  out[t] = __popc(__ballot_sync(0xffffffffu, big)) + 100 * __any_sync(0xffffffffu, big)
           + 200 * __all_sync(0xffffffffu, x[t] >= 0) + 400 * __all_sync(0xffffffffu, big);"""
    got = run(kernel(body), {"x": VALUES, "out": Out((64,)), "n": 0}, grid=(1,))
    for warp in range(2):
        big = (VALUES[32 * warp : 32 * warp + 32] > 60).sum()
        np.testing.assert_array_equal(got[32 * warp : 32 * warp + 32], big + 100 * (big > 0) + 200)


def test_a_block_counts_at_its_barrier():
    body = """
  const int few = threadIdx.x < 7;
  out[threadIdx.x] = __syncthreads_count(few) + 100 * __syncthreads_or(few) + 200 * __syncthreads_and(few);"""
    np.testing.assert_array_equal(run(kernel(body))[:64], np.full(64, 107))


def test_atomics():
    body = """
  atomicAdd(&counts[0], 1); atomicMax(&counts[1], (int)threadIdx.x); atomicMin(&counts[2], -(int)blockIdx.x);
  if (atomicCAS(&counts[3], 0, 5) == 0) atomicExch(&counts[4], 9);
  atomicAdd(out, 0.5f);"""
    source = kernel(body).replace("int n)", "int n, int* counts)")
    launch = {"x": VALUES, "out": np.zeros(1, np.float32), "n": 0, "counts": np.zeros(5, np.int32)}
    copy = source.replace("int* counts)", "int* counts, int* seen)").replace(
        "atomicAdd(out, 0.5f);", "if (__syncthreads_or(1) && blockIdx.x == 2 && threadIdx.x == 0)\n"
        "for (int i = 0; i < 5; ++i) seen[i] = counts[i];")  # fmt: skip
    got = run(copy, {**launch, "seen": Out((5,), "int32")})
    assert got.tolist() == [192, 63, -2, 5, 9]


def test_only_syncwarp_orders_memory():
    """CUDA: shuffles "do not imply a memory barrier"."""
    body = """
  __shared__ float tile[32];
  const int t = threadIdx.x;
  tile[t] = x[t];
  %s
  out[t] = tile[31 - t];"""
    arguments = {"x": VALUES, "out": Out((32,)), "n": 0}
    one_warp = {"grid": (1,), "block": (32,), "check": "races"}
    got = run(kernel(body % "__syncwarp();"), arguments, **one_warp)
    np.testing.assert_array_equal(got, VALUES[:32][::-1])
    assert found(kernel(body % f"__any_sync({ALL}, 1);"), arguments, **one_warp).kind == "data race"
    half = body % "__syncwarp(t < 16 ? 0xffffu : 0xffff0000u);"
    assert found(kernel(half), arguments, **one_warp).kind == "data race"


def test_a_warp_operation_that_some_lanes_do_not_reach():
    body = "  float v = x[threadIdx.x];\n  if (threadIdx.x % 2) v = __shfl_sync(0xffffffffu, v, 1);\n  __syncthreads();"
    finding = found(kernel(body))
    assert (finding.kind, finding.line) == ("divergent barrier", 3)
    assert "32 of the block's 64 threads wait at a warp operation in line 3, 32 wait elsewhere" in finding.message
    finding = found(kernel("  __syncwarp(0xfffffffeu);"))
    assert (finding.kind, finding.line) == ("divergent barrier", 2)
    assert "0xfffffffe of a warp operation leaves out lane 0" in finding.message
