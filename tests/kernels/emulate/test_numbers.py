"""Kernels that are right give the right numbers: in every order of the threads, and with every check."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.launching import Launch, Out

from tests.kernels.emulate.launches import N, X, kernel, run

BLOCK_SUM = kernel("""
  __shared__ float tile[64];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) tile[t] += tile[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];""")


@pytest.mark.parametrize("order", emulate.ORDERS)
def test_a_block_sums_in_any_order(order, with_compiler):
    sums = run(BLOCK_SUM, order=order)
    np.testing.assert_array_equal(sums[:3], [X[:64].sum(), X[64:128].sum(), X[128:N].sum()])
    assert np.isnan(sums[3:]).all(), "what no thread writes stays as it was"


@pytest.mark.parametrize("check", emulate.CHECKS[1:])
def test_a_right_kernel_passes_every_check_with_the_same_bits(check, with_compiler):
    values = np.random.default_rng(0).standard_normal(200).astype(np.float32)
    arguments = {"x": values, "out": Out((3,)), "n": N}
    plain = run(BLOCK_SUM, arguments)
    assert run(BLOCK_SUM, arguments, check=check, order="shuffled").tobytes() == plain.tobytes()


def test_the_same_launch_gives_the_same_bits():
    racy = kernel("  atomicAdd(out, x[threadIdx.x + 64 * blockIdx.x] * 0.1f);")
    values = np.random.default_rng(1).standard_normal(200).astype(np.float32)
    arguments = {"x": values, "out": np.zeros(1, np.float32), "n": N, "sum": Out((1,))}
    source = racy.replace("int n)", "int n, float* sum)").replace("atomicAdd(out,", "*sum = atomicAdd(out,")
    one, two = (run(source, arguments, order="shuffled") for _ in range(2))
    assert one.tobytes() == two.tobytes()
    assert arguments["out"][0] == 0, "the caller's array is the caller's"


def test_the_orders_are_what_they_are_called():
    source = """
extern "C" __global__ void k(int* counter, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = atomicAdd(counter, 1);
}"""

    def turns(order: str) -> list[int]:
        return run(source, {"counter": np.zeros(1, np.int32), "out": Out((192,), "int32")}, order=order).tolist()

    assert turns("up") == list(range(192))
    assert turns("down") == list(range(192))[::-1]
    shuffled = turns("shuffled")
    assert sorted(shuffled) == list(range(192))
    assert shuffled not in (sorted(shuffled), sorted(shuffled, reverse=True))


def test_indices_in_three_dimensions():
    source = """
extern "C" __global__ void k(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
      ((((int)blockIdx.z * 10 + blockIdx.y) * 10 + blockIdx.x) * 10 + threadIdx.z) * 100 + threadIdx.y * 10
      + threadIdx.x;
}"""
    out = run(source, {"out": Out((2, 3, 4, 2, 5, 7), "int32")}, grid=(4, 3, 2), block=(7, 5, 2))
    z, y, x, k, j, i = np.indices(out.shape)
    np.testing.assert_array_equal(out, (((z * 10 + y) * 10 + x) * 10 + k) * 100 + j * 10 + i)


def test_numbers_become_what_the_parameters_are():
    source = """
