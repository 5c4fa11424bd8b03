"""Handed-in kernels, really launched."""

import numpy as np
import pytest
from manyheads.kernels.handed_in.gpu import run_on_gpu
from manyheads.kernels.launching import KernelError, Launch, Out

pytestmark = pytest.mark.gpu

X = np.random.default_rng(0).standard_normal((3, 70)).astype(np.float32)
CUDA = """
__global__ void row_sums(const float* x, float* out, int columns) {
  extern __shared__ float part[];
  part[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) part[threadIdx.x] += x[blockIdx.x * columns + i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < blockDim.x; ++i) total += part[i];
    out[blockIdx.x] = total;
  }
}
"""
TRITON = """
@triton.jit
def row_sums(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))
"""


def test_cuda():
    launch = Launch(
        "row_sums", (3,), (32,), {"x": X, "out": Out((3,)), "columns": 70}, shared_bytes=100 * 1024
    )  # more than the 48 KiB that no launch has to ask for
    np.testing.assert_allclose(run_on_gpu("cuda", CUDA, launch)["out"], X.sum(axis=1), rtol=0, atol=1e-5)


def test_a_store_past_the_end_is_found():
    wrong = CUDA.replace("out[blockIdx.x]", "out[blockIdx.x + 1]")
    launch = Launch("row_sums", (3,), (32,), {"x": X, "out": Out((3,)), "columns": 70}, shared_bytes=128)
    with pytest.raises(KernelError, match="past the end of out"):
        run_on_gpu("cuda", wrong, launch)


def test_an_address_that_is_nowhere_is_out_of_bounds():
    wrong = CUDA.replace("out[blockIdx.x]", "out[blockIdx.x + (1LL << 40)]")
    launch = Launch("row_sums", (3,), (32,), {"x": X, "out": Out((3,)), "columns": 70}, shared_bytes=128)
    with pytest.raises(KernelError) as raised:
        run_on_gpu("cuda", wrong, launch)
    assert raised.value.finding.kind == "out of bounds"


def test_triton():
    launch = Launch("row_sums", (3,), (), {"x_ptr": X, "out_ptr": Out((3,)), "columns": 70}, {"BLOCK": 128})
    np.testing.assert_allclose(run_on_gpu("triton", TRITON, launch)["out_ptr"], X.sum(axis=1), rtol=0, atol=1e-5)


def test_triton_that_the_compiler_refuses():
    wrong = TRITON.replace("tl.arange(0, BLOCK)", "tl.arange(0, 100)")
    launch = Launch("row_sums", (3,), (), {"x_ptr": X, "out_ptr": Out((3,)), "columns": 70}, {"BLOCK": 128})
    with pytest.raises(KernelError) as raised:
        run_on_gpu("triton", wrong, launch)
    assert raised.value.finding.kind == "does not compile"
