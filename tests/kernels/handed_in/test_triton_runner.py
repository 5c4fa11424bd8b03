"""Handed-in Triton kernels: what comes back, and that nothing gets past the checks."""

import os
import time

import numpy as np
import pytest
from manyheads.kernels.handed_in import triton_runner
from manyheads.kernels.handed_in.triton_runner import run_triton
from manyheads.kernels.launching import KernelError, Launch, NotHere, Out

pytestmark = pytest.mark.skipif(bool(triton_runner.missing()), reason="needs: triton (Linux only)")

ADD = """@triton.jit
def add(x, y, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, mask=inside) + factor * tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)
"""


def _launch(n=11, block=4, dtype="float32", **changed):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, n)).astype(dtype)
    arguments = {"x": x, "y": y, "out": Out((n,), dtype), "n": n, "factor": 0.5, **changed}
    return Launch("add", (-(-n // block),), arguments=arguments, constants={"BLOCK": block})


def _finding(source, launch=None, **options):
    with pytest.raises(KernelError) as caught:
        run_triton(source, launch or _launch(), **options)
    return caught.value.finding


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_are_the_numbers_those_of_numpy(dtype):
    launch = _launch(dtype=dtype)
    found = run_triton(ADD, launch)["out"]
    expected = launch.arguments["x"] + np.float32(0.5) * launch.arguments["y"]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)


def test_is_what_no_program_filled_still_nan():
    launch = _launch()
    part = Launch("add", (2,), arguments=launch.arguments, constants=launch.constants)
    found = run_triton(ADD, part)["out"]
    np.testing.assert_array_equal(np.isnan(found), np.arange(11) >= 8)


def test_is_only_what_is_kept_given_back():
    launch = _launch(out=Out((11,), kept=(slice(1, 10, 3),)))
    x, y = launch.arguments["x"], launch.arguments["y"]
    np.testing.assert_array_equal(run_triton(ADD, launch)["out"], (x + np.float32(0.5) * y)[1:10:3])


def test_does_an_array_with_gaps_arrive_in_order():
    wide = np.arange(22, dtype=np.float32)
    launch = _launch(x=wide[::2])
    expected = wide[::2] + np.float32(0.5) * launch.arguments["y"]
    np.testing.assert_array_equal(run_triton(ADD, launch)["out"], expected)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("tl.load(x + i, mask=inside)", "tl.load(x + i)", 5, "past the end of x: element 11 of 11"),
        ("tl.load(x + i, mask=inside)", "tl.load(x + i - 1, mask=inside)", 5, "before the start of x: element -1"),
        ("total, mask=inside)", "total, mask=i <= n)", 6, "tl.store writes 1 of 4 elements past the end of out"),
        ("tl.load(x + i,", "tl.load(x + i + 100000000,", 5, "past the end of x"),
        ("tl.load(x + i,", "tl.load(x + i + 1000000000000,", 5, "an address that no argument is near"),
    ],
)
def test_is_every_wrong_place_told_before_it_is_touched(old, new, line, words):
    assert old in ADD
    finding = _finding(ADD.replace(old, new))
    assert finding.kind == "out of bounds"
    assert finding.line == line
    assert words in finding.message
    assert finding.text == ADD.replace(old, new).splitlines()[line - 1].strip()


def test_may_a_kernel_write_to_its_input():
    finding = _finding(ADD.replace("tl.store(out", "tl.store(x"))
    assert (finding.kind, finding.line) == ("not allowed", 6)
    assert "writes to x" in finding.message


def test_is_a_masked_lane_without_other_no_zero():
    source = ADD.replace("total, mask=inside)", "tl.sum(total, 0) + i * 0, mask=inside)")
    found = run_triton(source, _launch())["out"]
    assert np.isfinite(found[:8]).all()
    assert np.isnan(found[8:]).all()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("inside = i < n", "inside = i[:, None] < tl.arange(0, 8)[:, None]", "incompatible dimensions"),
        ("tl.arange(0, BLOCK)\n", "tl.arange(0, n)\n", "must be of type tl.constexpr"),
        ("tl.arange(0, BLOCK)\n", "tl.arange(0, 3)\n", "power of 2"),
        ("inside = i < n", "if i < n:\n        inside = i < n", "need one number"),
        ("inside = i < n", "inside = i < n\n    z += 1", "`z` is used here before it has a value"),
        ("inside = i < n", "inside = i < n\n    for k in range(0, 2.5):\n        k", "whole numbers"),
        (
            "total = ", "w = tl.zeros([16, 8], tl.float32)\n    w = tl.dot(w, tl.trans(w))\n    total = ", "dot",
        ),
    ],
)  # fmt: skip
def test_are_errors_inside_told_with_their_line(old, new, words):
    assert old in ADD
    finding = _finding(ADD.replace(old, new, 1))
    assert finding.kind == "does not compile"
    assert finding.line is not None and finding.line > 2
    assert words in finding.message or words in finding.text
    assert "Traceback" not in finding.message


def test_is_an_endless_kernel_ended_and_the_next_one_run():
    began = time.monotonic()
    finding = _finding(ADD.replace("    inside", "    while n > 0:\n        i += 0\n    inside"), seconds=1.0)
    assert finding.kind == "endless"
    assert time.monotonic() - began < 15
    assert np.isfinite(run_triton(ADD, _launch())["out"]).all()


def test_is_a_kernel_that_takes_all_memory_told_so():
    source = ADD.replace("    inside", "    a = tl.zeros([1024, 1024], tl.float32)\n    inside")
    assert _finding(source, memory=1 << 20).kind == "too much memory"


def test_are_only_dtypes_taken_that_are_computed_rightly():
    with pytest.raises(ValueError, match="out is bfloat16"):
        run_triton(ADD, _launch(out=Out((11,), "bfloat16")))


def test_does_a_fork_get_a_worker_of_its_own():
    run_triton(ADD, _launch())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, b"1" if np.isfinite(run_triton(ADD, _launch())["out"]).all() else b"0")
            triton_runner._WORKER.end()
        finally:
            os._exit(0)
    os.close(writing)
    assert os.read(reading, 1) == b"1"
    os.close(reading)
    os.waitpid(child, 0)
    assert np.isfinite(run_triton(ADD, _launch())["out"]).all()


def test_does_a_system_without_triton_say_what_to_do(monkeypatch):
    monkeypatch.setattr(triton_runner.sys, "platform", "darwin")
    with pytest.raises(NotHere, match=r"WSL|Colab"):
        run_triton(ADD, _launch())
    monkeypatch.undo()
    monkeypatch.setattr(triton_runner.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotHere, match="pip install"):
        run_triton(ADD, _launch())


def test_is_what_is_used_of_tritons_interpreter_still_there():
    from manyheads.kernels.handed_in.triton_interpreter import _private

    private = _private()
    assert private.numpy_dtype(private.tl.float16) == np.float16
    assert private.handle(np.zeros(1), private.tl.float64).data.shape == (1,)
    assert private.module._patch_lang is private.patch
