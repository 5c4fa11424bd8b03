"""The launch itself, against a driver of our own making: it writes down what a real one would be told."""

import ctypes
import json
import shutil
import subprocess

import pytest
from manyheads.kernels.cuda import driver
from manyheads.kernels.launching import NotHere

# The functions that are called, with the signatures of cuda.h. Addresses of contexts and functions are made up.
DRIVER = r"""
#include <cstdio>
#include <cstdlib>
static void tell(const char* text) { if (FILE* f = fopen(getenv("TOLD"), "a")) { fputs(text, f); fclose(f); } }
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int ordinal) { *device = 100 + ordinal; return ordinal > 1 ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  char t[99]; snprintf(t, 99, "[\"retain\", %d]\n", device); tell(t);
  *context = (void*)(0x7f0000000000ull + device); return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  char t[99]; snprintf(t, 99, "[\"push\", %llu]\n", (unsigned long long)context); tell(t); return 0;
}
int cuCtxPopCurrent_v2(void** context) { *context = nullptr; tell("[\"pop\"]\n"); return 0; }
int cuModuleLoadData(void** module, const void* image) {
  char t[99]; snprintf(t, 99, "[\"load\", \"%s\"]\n", (const char*)image); tell(t);
  *module = (void*)0x7f1111111111ull; return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = (void*)0x7f2222222222ull; return module == (void*)0x7f1111111111ull && name[0] == 'a' ? 0 : 500;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  char t[99]; snprintf(t, 99, "[\"attribute\", %d, %d]\n", attribute, value); tell(t); return value > 200000;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == 500 ? "named symbol not found" : "bad value"; return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra) {
  char t[400];
  snprintf(t, 400, "[\"launch\", %d, %u, %u, %u, %u, %u, %u, %u, %llu, %llu, %d, %.3f, %d]\n",
           function == (void*)0x7f2222222222ull, gx, gy, gz, bx, by, bz, shared, (unsigned long long)stream,
           *(unsigned long long*)arguments[0], *(int*)arguments[1], *(float*)arguments[2], extra == nullptr);
  tell(t); return 0;
}
}
"""
COMPILER = shutil.which("g++") or shutil.which("clang++")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    assert COMPILER, "the emulation's tests need a C++ compiler as well"
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.cpp").write_text(DRIVER)
    subprocess.run([COMPILER, "-shared", "-fPIC", "driver.cpp", "-o", "driver.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "driver.so"))


@pytest.fixture
def told(library, tmp_path, monkeypatch):
    """What the driver is told, in order."""
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setattr(driver, "_driver", lambda: library)
    monkeypatch.setattr(driver, "_FUNCTIONS", {})
    driver._context.cache_clear()
    yield lambda: [json.loads(line) for line in (tmp_path / "told").read_text().splitlines()]
    driver._context.cache_clear()


STREAM, POINTER = 0x7F3333333333, 0x7F4444444444  # both wider than 32 bits
ARGUMENTS = [ctypes.c_void_p(POINTER), ctypes.c_int(-5), ctypes.c_float(0.125)]


def _launch(grid=(5, 3, 2), block=(128,), device=1, kernel="attention", **options):
    driver.launch_on_device(b"image", kernel, grid, block, ARGUMENTS, device=device, stream=STREAM, **options)


def test_a_launch_says_all_of_it_to_the_driver(told):
    _launch()
    context = 0x7F0000000000 + 101
    launch = ["launch", 1, 5, 3, 2, 128, 1, 1, 0, STREAM, POINTER, -5, 0.125, 1]
    assert told() == [["retain", 101], ["push", context], ["load", "image"], launch, ["pop"]]


def test_the_second_launch_loads_nothing(told):
    _launch()
    _launch()
    assert [line[0] for line in told()] == ["retain", "push", "load", "launch", "pop", "push", "launch", "pop"]


def test_every_device_gets_its_own(told):
    _launch(device=0)
    _launch(device=1)
    assert [line[0] for line in told()].count("load") == 2


def test_more_shared_memory_than_48_kib_is_asked_for(told):
    _launch(shared_bytes=48 * 1024)
    _launch(shared_bytes=48 * 1024 + 4)
    assert [line for line in told() if line[0] == "attribute"] == [["attribute", 8, 48 * 1024 + 4]]
    assert [line[8] for line in told() if line[0] == "launch"] == [48 * 1024, 48 * 1024 + 4]


def test_what_the_driver_refuses_is_said_in_its_words_and_the_context_given_back(told):
    with pytest.raises(RuntimeError, match=r"refused: asking for 214 KiB of shared memory: bad value \(error 1\)"):
        _launch(shared_bytes=214 * 1024)
    assert told()[-1] == ["pop"]
    with pytest.raises(RuntimeError, match=r"refused: looking for other: named symbol not found \(error 500\)"):
        _launch(kernel="other")
    assert told()[-1] == ["pop"]


def test_no_block_is_no_launch(told, tmp_path):
    _launch(grid=(0, 3, 2))
    assert not (tmp_path / "told").exists()


def test_a_machine_without_a_driver_says_what_else_there_is(monkeypatch):
    def none(name):
        raise OSError

    monkeypatch.setattr(driver.ctypes, "CDLL", none)
    driver._driver.cache_clear()
    try:
        assert "no CUDA driver here" in (driver.driver_missing() or "")
        with pytest.raises(NotHere, match=r"manyheads\.kernels\.emulate runs the same kernels on the CPU"):
            _launch()
    finally:
        driver._driver.cache_clear()
