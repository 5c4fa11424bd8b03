"""Shared memory however it is declared: filled with NaN before every block, bounded on both sides."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.launching import Launch, Out

from tests.kernels.emulate.launches import X, found, kernel, places, run

REVERSE = """  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = x[i]; __syncthreads(); out[i] = tile[63 - t];"""
REVERSED = X[:192].reshape(3, 64)[:, ::-1].ravel()


@pytest.mark.parametrize("check", [None, "all"])
@pytest.mark.parametrize("declaration", [
    "  __shared__ float tile[64];",
    "  __shared__ __align__(16) float tile[8 * 8];",
    "  __shared__ volatile float unused[3], tile[64], last;",
    "  static __shared__ float tile[\n64];",
    "  // __shared__ float tile[2]; and /* so on\n  __shared__ float tile[64];",
    "  __shared__ float4 many[16]; float* tile = &many[0].x;",
    "  __shared__ struct { int a; float b[64]; } both; float* tile = both.b;",
])  # fmt: skip
def test_declarations(declaration, check):
    np.testing.assert_array_equal(run(kernel(declaration + REVERSE), check=check)[:192], REVERSED)


def test_in_a_macro():
    source = kernel("  TILE(tile)\n" + REVERSE, before="#define TILE(name) __shared__ float name[64];\n")
    np.testing.assert_array_equal(run(source)[:192], REVERSED)


def test_dynamic():
    source = kernel("  extern __shared__ float tile[];\n" + REVERSE)
    for check in (None, "all"):
        np.testing.assert_array_equal(run(source, shared_bytes=256, check=check)[:192], REVERSED)
    finding = found(source, shared_bytes=252, check="memory")
    assert places(finding) == ("out of bounds", 4)
    assert "Element 63 of shared array tile, which has 63, is written" in finding.message
    assert found(source).kind == "out of bounds", "the launch gives none"


def test_outside_functions():
    source = kernel(REVERSE, before="__shared__ float tile[64];\n")
    np.testing.assert_array_equal(run(source, check="all")[:192], REVERSED)


def test_every_instance_of_a_template_has_its_own():
    source = """
template <int SIZE> __device__ float last(float value) {
  __shared__ float tile[SIZE];
  tile[threadIdx.x % SIZE] = value;
  __syncthreads();
  return tile[SIZE - 1];
}
extern "C" __global__ void k(float* out) {
  const float a = last<8>(threadIdx.x), b = last<4>(100 + threadIdx.x);
  out[threadIdx.x] = a + b;
}"""
    launch = Launch("k", (1,), (4,), {"out": Out((4,))})
    assert np.isnan(emulate.launch(source, launch)["out"]).all(), "only half of tile<8> is written"
    whole = source.replace("tile[SIZE - 1]", "tile[3]")
    np.testing.assert_array_equal(emulate.launch(whole, launch, check="all")["out"], np.full(4, 3 + 103))


def test_every_block_finds_it_unwritten():
    body = """
  __shared__ float tile[64];
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];"""
    out = run(kernel(body))
    assert (out[:64] == 1).all()
    assert np.isnan(out[64:192]).all()
    assert places(found(kernel(body), check="memory")) == ("uninitialised shared memory", 6)


def test_an_element_that_nobody_has_written():
    body = """
  __shared__ float tile[64];
  if (threadIdx.x < 40) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];"""
    finding = found(kernel(body), check="memory")
    assert places(finding) == ("uninitialised shared memory", 6)
    assert "Element 40 of tile is read before" in finding.message
    assert finding.text.startswith("out[blockIdx.x")
    all_written = body.replace("if (threadIdx.x < 40) ", "")
    np.testing.assert_array_equal(run(kernel(all_written), check="memory")[:64], X[:64])


def test_more_than_48_kib():
    body = "  __shared__ float tile[%d];\n  tile[n] = 1; out[0] = tile[n];"
    assert run(kernel(body % (12 * 1024)), grid=(1,), block=(1,))[0] == 1
    finding = found(kernel(body % (12 * 1024 + 256)))
    assert places(finding) == ("too many resources", 2)
    assert "48 KiB" in finding.message and "49 KiB" in finding.message
    assert "227 KiB" in found(kernel(body % 1000), shared_bytes=228 * 1024).message
