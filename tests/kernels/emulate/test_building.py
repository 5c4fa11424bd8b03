"""The cache of built kernels, and what happens without a compiler."""

import subprocess
import sys
from pathlib import Path

import pytest
from manyheads.kernels import emulate
from manyheads.kernels.emulate import building
from manyheads.kernels.launching import NotHere

from tests.kernels.emulate.conftest import COMPILERS
from tests.kernels.emulate.launches import kernel, run

SOURCE = kernel("  out[0] = SIZE;")


def test_there_is_a_compiler_to_test_with():
    assert COMPILERS


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """The commands that were run for a kernel, in a cache that has nothing but the runtime."""
    emulate.build(SOURCE, "k", {"SIZE": 0})
    (tmp_path / "emulate").mkdir()
    (tmp_path / "emulate" / "runtime").symlink_to(building.cache_folder() / "runtime")
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    commands, really = [], building._compile

    def counted(command, folder, **options):
        commands.append(command)
        return really(command, folder, **options)

    monkeypatch.setattr(building, "_compile", counted)
    return commands


def test_the_second_build_compiles_nothing(compiled):
    first = emulate.build(SOURCE, "k", {"SIZE": 3})
    assert compiled
    compiled.clear()
    assert emulate.build(SOURCE, "k", {"SIZE": 3}) == first
    assert compiled == []
    others = [emulate.build(SOURCE, "k", {"SIZE": 4}), emulate.build(SOURCE, "k", {"SIZE": 3}, "races"),
              emulate.build(SOURCE + "\n", "k", {"SIZE": 3})]  # fmt: skip
    assert len({first, *others}) == 4
    assert len(compiled) == 6, "compiled and linked; the runtime is there already"
    assert emulate.build(SOURCE, "k", {"SIZE": 3}, "memory") == others[1], "one program for all checks"


def test_nothing_is_left_of_a_build_but_programs(compiled, tmp_path):
    emulate.build(SOURCE, "k", {"SIZE": 3})
    with pytest.raises(emulate.building.KernelError):
        emulate.build(SOURCE, "k")
    assert {path.name.partition("-")[0] for path in tmp_path.rglob("*")} & {"made"} == set()


@pytest.mark.skipif(len(COMPILERS) < 2, reason="needs: g++ and clang++ (Debian: apt-get install g++ clang)")
def test_another_compiler_builds_anew(compiled, monkeypatch):
    programs = set()
    for name in COMPILERS:
        monkeypatch.setenv("MANYHEADS_CXX", name)
        programs.add(emulate.build(SOURCE, "k", {"SIZE": 3}))
    assert len(programs) == 2


def test_two_processes_at_once(tmp_path):
    code = f"""
from manyheads.kernels import emulate
from manyheads.kernels.launching import Launch, Out
import numpy as np
launch = Launch("k", (1,), (1,), {{"x": np.zeros(1, np.float32), "out": Out((1,)), "n": 0}}, {{"SIZE": 3}})
assert emulate.launch({SOURCE!r}, launch)["out"] == 3
"""
    environment = {"MANYHEADS_CACHE": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    processes = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(2)]
    assert [process.wait(120) for process in processes] == [0, 0]


def test_without_a_compiler(monkeypatch, tmp_path):
    monkeypatch.delenv("MANYHEADS_CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    why = emulate.missing()
    for remedy in ("apt install g++", "dnf install gcc-c++", "xcode-select --install", "Colab"):
        assert remedy in why
    with pytest.raises(NotHere, match="needs a C\\+\\+ compiler"):
        run(SOURCE, constants={"SIZE": 1})
    with pytest.raises(NotHere):
        emulate.compiler()


def test_a_compiler_of_ones_own(monkeypatch):
    monkeypatch.setenv("MANYHEADS_CXX", "no-such-compiler")
    assert "MANYHEADS_CXX=no-such-compiler" in emulate.missing()
    monkeypatch.setenv("MANYHEADS_CXX", COMPILERS[-1])
    assert Path(emulate.compiler()).name == COMPILERS[-1]
    assert emulate.missing() is None


def test_on_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert "WSL" in emulate.missing() and "Colab" in emulate.missing()


def test_the_same_source_compiles_for_a_gpu_without_the_header():
    """Nothing in a kernel names the emulator."""
    assert "cpu" not in SOURCE and "#include" not in SOURCE
    assert "speed" in emulate.WHAT_IT_CANNOT_SHOW
