"""Sources that are wrong before they run: in words for who wrote them, with their own lines."""

import re

import numpy as np
import pytest
from manyheads.kernels.emulate.source import blanked, kernels
from manyheads.kernels.launching import Out

from tests.kernels.emulate.launches import HEAD, X, found, kernel, places, run


@pytest.mark.parametrize("body, line, told", [
    ("  int i = threadIdx.x\n  out[i] = 1;", (2, 3), "expected"),
    ("\n  out[0] = missing(1);", (3,), "missing"),
    ("  __shared__ float tile[2][2],\n    more[n];\n  out[0] = 1;", (2, 3), ""),
    ("  std::vector<int> v;", (2,), "std"),
    ('  out[0] = min(1, "a");', (2,), ""),
])  # fmt: skip
def test_it_does_not_compile(body, line, told, with_compiler):
    finding = found(kernel(body))
    assert finding.kind == "does not compile"
    assert finding.line in line
    assert told in finding.message
    assert "/" not in finding.message
    assert finding.text == kernel(body).split("\n")[finding.line - 1].strip()


def test_a_brace_that_is_never_closed(with_compiler):
    finding = found(kernel("  if (n > 1) { out[0] = 1;"), {"x": X, "out": Out((3,)), "n": 3})
    assert (finding.kind, finding.message) == ("does not compile", "The source ends inside of braces: a } is missing.")


def test_a_function_that_is_never_defined(with_compiler):
    finding = found(kernel("  out[0] = weigh(1);", before="__device__ float weigh(float);\n"))
    assert places(finding) == ("does not compile", 1)
    assert "weigh(float)" in finding.message


@pytest.mark.parametrize("arguments, told", [
    ({"x": X}, "The kernel k has 3 parameters; it is launched with 1: x."),
    ({"x": X.astype(float), "out": Out((3,)), "n": 3},
     "Parameter 1 of k (x) is a pointer to float; it gets an array of float64."),
    ({"x": X, "out": Out((3,), "int32"), "n": 3},
     "Parameter 2 of k (out) is a pointer to float; it gets an array of int32."),
    ({"x": X, "out": 3, "n": 3}, "Parameter 2 of k (out) is a pointer; it gets a single number."),
    ({"x": X, "out": Out((3,)), "n": X},
     "Parameter 3 of k (n) is a single int; it gets an array, so it must be a pointer."),
    ({"out": Out((3,)), "x": Out((3,)), "n": 3},
     "Parameter 1 of k (out) is a pointer to const; the kernel has to write there."),
])  # fmt: skip
def test_parameters(arguments, told):
    finding = found(kernel("  out[0] = 1;"), arguments)
    assert (finding.kind, finding.message) == ("wrong parameters", told)


def test_another_kernels_name(with_compiler):
    finding = found("__global__ void sum(int n) {}\n__global__ void __launch_bounds__(8 * (2)) scale(int n) {}")
    assert (finding.kind, finding.message) == (
        "wrong parameters", "There is no __global__ function called k; there is sum, scale.")  # fmt: skip
    assert "the source has none" in found("void other(int n) {}").message
    assert "the source has none" in found('extern "C" void k(int n) {}', {"n": 3}).message  # nvcc would not launch it
    assert found("__global__ int k(int n) { return n; }", {"n": 3}).kind == "wrong parameters"


@pytest.mark.parametrize("source, line, told", [
    ("#include <iostream>\n" + HEAD + "}", 1, "iostream cannot be included"),
    ("\n#include \"/etc/passwd\"\n" + HEAD + "}", 2, "cannot be included"),
    (HEAD + "#\\\ninclude <stdlib.h>\n}", None, ""),
    (HEAD + "%:include <fstream>\n}", 2, "fstream cannot be included"),
    (kernel('  asm("nop");'), 2, "inline assembly"),
    (kernel('\n  system("ls");'), 3, "operating system: system"),
    (kernel('  void* f = fopen("a", "w");'), 2, "files"),
    ("#pragma GCC optimize(\"O0\")\n" + kernel(""), 1, "#pragma unroll"),
    ("__attribute__((constructor)) void first() {}\n" + kernel(""), 1, "compiler attributes"),
    (kernel("  __builtin_trap();"), 2, "builtin"),
    (kernel("  cpu::give_up(0, 1);"), 2, "names of the emulator"),
    ("#define GLUE(a, b) a##b\n" + kernel(""), 1, "##"),
])  # fmt: skip
def test_not_allowed(source, line, told):
    finding = found(source)
    assert finding.kind in ("not allowed", "does not compile")
    if line is not None:
        assert places(finding) == ("not allowed", line)
    assert told in finding.message


def test_what_is_allowed_and_means_nothing():
    source = "#include <cuda_runtime.h>\n# include <math.h>\n" + kernel("""  // system("rm"), asm, #include <iostream>
#pragma unroll 4
  for (int i = 0; i < 3; ++i) out[i] = expf(0.0f) + i;  /* fopen( */""")  # fmt: skip
    np.testing.assert_array_equal(run(source, grid=(1,), block=(1,))[:3], [1, 2, 3])
    late = source + "\n#error here"
    assert places(found(late)) == ("does not compile", late.count("\n") + 1), "every line keeps its number"


def test_a_source_from_windows():
    assert run(kernel("  out[0] = 1;").replace("\n", "\r\n"), grid=(1,), block=(1,))[0] == 1


def test_kernels_are_found_by_name():
    source = """
// __global__ void no(int n)
extern "C" __global__ void __launch_bounds__(THREADS, 4)
first(const float* __restrict__ q) { call(first_step); }
template <int N> __global__ static void second(int n);
void __global__ third() {}
"""
    assert kernels(source) == ["first", "second", "third"]


def test_blanked_keeps_every_place():
    source = 'a /* b\n c */ d // e\n"f\\"g" \'h\' 1\'000 R"x(i\nj)x" k'
    got = blanked(source)
    assert len(got) == len(source) and got.count("\n") == source.count("\n")
    assert re.findall(r"\w+", got) == ["a", "d", "1", "000", "k"]
