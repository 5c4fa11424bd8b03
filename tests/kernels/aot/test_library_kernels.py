"""The library's own kernels compile for GPUs that are not here, and keep their values in registers."""

import pytest

pytest.importorskip("torch", reason="needs: torch (pip install torch)")

from tests.kernels.aot.every_kernel import ARCHES, at_once, complaint, cuda_kernels, triton_kernels

#: Every kernel in both 16-bit types for each GPU, each time with other widths and options. All combinations, which
#: take half an hour: python -m tests.kernels.aot.every_kernel
PARTS = [
    ("sm_80", "fp16", (64, 64), ("causal",)),
    ("sm_80", "bf16", (128, 128), ("causal", "window", "lengths")),
    ("sm_90", "fp16", (128, 128), ("bias", "mask", "causal", "softcap")),
    ("sm_90", "bf16", (192, 128), ("causal",)),
]


@pytest.mark.parametrize("arch", ARCHES)
def test_cuda_kernels_fit(arch):
    compilations = list(cuda_kernels(arch, ((64, 64), (128, 128))))
    assert len(compilations) == 6
    complaints = at_once(complaint, compilations)
    assert not [*_named(compilations, complaints)]


@pytest.mark.parametrize(("arch", "dtype", "dims", "asked"), PARTS)
def test_triton_kernels_fit(arch, dtype, dims, asked):
    compilations = list(triton_kernels(arch, dtypes=(dtype,), dims=(dims,), asked=(asked,)))
    names = {compilation.name.split()[0] for compilation in compilations}
    assert names == {
        "forward_kernel", "delta_kernel", "query_gradients_kernel", "key_gradients_kernel",
        "decode_split_kernel", "decode_merge_kernel",
    }  # fmt: skip
    complaints = at_once(complaint, compilations)
    assert not [*_named(compilations, complaints)]


def test_exact_products_of_float32_fit():
    compilations = [
        compilation
        for compilation in triton_kernels("sm_80", dtypes=("fp32",), dims=((64, 64),), asked=(("causal",),))
        if compilation.name.startswith(("forward_kernel", "query_gradients_kernel"))
    ]
    assert len(compilations) == 2
    assert not [*_named(compilations, at_once(complaint, compilations))]


def test_a_kernel_that_does_not_fit_is_named():
    from manyheads.kernels.aot import Resources

    from tests.kernels.aot.every_kernel import Compilation

    spilt = Compilation("too_many kernel", "sm_80", lambda: Resources("sm_80", 255, spill_stores=8, spill_loads=8))
    greedy = Compilation("too_large kernel", "sm_80", lambda: Resources("sm_80", 64, shared_bytes=164 * 1024))
    fits = Compilation("fits", "sm_80", lambda: Resources("sm_80", 64))
    found = [*_named([spilt, greedy, fits], at_once(complaint, [spilt, greedy, fits]))]
    assert [name for name, _ in found] == ["too_many kernel", "too_large kernel"]


def _named(compilations, complaints):
    for compilation, wrong in zip(compilations, complaints, strict=True):
        if wrong:
            yield compilation.name, wrong
