"""Short kernels of one form: ``k(x, out, n)``, three blocks of 64 threads, 200 elements of which 190 count."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.launching import Finding, KernelError, Launch, Out

HEAD = 'extern "C" __global__ void k(const float* x, float* out, int n) {\n'
N = 190
X = np.arange(1, 201, dtype=np.float32)


def kernel(body: str, before: str = "") -> str:
    """The head is line 1, unless something comes before it."""
    return before + HEAD + body + "\n}\n"


def a_launch(arguments=None, *, block=(64,), grid=(3,), constants=None, shared_bytes=0) -> Launch:
    given = {"x": X, "out": Out((200,)), "n": N} if arguments is None else arguments
    return Launch("k", grid, block, given, constants or {}, shared_bytes)


def run(source: str, arguments=None, *, order="up", check=None, seconds=20.0, memory=2 << 30, **sizes) -> np.ndarray:
    """The first buffer."""
    launch = a_launch(arguments, **sizes)
    outputs = emulate.launch(source, launch, order=order, check=check, seconds=seconds, memory=memory)
    return outputs[launch.outputs[0]]


def found(source: str, arguments=None, **options) -> Finding:
    with pytest.raises(KernelError) as error:
        run(source, arguments, **options)
    return error.value.finding


def places(finding: Finding) -> tuple[str, int | None]:
    return finding.kind, finding.line
