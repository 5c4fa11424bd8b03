"""Interpreted Triton kernels: as a GPU and its compiler take them, and what was never stored."""

import numpy as np
import pytest
from manyheads.kernels import handed_in
from manyheads.kernels.handed_in import triton_runner
from manyheads.kernels.handed_in.triton_runner import run_triton
from manyheads.kernels.handed_in.triton_text import read_kernel
from manyheads.kernels.launching import KernelError, Launch, Out

needs_triton = pytest.mark.skipif(bool(triton_runner.missing()), reason="needs: triton (Linux only)")

PRODUCT = """@triton.jit
def product(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    tl.store(out + place, tl.dot(tl.load(x + place), tl.load(y + place)))
"""

LARGER = """@triton.jit
def larger(x, y, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, max(tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n)), mask=i < min(n, N))
"""


def _product(precision="", dtype="float32"):
    x, y = np.random.default_rng(0).standard_normal((2, 16, 16)).astype(dtype)
    more = f", input_precision={precision!r}" * bool(precision)
    source = PRODUCT.replace("tl.load(y + place))", f"tl.load(y + place){more})")
    launch = Launch("product", (1,), arguments={"x": x, "y": y, "out": Out((16, 16))}, constants={"N": 16})
    return x.astype("float64"), y.astype("float64"), run_triton(source, launch)["out"]


def _ten_bits(x):
    """The nearest numbers whose fraction has 10 bits."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(fraction * 2**11) / 2**11, exponent)


@needs_triton
@pytest.mark.parametrize("precision", ["", "tf32"])
def test_does_a_product_of_float32_round_to_tf32(precision):
    x, y, found = _product(precision)
    np.testing.assert_allclose(found, _ten_bits(x) @ _ten_bits(y), rtol=0, atol=2e-6)
    assert np.abs(found - x @ y).max() > 2e-4


@needs_triton
@pytest.mark.parametrize(("precision", "dtype"), [("ieee", "float32"), ("tf32x3", "float32"), ("", "float16")])
def test_is_every_other_product_exact(precision, dtype):
    x, y, found = _product(precision, dtype)
    np.testing.assert_allclose(found, x @ y, rtol=0, atol=2e-6)


def _larger(source=LARGER, n=5, size=8):
    x, y = np.random.default_rng(1).standard_normal((2, n)).astype("float32")
    arguments = {"x": x, "y": y, "out": Out((size,)), "n": n}
    found = handed_in.outputs(source, Launch("larger", (1,), arguments=arguments, constants={"N": 8}), "interpreted")
    return np.maximum(x, y), *found


@needs_triton
def test_is_the_larger_of_two_blocks_taken_element_by_element():
    expected, found, remark = _larger(size=5)
    np.testing.assert_array_equal(found["out"], expected)
    assert remark == ""


@needs_triton
def test_is_what_was_never_stored_told_and_a_computed_nan_is_not():
    _, found, remark = _larger()
    assert np.isnan(found["out"]).tolist() == [False] * 5 + [True] * 3
    assert "nothing to 3 of the 8 elements of out" in remark
    _, found, remark = _larger(LARGER.replace("max(tl.load", "float('nan') * max(tl.load"))
    assert np.isnan(found["out"]).all()
    assert "nothing to 3 of the 8" in remark


@needs_triton
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("max(tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n))", "max(i)", "tl.max(block, axis)"),
        ("tl.load(y + i, mask=i < n)", "y[i, n]", "call tl.load"),
        ("mask=i < min(n, N)", "mask=0 <= i < n", "brackets around each comparison"),
    ],
)
def test_is_what_people_write_told_in_words(old, new, words):
    assert old in LARGER
    with pytest.raises(KernelError) as caught:
        _larger(LARGER.replace(old, new))
    assert caught.value.finding.kind == "does not compile"
    assert words in caught.value.finding.message
    assert "Triton says" not in caught.value.finding.message


@pytest.mark.parametrize(
    ("line", "words"), [("w = exp(x)", "Did you mean `tl.exp`?"), ("assert N > 0", "cannot hold `assert`")]
)
def test_is_a_word_that_a_kernel_lacks_told_with_what_is_meant(line, words):
    with pytest.raises(KernelError) as caught:
        read_kernel(f"@triton.jit\ndef k(x, N: tl.constexpr):\n    {line}\n")
    assert words in caught.value.finding.message
