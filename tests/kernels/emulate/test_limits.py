"""What does not end, takes too much, or breaks: the launch ends, and says where."""

import time

import pytest
from manyheads.kernels.launching import Out

from tests.kernels.emulate.launches import X, found, kernel, places, run


@pytest.mark.parametrize("body", [
    "  while (x[0] > 0) out[threadIdx.x] = expf(x[1]);",
    "  volatile int i = 0;\n  while (i < 1) i = 0;",
    "  for (int i = 0; i < 10; ++i) { out[i] = 1; __syncthreads(); i -= 1; }",
    "  while (true) {}",
], ids=["math", "volatile", "barrier", "empty"])  # fmt: skip
def test_an_endless_loop(body, with_compiler):
    start = time.monotonic()
    finding = found(kernel(body), seconds=0.5)
    assert finding.kind == "endless"
    assert "did not end within 0.5 seconds" in finding.message
    assert finding.line in ((None, 2) if "{}" in body else (2, 3)), "of an empty loop not every compiler keeps the line"
    assert time.monotonic() - start < 20


def test_memory():
    finding = found(kernel("  float* p = (float*)malloc(2ull << 30);\n  p[n] = 1;\n  out[0] = p[n];"))
    assert places(finding) == ("too much memory", 2)
    assert "malloc was asked for 2 GiB; a launch may have 2 GiB." in finding.message
    finding = found(kernel("  float* p = new float[1u << 29];\n  p[n] = 1;\n  out[0] = p[n];"), check="memory")
    assert places(finding) == ("too much memory", 2)


def test_arrays_outside_functions():
    big = "__device__ float big[%s];\n"
    body = "  big[threadIdx.x] = 1;\n  out[0] = big[n];"
    finding = found(kernel(body, before=big % "1u << 28"), memory=1 << 29)
    assert finding.kind == "too much memory"
    assert found(kernel(body, before=big % "1ull << 33")).kind == "too much memory"
    source = kernel("  out[0] = big[2];", before="__device__ float big[3] = {1, 2, 3};\n")
    assert run(source, {"x": X, "out": Out((1,)), "n": 0}, check="all", grid=(1,), block=(1,)) == 3


def test_arrays_of_the_launch():
    finding = found(kernel(""), {"x": X, "out": Out((1 << 20,)), "n": 0}, memory=1 << 20)
    assert finding.kind == "too much memory"
    assert "4" in finding.message and "1 MiB" in finding.message


@pytest.mark.parametrize("body, line, told", [
    ("  out[0] = 100 / (n - 190);", 2, "A whole number is divided by zero."),
    ("\n  out[0] = n % (int)(x[0] - 1);", 3, "A whole number is divided by zero."),
    ("  __trap();", 2, "__trap() was called"),
    ("  assert(n < 10);", 2, "assert(n < 10) failed"),
    ("  float* p = (float*)(long)(n - 190);\n  *p = 1;", 3, "The null pointer is read or written."),
])  # fmt: skip
@pytest.mark.parametrize("check", [None, "memory"])
def test_a_crash(body, line, told, check):
    finding = found(kernel(body), check=check)
    assert places(finding) == ("crash", line)
    assert told in finding.message


def test_local_variables_that_do_not_fit(with_compiler):
    body = "  volatile float a[100000];\n  for (int i = 0; i < 100000; ++i) a[i] = x[i % 100];\n  out[0] = a[n];"
    finding = found(kernel(body))
    assert finding.kind == "crash"
    assert finding.message == "A thread's local variables need more than 256 KiB."


@pytest.mark.parametrize("sizes, told", [
    ({"block": (1025,)}, "A block of 1025 x 1 x 1 has 1,025 threads; it may have 1,024"),
    ({"block": (2, 2, 65)}, "64 along z"),
    ({"grid": (1, 65536)}, "65,535 blocks along y and z"),
    ({"grid": (0,)}, "at least one block"),
])  # fmt: skip
def test_a_launch_that_no_gpu_takes(sizes, told):
    finding = found(kernel(""), **sizes)
    assert finding.kind == "too many resources"
    assert told in finding.message
