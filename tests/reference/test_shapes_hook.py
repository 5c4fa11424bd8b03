"""The shapes in the signatures are true: the tests of the reference pass with every call checked against them."""

import subprocess
import sys
from pathlib import Path

# `kernels` stays out when it comes: the hook breaks @triton.jit.
PACKAGES = ["manyheads.reference", "manyheads.config", "manyheads.costs", "manyheads.models"]

HOOKED = """
import sys, jaxtyping, pytest
with jaxtyping.install_import_hook({packages!r}, "beartype.beartype"):
    import manyheads
sys.exit(pytest.main({arguments!r}))
"""


def test_the_reference_holds_its_own_signatures():
    here = Path(__file__).parent
    arguments = [str(here), "-q", "-m", "not wrong_call", "-p", "no:cacheprovider", f"--ignore={__file__}"]
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
