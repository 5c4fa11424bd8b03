"""Accesses outside an array: which array, which element, which line."""

import numpy as np
import pytest
from manyheads.kernels.launching import Out

from tests.kernels.emulate.launches import X, found, kernel, places, run

I = "  const int i = blockIdx.x * 64 + threadIdx.x;\n"  # noqa: E741


@pytest.mark.parametrize("check", ["memory", "races", "all"])
@pytest.mark.parametrize("body, told", [
    ("  const float v = x[i + 9];\n  if (i < n) out[i] = v;",
     "Element 200 of x, which has 200, is read: 1 past its end."),
    ("  out[2 * i] = x[i];", "Element 200 of out, which has 200, is written: 1 past its end."),
    ("  if (i < n) out[i] = x[i - 3];", "Element -3 of x, which has 200, is read: 3 before its beginning."),
    ("  out[i - 1] = 1;", "Element -1 of out, which has 200, is written: 1 before its beginning."),
    ("  out[i + 1000000] = 1;", "is written: 999801 past its end."),
])  # fmt: skip
def test_arguments(body, told, check):
    finding = found(kernel(I + body), check=check)
    assert places(finding) == ("out of bounds", 3)
    assert told in finding.message


def test_both_compilers_give_the_line(with_compiler):
    assert places(found(kernel(I + "\n  out[2 * i] = x[i];"), check="memory")) == ("out of bounds", 4)


@pytest.mark.parametrize("body, told", [
    ("  float* p = tile[0]; p[i % 64 + 1] = 1; out[i] = 1;",
     "Element 64 of shared array tile, which has 64, is written"),
    ("  float* p = tile[0]; out[i] = p[-1 - i];", "Element -1 of shared array tile, which has 64, is read"),
    ("  tile[0][i % 64] = 1; out[i] = 1;", "Index 32 is used with an array float[32], whose last index is 31."),
    ("  tile[i % 64][0] = 1; out[i] = 1;", "Index 2 is used with an array float[2][32], whose last index is 1."),
])  # fmt: skip
def test_shared_arrays(body, told, with_compiler):
    declaration = "  __shared__ float before[64]; __shared__ float tile[2][32]; __shared__ float behind[64];\n"
    finding = found(kernel(I + declaration + body), check="memory")
    assert places(finding) == ("out of bounds", 4)
    assert told.replace("float[2]", "") in finding.message.replace("float[2]", "").replace("tile_element[2]", "")


def test_local_arrays():
    finding = found(kernel("  float mine[4];\n  mine[threadIdx.x] = 1;\n  out[0] = mine[2];"), check="memory")
    assert places(finding) == ("out of bounds", 3)
    assert "Index 4 is used with an array float[4], whose last index is 3." in finding.message


def test_what_ends_where_the_array_ends_is_inside():
    body = I + "  if (i < 200) out[i] = x[199 - i];"
    np.testing.assert_array_equal(run(kernel(body), grid=(4,), check="all"), X[::-1])


def test_without_a_check_a_store_beyond_the_end_is_still_found():
    """Four elements past the end begins a page that is not there; nearer, what lies there has changed afterwards."""
    finding = found(kernel("  out[200 + 4 * threadIdx.x] = x[0];"))
    assert places(finding) == ("out of bounds", 2)
    odd = {"x": X, "out": Out((198,)), "n": 0}
    assert "Element 198 of out, which has 198, is written" in found(kernel("  out[198] = 1;"), odd).message
    assert "Element -1 of out" in found(kernel("  out[-1] = 1;")).message
    near = found(kernel("  out[0] = x[10 + n];"), grid=(1,), block=(1,))
    assert (places(near), near.message[:15]) == (("out of bounds", 2), "Element 200 of ")
    far = found(kernel("  out[0] = x[200 + 64 * 1024 + n];"))
    assert places(far) == ("out of bounds", 2)
    assert "of x, which has 200, is read" in far.message


def test_an_address_of_nothing():
    finding = found(kernel("  out[0] = 1;\n  *(float*)(0x10000000000ll * n) = 1;"))
    assert places(finding) == ("out of bounds", 3)
    assert "in none of the launch's arrays" in finding.message


def test_a_vector_that_crosses_the_end():
    body = "  const float4 v = *(const float4*)(x + 196 + 4 * (n > 190));\n  out[0] = v.w;"
    assert run(kernel(body), grid=(1,), block=(1,), check="memory")[0] == X[199]
    arguments = {"x": X[:198], "out": Out((200,)), "n": 0}
    finding = found(kernel(body), arguments, check="memory")
    assert places(finding) == ("out of bounds", 2)
    assert "Element 198 of x, which has 198, is read: 1 past its end." in finding.message


def test_a_vector_at_an_odd_address():
    finding = found(kernel("  const float4 v = *(const float4*)(x + 1);\n  out[0] = v.w + v.x;"), check="memory")
    assert places(finding) == ("crash", 2)
    assert "An address of x is read or written as float4, but it is no multiple of 16 bytes." in finding.message


def test_an_input_that_is_written_stays_as_it_was():
    kept = X.copy()
    run(
        kernel("  const_cast<float*>(x)[threadIdx.x] = -1; out[threadIdx.x] = x[threadIdx.x];"),
        {"x": kept, "out": Out((64,)), "n": 0},
    )
    np.testing.assert_array_equal(kept, X)
