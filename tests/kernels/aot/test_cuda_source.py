"""Compiling CUDA C++ for a GPU that is not here: the numbers, and the author's own line where it fails."""

from dataclasses import replace

import pytest
from manyheads.kernels import aot
from manyheads.kernels.aot import _cuda_job
from manyheads.kernels.aot.missing import nvcc
from manyheads.kernels.aot.nvcc import compile_with_nvcc
from manyheads.kernels.launching import KernelError

from tests.kernels.aot.cuda_kernels import LOCAL_ARRAY, MANY_VALUES, REVERSE

ARCHES = ["sm_80", "sm_90"]


@pytest.fixture(autouse=True, scope="module")
def fresh_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANYHEADS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def finding(source, kernel="k", arch="sm_80", **constants):
    with pytest.raises(KernelError) as caught:
        aot.compile_cuda(source, kernel, arch, constants)
    return caught.value.finding


@pytest.mark.parametrize("arch", ARCHES)
def test_a_small_kernel_needs_few_registers_and_the_shared_memory_that_it_declares(arch):
    taken = aot.compile_cuda(REVERSE, "reverse", arch, {"BLOCK": 96})
    assert (taken.arch, taken.shared_bytes) == (arch, 4 * 96)
    assert 4 <= taken.registers <= 32
    assert (taken.spill_stores, taken.spill_loads, taken.stack_bytes) == (0, 0, 0)
    assert aot.spill_finding(taken) is None


@pytest.mark.parametrize("arch", ARCHES)
def test_values_that_do_not_fit_into_registers_are_found(arch):
    taken = aot.compile_cuda(MANY_VALUES, "many_values", arch)
    assert taken.registers == 255
    assert taken.spill_stores >= 4 * (300 - 255)
    assert taken.spill_loads >= taken.spill_stores
    found = aot.spill_finding(taken)
    assert found.kind == "spills"
    assert f"writes {taken.spill_stores} bytes of them to slow memory" in found.message


def test_an_array_that_registers_cannot_hold_is_found():
    taken = aot.compile_cuda(LOCAL_ARRAY, "local_array")
    assert taken.spill_stores == 0
    assert taken.stack_bytes == 4 * 50
    assert "an array of 200 bytes" in aot.spill_finding(taken).message


def test_an_error_has_the_line_of_the_source_as_it_was_handed_over():
    found = finding("// a comment\n__global__ void k(float* x) {\n    x[0] = y;\n}\n")
    assert (found.kind, found.line, found.text) == ("does not compile", 3, "x[0] = y;")
    assert found.message == 'identifier "y" is undefined'


def test_a_missing_semicolon_is_said_to_be_on_the_line_before():
    found = finding("__global__ void k(float* x) {\n    x[0] = 1\n}\n")
    assert found.line == 3
    assert found.message == 'expected a ";" (perhaps at the end of the line before)'


def test_an_include_is_refused_in_plain_words():
    found = finding('#include "mine.h"\n__global__ void k(float* x) { x[0] = 1; }\n')
    assert found.line == 1
    assert found.message == 'cannot open source file "mine.h"; a kernel here includes nothing'


def test_too_large_a_shared_array_says_how_large():
    found = finding("__global__ void k(float* x) { __shared__ float t[20000]; t[threadIdx.x] = 1; x[0] = t[7]; }")
    assert found.kind == "too many resources"
    assert "are 78.12 KiB; the source may declare 48 KiB" in found.message


def test_a_kernel_of_another_name_is_listed():
    found = finding(REVERSE + MANY_VALUES, "revers", BLOCK=32)
    assert found.kind == "wrong parameters"
    assert found.message.endswith("its __global__ functions: many_values, reverse")


def test_a_name_that_is_part_of_another_is_told_apart():
    both = REVERSE + REVERSE.replace("void reverse", "void reverse_again").replace("[BLOCK]", "[BLOCK + 8]")
    assert aot.compile_cuda(both, "reverse", "sm_80", {"BLOCK": 32}).shared_bytes == 4 * 32
    assert aot.compile_cuda(both, "reverse_again", "sm_80", {"BLOCK": 32}).shared_bytes == 4 * 40


def test_infinity_is_there_as_in_nvcc():
    source = "__global__ void k(float* x) { x[0] = x[0] == -INFINITY ? 0.0f : x[0]; }"
    assert aot.compile_cuda(source, "k").registers > 0


def test_an_architecture_that_is_none_is_refused():
    with pytest.raises(ValueError, match='arch must be a name like "sm_80" or "sm_90", got \'a100\''):
        aot.compile_cuda(REVERSE, "reverse", "a100")


def test_nvcc_says_the_same(tmp_path):
    if nvcc() is None:
        pytest.skip("needs: nvcc (the CUDA toolkit)")
    options = {"ptxas": ["-v"], "scratch": str(tmp_path)}
    compiled, log = compile_with_nvcc(nvcc(), REVERSE, "sm_80", {"BLOCK": 96}, **options)
    assert compiled
    taken = _cuda_job._named("reverse", _cuda_job.read_log(log, "sm_80"))
    by_nvrtc = aot.compile_cuda(REVERSE, "reverse", "sm_80", {"BLOCK": 96})
    assert abs(taken.registers - by_nvrtc.registers) <= 2  # their headers differ
    assert replace(taken, registers=by_nvrtc.registers) == by_nvrtc
    compiled, log = compile_with_nvcc(nvcc(), "\n\n__global__ void k() { y = 1; }", "sm_80", {}, **options)
    assert not compiled
    assert _cuda_job._error(log, "\n\n__global__ void k() { y = 1; }")["line"] == 3
