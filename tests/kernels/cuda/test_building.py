"""Machine code for GPUs that are not here, by both compilers, and its cache."""

import re

import pytest
from manyheads.kernels.aot.missing import nvcc
from manyheads.kernels.aot.nvcc import compile_with_nvcc
from manyheads.kernels.aot.nvrtc import compile_with_nvrtc
from manyheads.kernels.cuda import KERNELS, build, building, source
from manyheads.kernels.launching import KernelError, NotHere

ARCHITECTURES = ("sm_80", "sm_90")
WIDE = {"HEAD_DIM": 32, "V_HEAD_DIM": 48}
_ELF = b"\x7fELF"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def compiled(monkeypatch):
    """The architectures that were really compiled for."""
    seen = []
    real = building.compile_with_nvrtc

    def watched(source, arch, constants):
        seen.append(arch)
        return real(source, arch, constants)

    monkeypatch.setattr(building, "compile_with_nvrtc", watched)
    monkeypatch.setattr(building, "cuda_compiler", lambda: "nvrtc 1")
    return seen


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_nvrtc_compiles_every_kernel(kernel, arch):
    cubin, said = compile_with_nvrtc(source(kernel), arch, WIDE)
    assert cubin is not None, said
    assert cubin[:4] == _ELF and KERNELS[kernel].encode() in cubin


# Where there is no nvcc there is nothing to compare with; NVRTC is what the course installs.
@pytest.mark.parametrize("compiler", [nvcc()] if nvcc() else [])
@pytest.mark.parametrize(("kernel", "arch"), [("lesson", "sm_80"), ("tiled", "sm_90"), ("head_stride", "sm_80")])
def test_nvcc_compiles_every_kernel(compiler, kernel, arch):
    cubin, said = compile_with_nvcc(compiler, source(kernel), arch, WIDE)
    assert cubin is not None, said
    assert cubin[:4] == _ELF and KERNELS[kernel].encode() in cubin
    assert not re.search("warning", said)


@pytest.mark.parametrize("compiler", [nvcc()] if nvcc() else [])
def test_without_nvrtc_nvcc_is_taken(compiler, cache, monkeypatch):
    monkeypatch.setattr(building, "cuda_compiler", lambda: f"nvcc {compiler}")
    monkeypatch.setattr(building, "compile_with_nvrtc", None)
    assert build("__global__ void nothing() {}", "sm_80")[:4] == _ELF
    with pytest.raises(KernelError, match=r"does not compile: .*line 2: y = 1"):
        build("__global__ void wrong() {\ny = 1;\n}", "sm_80")


def test_what_is_built_is_kept_and_the_second_time_nothing_is_compiled(cache, compiled):
    first = build("__global__ void nothing() {}", "sm_80")
    assert build("__global__ void nothing() {}", "sm_80") == first
    assert compiled == ["sm_80"]
    assert [path.read_bytes() for path in cache.glob("cubins/*")] == [first]  # and nothing half written


def test_another_architecture_macro_source_or_compiler_compiles_anew(cache, compiled, monkeypatch):
    text = "__global__ void nothing() {}"
    build(text, "sm_80", {"A": 1})
    build(text, "sm_90", {"A": 1})
    build(text, "sm_80", {"A": 2})
    build(text + "\n", "sm_80", {"A": 1})
    monkeypatch.setattr(building, "cuda_compiler", lambda: "nvrtc 2")
    build(text, "sm_80", {"A": 1})
    assert compiled == ["sm_80", "sm_90", "sm_80", "sm_80", "sm_80"]


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path, compiled, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path / "file"))
    assert build("__global__ void nothing() {}", "sm_80") == build("__global__ void nothing() {}", "sm_80")
    assert len(compiled) == 2


def test_what_does_not_compile_says_where(cache):
    with pytest.raises(KernelError) as caught:
        build("__global__ void wrong(float* x) {\n  x[0] = y;\n}", "sm_90")
    finding = caught.value.finding
    assert (finding.kind, finding.line, finding.text) == ("does not compile", 2, "x[0] = y;")
    assert finding.message == 'identifier "y" is undefined'
    assert list(cache.glob("cubins/*")) == []


def test_an_architecture_that_the_compiler_does_not_know_is_no_traceback(cache):
    with pytest.raises(KernelError, match="does not compile: the compiler does not take it for sm_1: "):
        build("__global__ void nothing() {}", "sm_1")


def test_without_a_compiler_the_remedy_is_named(cache, monkeypatch):
    monkeypatch.setattr(building, "cuda_compiler", lambda: None)
    monkeypatch.setattr(building, "missing", lambda language: "CUDA C++ needs NVRTC or nvcc: pip install it")
    with pytest.raises(NotHere, match="NVRTC or nvcc: pip install"):
        build("__global__ void nothing() {}", "sm_80")
