"""Compiling the text of a Triton kernel for a GPU that is not here: the numbers, and the author's own line."""

import os

import numpy as np
import pytest
from manyheads.kernels import aot
from manyheads.kernels.aot import Resources
from manyheads.kernels.launching import KernelError, Launch, Out

GRAM = """
# The rows' products with each other, summed.

@triton.jit
def gram(x, out, n, D: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.arange(0, D)
    a = tl.load(x + rows[:, None] * D + cols[None, :], mask=rows[:, None] < n, other=0.0)
    s = tl.dot(a, tl.trans(a))
    tl.store(out + rows, tl.sum(s, 1), mask=rows < n)
"""


@pytest.fixture(autouse=True, scope="module")
def fresh_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANYHEADS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def launch(d=64, block=32, dtype=np.float16, kernel="gram", **more):
    arguments = {"x": np.zeros((70, d), dtype), "out": Out((70,)), "n": 70, **more}
    return Launch(kernel, (3,), arguments=arguments, constants={"D": d, "BLOCK": block})


def finding(old="", new="", **changed):
    assert old in GRAM
    with pytest.raises(KernelError) as caught:
        aot.compile_triton(GRAM.replace(old, new), launch(**changed))
    return caught.value.finding


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_small_kernel_fits(arch, dtype):
    taken = aot.compile_triton(GRAM, launch(dtype=dtype), arch)
    assert taken.arch == arch
    assert 16 <= taken.registers <= 255
    assert (taken.spill_stores, taken.spill_loads, taken.stack_bytes) == (0, 0, 0)
    assert aot.spill_finding(taken) is None
    assert taken.shared_bytes >= 32 * 64 * np.dtype(dtype).itemsize  # the tile that tl.dot reads across threads


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_one_warp_for_a_large_tile_spills(arch):
    taken = aot.compile_triton(GRAM, launch(block=128), arch, num_warps=1)  # 128 × 128 sums over 32 threads
    assert taken.spill_stores > 4 * (128 * 128 // 32 - 255)
    assert aot.spill_finding(taken).kind == "spills"
    assert aot.spill_finding(aot.compile_triton(GRAM, launch(block=128), arch, num_warps=8)) is None


def test_more_shared_memory_than_there_is_has_a_finding():
    taken = aot.compile_triton(GRAM, launch(block=64, d=1024), "sm_80", num_warps=8)
    assert taken.shared_bytes > 163 * 1024
    found = aot.shared_finding(taken)
    assert found.kind == "too many resources"
    assert f"wants {taken.shared_bytes / 1024:g} KiB of shared memory; sm_80 has 163 KiB" in found.message
    assert aot.shared_finding(Resources("sm_80", 32, shared_bytes=163 * 1024)) is None
    assert aot.shared_finding(Resources("sm_90", 32, shared_bytes=163 * 1024 + 1)) is None


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("tl.sum(s, 1)", "tl.summ(s, 1)", 10, "tl has no summ"),
        ("tl.trans(a)", "a", 9, "input and other must have equal reduction dimensions"),
        ("< n, other", "< m, other", 8, "m is not defined"),
        ("tl.arange(0, BLOCK)", "tl.arange(0, 48)", 6, "must be a power of 2: round the size up"),
        ("tl.arange(0, BLOCK)", "tl.arange(0, n)", 6, "must be a parameter that is marked tl.constexpr"),
        ("    tl.store", "    for i in range(4):\n        break\n    tl.store", 11, "break cannot be compiled"),
        (
            "    tl.store",
            "    m = 0\n    for i in range(n):\n        m = m + 0.5\n    tl.store",
            11,
            "initial type int32",
        ),
        ("    cols = tl", "    cols = (tl", 7, "Python cannot read it: '(' was never closed"),
        ("\n@triton.jit", "\nsize = tl.nothing\n\n@triton.jit", 4, "tl has no nothing"),
    ],
)
def test_an_error_has_the_compilers_words_and_the_authors_line(old, new, line, message):
    found = finding(old, new)
    assert (found.kind, found.line) == ("does not compile", line)
    assert message in found.message
    assert "\n" not in found.message and "Error" not in found.message
    assert found.text == GRAM.replace(old, new).splitlines()[line - 1].strip()


def test_an_error_in_a_function_that_the_kernel_calls_is_told_there():
    helper = "\n@triton.jit\ndef total(s):\n    return tl.summ(s, 1)\n"
    with pytest.raises(KernelError) as caught:
        aot.compile_triton(helper + GRAM.replace("tl.sum(s, 1)", "total(s)"), launch())
    assert (caught.value.finding.line, caught.value.finding.text) == (4, "return tl.summ(s, 1)")


def test_parameters_that_do_not_fit_the_launch_are_named():
    assert finding("gram(x, out, n,", "gram(x, out, rows_there,").message == (
        "gram has parameters that the launch does not give: rows_there; the launch gives n, and gram has no such "
        "parameter"
    )
    assert finding("@triton.jit\n").message == "there is no @triton.jit function gram in the source"
    assert finding(kernel="grams").kind == "wrong parameters"


def test_a_dtype_that_no_kernel_takes_is_refused():
    with pytest.raises(TypeError, match="takes no array of complex64"):
        aot.compile_triton(GRAM, launch(dtype=np.complex64))


def test_a_whole_number_too_large_for_32_bits_is_an_i64():
    large = aot.compile_triton(GRAM, launch(n=2**33))
    assert large.registers > 0
    assert finding("    tl.store", "    tl.static_assert(n.dtype == tl.int32)\n    tl.store", n=2**33).line == 10


def test_it_is_the_compiler_even_where_tests_run_interpreted():
    assert os.environ["TRITON_INTERPRET"] == "1"  # tests/conftest.py; the interpreter would let this pass:
    assert "break" in finding("    tl.store", "    for i in range(4):\n        break\n    tl.store").message
