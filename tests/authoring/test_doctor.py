"""`manyheads doctor` on machines that lack things: tried in processes of their own, with the things taken away."""

import json
import os
import subprocess
import sys

import pytest
from manyheads.authoring import doctor, doctor_console, doctor_system
from manyheads.authoring.doctor_system import System

RUN = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
from manyheads.cli import main
sys.exit(main({arguments!r}))
"""
NO_TORCH = ["torch"]  # importing it takes longer than all the rest


def run(*arguments, blocked=(), **environment) -> subprocess.CompletedProcess:
    code = RUN.format(blocked=list(blocked), arguments=["doctor", *arguments])
    env = {**os.environ, "COLUMNS": "140", **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)


def findings(**how) -> tuple[dict[str, dict], dict, int]:
    done = run("--json", **how)
    assert done.stderr == "", done.stderr
    data = json.loads(done.stdout)
    return {finding["name"]: finding for finding in data["findings"]}, data, done.returncode


def test_what_is_here_is_found():
    found, data, status = findings()
    for name in ("Python", "NumPy", "C++ compiler", "CUDA C++ for a GPU", "Triton", "torch", "the graders' tools"):
        assert found[name]["works"] and not found[name]["remedy"], found[name]
    assert found["torch"]["found"].endswith(("on the CPU", "on the GPU"))
    assert data["verdict"] == "Every notebook can be worked through on this machine."
    assert status == data["status"] == 0


def test_without_a_path_the_programs_are_missing_and_each_has_a_remedy(tmp_path):
    found, data, status = findings(PATH=str(tmp_path), blocked=NO_TORCH)
    for name in ("C++ compiler", "make", "Chromium"):
        assert not found[name]["works"] and found[name]["remedy"], found[name]
    assert status == 1
    assert (
        data["verdict"]
        == "Every notebook but parts of 08 can be worked through on this machine; these lack C++ compiler."
    )


def test_with_nothing_but_numpy():
    blocked = ["torch", "triton", "cuda", "rich", "nbgrader", "jupytext", "jupyter_book", "jupyterlab", "matplotlib"]
    found, _, status = findings(blocked=blocked)
    for name in ("Triton", "torch", "torch on the GPU", "JupyterLab", "the book's tools", "the graders' tools"):
        assert not found[name]["works"] and found[name]["remedy"], found[name]
    assert found["NumPy"]["works"] and found["Python"]["works"] and status == 1
    assert found["the graders' tools"]["found"] == "not installed: nbgrader, jupytext, rich"


def test_without_rich_the_words_are_the_same():
    plain, table = run(blocked=["rich", *NO_TORCH]), run(blocked=NO_TORCH)
    assert plain.returncode == table.returncode == 0
    assert plain.stderr == table.stderr == ""
    for name in ("For the notebooks", "C++ compiler", "none is needed; Colab and rented machines have one"):
        assert name in " ".join(plain.stdout.split())
    assert plain.stdout.splitlines()[-1] == table.stdout.splitlines()[-1]


def test_what_does_not_count_does_not_change_the_status():
    lacks = doctor.Finding("GPU", doctor.GPU, False, "none", "speed", "Colab")
    assert doctor.status([lacks]) == 0 and doctor.verdict([lacks]).startswith("Every notebook can")
    numpy = doctor.Finding("NumPy", doctor.STUDENTS, False, "none", "everything", "pip", needed=True)
    assert doctor.status([lacks, numpy]) == 1
    assert doctor.verdict([lacks, numpy]) == "The notebooks do not work on this machine yet; they lack NumPy."


def test_a_check_that_breaks_is_a_line_and_no_traceback():
    done = run("--json", blocked=[f"manyheads.kernels.{name}" for name in ("emulate", "aot", "handed_in")] + NO_TORCH)
    assert done.stderr == "" and done.returncode == 1
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert not found["C++ compiler"]["works"] and not found["GPU"]["works"]


def test_plain_lines_name_what_a_lack_is_for(capsys):
    doctor_console.plain([doctor.Finding("make", doctor.COURSE, False, "not found", "`make`", "brew install make")])
    assert capsys.readouterr().out == (
        "\nFor making the course\n  -    make: not found\n       for `make`\n       brew install make\n\n"
    )


@pytest.mark.parametrize(
    ("release", "manager"),
    [
        ('ID=debian\n', "apt"),
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', "apt"),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "apt"),
        ('ID=fedora\n', "dnf"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf"),
        ('ID=arch\n', ""),
        (None, ""),
    ],
)  # fmt: skip
def test_a_linux_is_known_by_its_release(tmp_path, monkeypatch, release, manager):
    monkeypatch.setattr("platform.system", lambda: "Linux")
    if release is not None:
        (tmp_path / "os-release").write_text(release)
    assert doctor_system.this_system(tmp_path / "os-release") == System(manager)


@pytest.mark.parametrize(
    ("manager", "compiler", "triton"),
    [
        ("apt", "sudo apt-get install g++", 'pip install "manyheads[kernel-exercises]"'),
        ("dnf", "sudo dnf install gcc-c++ libasan libubsan libtsan", 'pip install "manyheads[kernel-exercises]"'),
        ("brew", "xcode-select --install", "use WSL or Colab"),
        ("windows", "use WSL or Colab", "use WSL or Colab"),
        ("", "install g++", 'pip install "manyheads[kernel-exercises]"'),
    ],
)
def test_the_command_is_the_systems_own(manager, compiler, triton):
    assert System(manager).install("compiler") == compiler
    assert System(manager).pip_on_linux("kernel-exercises") == triton


@pytest.mark.parametrize("name", ["Darwin", "Windows"])
def test_other_systems(monkeypatch, name):
    monkeypatch.setattr("platform.system", lambda: name)
    system = doctor_system.this_system()
    assert all(system.install(what) for what in ("python", "compiler", "make", "chromium"))


def test_looking_at_it_imports_nothing_heavy():
    code = "import sys; from manyheads.authoring import doctor_console; print({'torch', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