__global__ void k(double* out, float f, int i, bool b, long long l, double d, unsigned u, float from_int,
                  int from_float) {
  double all[] = {f, (double)i, (double)b, (double)l, d, (double)u, from_int, (double)from_float};
  for (int j = 0; j < 8; ++j) out[j] = all[j];
}"""
    arguments = {"out": Out((8,), "float64"), "f": 0.1, "i": -3, "b": True, "l": 2**40, "d": 0.1, "u": 2**32 - 1,
                 "from_int": 7, "from_float": -2.0}  # fmt: skip
    out = run(source, arguments, grid=(1,), block=(1,))
    assert out.tolist() == [float(np.float32(0.1)), -3, 1, 2.0**40, 0.1, 2.0**32 - 1, 7, -2]


def test_only_what_is_kept_comes_back():
    out = run(kernel("  out[threadIdx.x] = threadIdx.x;"), {"x": X, "out": Out((9, 4), kept=(slice(0, 2),)), "n": 1},
              block=(8,), grid=(1,))  # fmt: skip
    np.testing.assert_array_equal(out, np.arange(8).reshape(2, 4))


def test_a_view_lies_where_it_lies():
    """As on a GPU: the kernel gets the first element's address and finds the others by strides."""
    packed = np.arange(60, dtype=np.float32).reshape(4, 5, 3)
    view = packed[1:, :, 1]
    body = "  if (threadIdx.x < 3) out[threadIdx.x] = x[threadIdx.x * 15 + 4 * 3];"
    out = run(kernel(body), {"x": view, "out": Out((3,)), "n": 0}, grid=(1,))
    np.testing.assert_array_equal(out, view[:, 4])
    expanded = np.broadcast_to(np.float32(5), (40, 50))
    assert run(kernel("  out[0] = x[0];"), {"x": expanded, "out": Out((1,)), "n": 0}, grid=(1,), block=(1,)) == 5


def test_vectors_of_four():
    body = """
  const float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];
  reinterpret_cast<float4*>(out)[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
"""
    for check in (None, "all"):
        out = run(kernel(body), block=(50,), grid=(1,), check=check)
        np.testing.assert_array_equal(out.reshape(50, 4), X.reshape(50, 4)[:, ::-1])


def test_a_template_is_launched_by_its_arguments_and_macros_are_constants():
    source = "template <int A, typename T> __global__ void k(T* out) { out[threadIdx.x] = A * TIMES + threadIdx.x; }"
    launch = Launch("k<20, int>", (1,), (3,), {"out": Out((3,), "int32")}, {"TIMES": 3})
    np.testing.assert_array_equal(emulate.launch(source, launch)["out"], [60, 61, 62])


def test_cudas_mathematics():
    body = """
  const float a = x[0], b = x[1];
  const float all[] = {__expf(a), exp2f(b), fmaxf(a, b), rsqrtf(b), __fdividef(a, b), __int_as_float(0x7f800000),
                       INFINITY, min(a, b), max(3, 2), exp(b), __logf(b), tanhf(a), fmaf(a, b, 1.0f), max(-INFINITY, a),
                       abs(-a)};
  for (int i = 0; i < 15; ++i) out[i] = all[i];"""
    values = np.array([-0.75, 2.5], np.float32)
    a, b = values.astype(float)
    want = [
        np.exp(a),
        2**b,
        b,
        b**-0.5,
        a / b,
        np.inf,
        np.inf,
        a,
        3,
        np.exp(b),
        np.log(b),
        np.tanh(a),
        a * b + 1,
        a,
        -a,
    ]
    out = run(kernel(body), {"x": values, "out": Out((15,)), "n": 0}, grid=(1,), block=(1,))
    np.testing.assert_allclose(out, want, rtol=3e-7)


def test_what_a_kernel_prints_is_printed(capsys):
    run(kernel('  if (threadIdx.x == 5) printf("block %d has %g\\n", blockIdx.x, x[blockIdx.x]);'), grid=(2,))
    assert capsys.readouterr().out == "block 0 has 1\nblock 1 has 2\n"


def test_several_launches_of_one_source():
    many = emulate.launch_many(kernel("  out[threadIdx.x] = n;"), [
        Launch("k", (1,), (threads,), {"x": X, "out": Out((4,)), "n": threads}) for threads in (3, 2000, 4)
    ])  # fmt: skip
    np.testing.assert_array_equal(many[0]["out"], [3, 3, 3, np.nan])
    assert many[1].kind == "too many resources"
    np.testing.assert_array_equal(many[2]["out"], [4] * 4)


def test_a_wrong_option_is_told():
    with pytest.raises(ValueError, match=r"order must be one of 'up', 'down', 'shuffled', got 'sideways'"):
        run(BLOCK_SUM, order="sideways")
    with pytest.raises(ValueError, match="check must be one of None, 'races', 'memory', 'all', got 'asan'"):
        run(BLOCK_SUM, check="asan")
