"""Compiling a kernel for a GPU on a machine that has none: does it compile, and do its values fit into registers?

CUDA C++ goes through NVRTC or nvcc, Triton through its own compiler; both in processes of their own, because a compiler
may crash, run for minutes, or (Triton) execute the text that it is given.
"""

from manyheads.kernels.aot.cuda_source import compile_cuda
from manyheads.kernels.aot.missing import missing
from manyheads.kernels.aot.resources import Resources, shared_finding, spill_finding
from manyheads.kernels.aot.triton_function import compile_triton_function
from manyheads.kernels.aot.triton_source import compile_triton

__all__ = [
    "Resources",
    "compile_cuda",
    "compile_triton",
    "compile_triton_function",
    "missing",
    "shared_finding",
    "spill_finding",
]
