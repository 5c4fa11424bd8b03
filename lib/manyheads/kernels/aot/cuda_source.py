"""CUDA C++ to machine code for a GPU that need not be here."""

import re
from collections.abc import Mapping

from manyheads.kernels.aot import workers
from manyheads.kernels.aot.missing import cuda_compiler, missing
from manyheads.kernels.aot.resources import Resources
from manyheads.kernels.launching import NotHere


def compile_cuda(
    source: str,
    kernel: str,
    arch: str = "sm_80",
    constants: Mapping[str, int | bool] | None = None,
    *,
    seconds: float = 60.0,
) -> Resources:
    """Compile a CUDA C++ source for one GPU architecture, and say what its kernel takes.

    Parameters
    ----------
    source : str
        The text of a ``.cu`` that includes nothing.
    kernel : str
        Name of the ``__global__`` function that is asked about.
    arch : str
        ``"sm_80"`` (A100), ``"sm_90"`` (H100) …
    constants : dict, optional
        Macros: ``{"HEAD_DIM": 64}`` is ``-DHEAD_DIM=64``.
    seconds : float
        Time that compiling may take.

    Returns
    -------
    Resources

    Raises
    ------
    KernelError
        If it does not compile; the finding has the compiler's first error and the source's own line.
    NotHere
        If there is neither NVRTC nor nvcc.

    Notes
    -----
    The numbers are those of ``ptxas -v`` (CUDA Compiler Driver NVCC, "ptxas options"). What was compiled once is
    kept in ``$MANYHEADS_CACHE``, or in the user's cache directory.

    Examples
    --------
    >>> source = '''
    ... __global__ void add_one(const float* x, float* out, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) out[i] = x[i] + 1;
    ... }'''
    >>> missing("cuda") is not None or compile_cuda(source, "add_one").spill_stores == 0
    True
    """
    lacks = missing("cuda")
    if lacks:
        raise NotHere(lacks)
    job = {
        "language": "cuda",
        "source": source,
        "kernel": kernel,
        "arch": architecture(arch),
        "constants": {name: int(value) for name, value in (constants or {}).items()},
    }
    return Resources(**workers.outcome(job, cuda_compiler() or "", seconds))


def architecture(arch: str) -> str:
    """An architecture's name, if it is one.

    Examples
    --------
    >>> architecture("sm_90")
    'sm_90'
    """
    if not re.fullmatch(r"sm_\d{2,3}", arch):
        raise ValueError(f'arch must be a name like "sm_80" or "sm_90", got {arch!r}')
    return arch
