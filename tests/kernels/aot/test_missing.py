"""Where a compiler is missing, the message says what to install; importing needs none of them."""

import importlib
import subprocess
import sys

import pytest
from manyheads.kernels import aot
from manyheads.kernels.launching import Launch, NotHere

module = importlib.import_module("manyheads.kernels.aot.missing")  # the package has a function of that name


def test_nothing_is_missing_here():
    assert aot.missing() is None


def test_without_nvrtc_and_nvcc_cuda_is_not_here(monkeypatch):
    monkeypatch.setattr(module, "_version", lambda package: None)
    monkeypatch.setattr(module, "nvcc", lambda: None)
    assert "NVRTC or nvcc" in aot.missing("cuda")
    assert "kernel-exercises" in aot.missing()
    with pytest.raises(NotHere, match="pip install"):
        aot.compile_cuda("", "k")


def test_nvcc_alone_is_enough(monkeypatch):
    monkeypatch.setattr(module, "_version", lambda package: None)
    monkeypatch.setattr(module, "nvcc", lambda: sys.executable)
    assert aot.missing("cuda") is None
    assert module.cuda_compiler().startswith(f"nvcc {sys.executable} ")


def test_without_triton_it_says_so(monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotHere, match="Triton kernels need triton: pip install"):
        aot.compile_triton("", Launch("k", (1,)))


@pytest.mark.parametrize(("platform", "advice"), [("win32", "in WSL"), ("darwin", "this is darwin")])
def test_elsewhere_than_on_linux_it_says_what_to_do(monkeypatch, platform, advice):
    monkeypatch.setattr(sys, "platform", platform)
    assert advice in aot.missing()


def test_importing_loads_nothing_heavy_and_nothing_that_windows_lacks():
    check = (
        "import sys, numpy, subprocess, tempfile; before = {*sys.modules}; import manyheads.kernels.aot; "
        "print(sorted({'torch', 'triton', 'cuda', 'resource', 'fcntl', 'pwd'} & ({*sys.modules} - before)))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
