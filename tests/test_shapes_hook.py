"""The shapes in the signatures are true: the tests of both paths pass with every call checked against them."""

import subprocess
import sys
from pathlib import Path

# `kernels` stays out when it comes: the hook breaks @triton.jit.
PACKAGES = ["manyheads.reference", "manyheads.torch_path", "manyheads.config", "manyheads.costs", "manyheads.models"]
TESTS = [
    "reference",
    "torch_path",
    "test_masks.py",
    "test_layers_by_hand.py",
    "test_conversions.py",
    "test_prefill_and_decode.py",
    "test_costs.py",
    "test_models.py",
]

HOOKED = """
import sys, jaxtyping, pytest
with jaxtyping.install_import_hook({packages!r}, "beartype.beartype"):
    import manyheads, manyheads.torch_path
sys.exit(pytest.main({arguments!r}))
"""


def test_both_paths_hold_their_own_signatures():
    here = Path(__file__).parent
    # Left out: compiled code, for a compiler would trace into the checks; and NumPy's integers, which beartype does not
    # take for int.
    chosen = ["-q", "-m", "not wrong_call", "-k", "not compiled and not numpy_integers", "-p", "no:cacheprovider"]
    arguments = [*(str(here / name) for name in TESTS), *chosen]
    done = subprocess.run(
        [sys.executable, "-c", HOOKED.format(packages=PACKAGES, arguments=arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_the_hook_refuses_a_shape_that_the_signature_forbids():
    code = HOOKED.format(packages=PACKAGES, arguments=["--version"]).replace(
        "sys.exit(", "import numpy\ntry:\n    manyheads.reference.split_heads(numpy.zeros((2, 3)), 3)\n"
        "except jaxtyping.TypeCheckError:\n    print('refused')\nsys.exit("
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "refused" in done.stdout, done.stdout + done.stderr
