"""Mutants that do the same as the answer they were made from, with the reason."""

from manyheads.exercises.ch08_kernels.equivalent_cuda import EQUIVALENT_CUDA
from manyheads.exercises.ch08_kernels.equivalent_indices import EQUIVALENT_INDICES
from manyheads.exercises.ch08_kernels.equivalent_triton import EQUIVALENT_TRITON

EQUIVALENT = {**EQUIVALENT_INDICES, **EQUIVALENT_CUDA, **EQUIVALENT_TRITON}
