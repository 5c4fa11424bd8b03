"""The script cannot be broken unnoticed: its whole way on a CPU, and what it does without a GPU."""

import json
import os
import subprocess
import sys

import pytest

from tests.benchmarks.gpu import measuring, workloads
from tests.benchmarks.gpu.stopwatch import OnCpu
from tests.gpu import suite
from tests.helpers import ROOT


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "lib"), "CUDA_VISIBLE_DEVICES": "", **environment}
    command = [sys.executable, "-m", "tests.gpu", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)


def test_the_whole_way_at_tiny_sizes(tmp_path):
    done = run("--dry-run", "--into", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "dry-run.json").read_text())
    assert found["dry_run"] and found["machine"]["device"] == "no GPU"
    assert [r["group"] for r in found["results"]] == [w.group for w in workloads.tiny()]
    for result in found["results"]:
        for name in ("Triton decode", "Triton") if result["direction"] == "decode" else ("Triton",):
            assert result["ways"][name].get("error", 1) < 5e-3, result
    assert found["results"][0]["rival"] == "SDPA flash"  # torch has one for the CPU
    assert (tmp_path / "dry-run.svg").exists()


def test_without_a_gpu_one_line_and_status_2():
    before = sorted((ROOT / "tests" / "benchmarks" / "results").iterdir())
    done = run()
    assert done.returncode == 2 and done.stderr == ""
    assert (
        done.stdout
        == "make gpu: there is no NVIDIA GPU here (no driver answers), so nothing was run and nothing measured\n"
    )
    assert sorted((ROOT / "tests" / "benchmarks" / "results").iterdir()) == before


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_way_that_is_wrong_gets_no_time(direction, monkeypatch):
    w = next(w for w in workloads.tiny() if w.direction == direction)
    import torch

    def wrong(q, k, v):
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return out + 0.1 * v if direction == "forward" else out * 1.1

    monkeypatch.setattr(measuring, "ways", lambda w: {"Triton": wrong})
    found = measuring.measure(w, OnCpu(), "cpu")["ways"]["Triton"]
    assert set(found) == {"wrong", "error"} and found["error"] > 0.01


#: pytest on a machine without hypothesis, which the tests' own conftest imports.
WITHOUT_HYPOTHESIS = """
import sys
class Missing:
    def find_spec(self, name, *_):
        if name.split(".")[0] == "hypothesis":
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_the_files_with_gpu_tests_are_found_and_pytest_can_read_them():
    files = suite.files(ROOT)
    assert "tests/kernels/handed_in/test_gpu_on_a_gpu.py" in files
    assert not any(file.startswith("tests/gpu/") for file in files)
    command = [sys.executable, "-c", WITHOUT_HYPOTHESIS, *suite.command(ROOT)[3:], "--collect-only"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "lib"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for file in files:
        assert file in done.stdout, file


def test_make_names_the_python():
    command = ["make", "--no-print-directory", "-n", "gpu", "PYTHON_GPU=some-python"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split("\n")[-2].endswith("some-python -m tests.gpu")
    assert done.stdout.startswith("TRITON_INTERPRET=0 PYTHONPATH=lib")
