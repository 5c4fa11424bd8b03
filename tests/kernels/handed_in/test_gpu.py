"""Handed-in kernels on a GPU, as far as it shows without one: what is refused, and a launch by a made-up driver."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from manyheads.kernels.cuda import building
from manyheads.kernels.handed_in import gpu, gpu_driver, gpu_process
from manyheads.kernels.launching import KernelError, Launch, NotHere, Out

KERNELS = ("scaled", "past_the_end", "before_the_start", "illegal", "greedy")
X = np.arange(1, 8, dtype=np.float32)


def source(kernel: str) -> str:
    return (
        f"__global__ void {kernel}(const float* __restrict__ x, float* out, long long n, float scale, int first) {{\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= first && i < n) out[i] = scale * x[i];\n"
        "}\n"
    )


def launch(kernel="scaled", **changed) -> Launch:
    arguments = {"x": X, "out": Out((7,)), "n": 7, "scale": 3, "first": np.int64(2)} | changed
    return Launch(kernel, (2, 3), (4,), arguments)


def finding(call, *arguments, **options):
    with pytest.raises(KernelError) as raised:
        call(*arguments, **options)
    return raised.value.finding


@pytest.fixture
def made_up_driver(tmp_path, monkeypatch):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs: a C compiler (Debian: apt-get install gcc)")
    code = Path(__file__).with_name("fake_driver.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", tmp_path / "libcuda.so.1", code], check=True)
    # NVRTC's bindings would call the made-up driver, which has little to say: the machine code comes from the cache.
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    for kernel in KERNELS:
        building.build(source(kernel), "sm_90")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path) + os.pathsep + os.environ.get("LD_LIBRARY_PATH", ""))
    monkeypatch.setattr(gpu_driver, "library", lambda: "found")  # this process started without the path
    gpu.architecture.cache_clear()
    yield
    gpu.architecture.cache_clear()


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(gpu_driver, "library", lambda: None)
    gpu.architecture.cache_clear()
    yield
    gpu.architecture.cache_clear()


def test_a_launch_by_the_driver(made_up_driver):
    assert gpu.gpu_here() and gpu.architecture() == "sm_90"
    out = gpu.run_on_gpu("cuda", source("scaled"), launch())["out"]
    assert out.dtype == np.float32 and out.shape == (7,)
    np.testing.assert_array_equal(out[2:], 3 * X[2:])
    assert np.isnan(out[:2]).all()  # what the kernel did not write is as it was before


def test_only_what_is_kept_comes_back(made_up_driver):
    out = gpu.run_on_gpu("cuda", source("scaled"), launch(out=Out((7,), kept=(slice(3, 5),))))["out"]
    np.testing.assert_array_equal(out, [12, 15])


@pytest.mark.parametrize(
    ("kernel", "kind", "said"),
    [
        ("past_the_end", "out of bounds", "something was stored past the end of out"),
        ("before_the_start", "out of bounds", "something was stored before the start of out"),
        ("illegal", "out of bounds", "an illegal memory access"),
        ("greedy", "too many resources", "too much asked"),
    ],
)
def test_what_the_kernel_does_wrong_is_found(made_up_driver, kernel, kind, said):
    found = finding(gpu.run_on_gpu, "cuda", source(kernel), launch(kernel))
    assert found.kind == kind and said in found.message


def test_a_source_that_does_not_compile_keeps_its_line(made_up_driver):
    found = finding(gpu.run_on_gpu, "cuda", source("scaled").replace("scale * x[i];", "scale * y[i];"), launch())
    assert (found.kind, found.line) == ("does not compile", 3)


def test_an_endless_launch_is_ended(made_up_driver):
    found = finding(gpu.run_on_gpu, "cuda", source("scaled"), launch(), seconds=0.01)
    assert found.kind == "endless"


def test_without_a_gpu_it_says_so(no_driver):
    assert not gpu.gpu_here()
    with pytest.raises(NotHere, match="needs an NVIDIA GPU"):
        gpu.run_on_gpu("cuda", source("scaled"), launch())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scale": X}, "`float scale` is given an array of float32"),
        ({"x": 4}, "`const float* __restrict__ x` is a pointer, and x is the number 4"),
        ({"x": X.astype(np.float64)}, "is given an array of float64"),
        ({"more": 1}, "scaled has 5 parameters; 6 arguments are handed over"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(no_driver, changed, said):
    found = finding(gpu.run_on_gpu, "cuda", source("scaled"), launch(**changed))
    assert found.kind == "wrong parameters" and said in found.message


def test_the_kernel_is_found_behind_its_declarations():
    text = (
        '__device__ float scaled(float x) { return x; }\n// __global__ void scaled(int wrong) {}\nextern "C" '
        + source("scaled").replace("void", "void __launch_bounds__(128)\n")
    )
    numbers = gpu.job("cuda", text, launch())[0]["numbers"]
    assert numbers == {"n": ["int64", 7], "scale": ["float32", 3], "first": ["int32", 2]}
    found = finding(gpu.job, "cuda", text, launch("other"))
    assert found.message == "there is no __global__ function called other"


def test_numbers_get_the_parameters_own_type():
    assert bytes(gpu_process.number("float32", 2)) == np.float32(2).tobytes()
    assert bytes(gpu_process.number("int64", -3)) == np.int64(-3).tobytes()
    assert bytes(gpu_process.number("int32", 2)) == np.int32(2).tobytes()


def test_a_name_as_cpp_writes_it_is_found_in_the_machine_code():
    code = b"\x7fELF\0.text._Z6scaledPKfPfxfi\0_Z6scaledPKfPfxfi\0_Z9unscaledxv\0"
    assert gpu_process.mangled(code, "scaled") == "_Z6scaledPKfPfxfi"
    assert gpu_process.mangled(b"\0scaled\0" + code, "scaled") == "scaled"


def test_the_two_languages_are_not_mixed_up():
    with pytest.raises(ValueError, match="the launch is one for cuda"):
        gpu.run_on_gpu("triton", "", launch())
    with pytest.raises(ValueError, match='"cuda" or "triton", got \'hip\''):
        gpu.run_on_gpu("hip", "", launch())


def test_a_triton_source_is_read_before_it_is_run(no_driver):
    bad = "@triton.jit\ndef f(x, n):\n    import os\n"
    found = finding(gpu.run_on_gpu, "triton", bad, Launch("f", (1,), (), {"x": X, "n": 7}))
    assert (found.kind, found.line) == ("not allowed", 3)
