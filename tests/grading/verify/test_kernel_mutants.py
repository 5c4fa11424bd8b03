"""Mutants of kernels: what they change, and that they are not too many to be built."""

from manyheads.grading.verify.kernel_mutants import MOST, kernel_mutants

CUDA = """\
extern "C" __global__ void scale(const float* x, float* out, int n, float by) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = x[i];  // a < b here is a comment
    __syncthreads();
    out[i] = tile[threadIdx.x] * by;
}
"""

TRITON = """\
@triton.jit
def scale(x_ptr, out_ptr, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * by, mask=at < n)
"""


def test_cuda_mutants_change_one_line_and_leave_lines_out():
    made = kernel_mutants(CUDA, "solution")
    changes = {mutant.name for mutant in made}
    assert "solution: 6: __syncthreads();  =>  " in changes
    assert "solution: 4: if (i >= n) return;  =>  " in changes
    assert "solution: 4: if (i >= n) return;  =>  if (i > n) return;" in changes
    assert "solution: 7: out[i] = tile[threadIdx.x] * by;  =>  out[i] = tile[threadIdx.x] + by;" in changes
    for mutant in made:
        pairs = zip(CUDA.splitlines(), mutant.source.splitlines(), strict=True)
        assert sum(one != other for one, other in pairs) == 1
    assert not any("comment" in mutant.name and "<=" in mutant.name for mutant in made)


def test_triton_mutants_stay_kernels():
    made = kernel_mutants(TRITON, "solution")
    assert len(made) > 8 and all(mutant.source.startswith("@triton.jit\n") for mutant in made)
    assert any("at <= n" in mutant.source for mutant in made)


def test_of_a_long_kernel_not_all_are_made_but_every_line_is_left_out_once():
    body = "".join(f"    x[{i}] = y[{i}] + z[{i}] * 1;\n" for i in range(2, 40))
    made = kernel_mutants(f'extern "C" __global__ void f(float* x) {{\n{body}}}\n', "solution")
    assert len(made) <= MOST
    assert sum(mutant.name.endswith("=>  ") for mutant in made) == 38
