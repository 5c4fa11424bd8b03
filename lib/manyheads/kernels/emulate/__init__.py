"""CUDA C++ on a CPU: a kernel's source is compiled behind a header of ours and launched in a process of its own.

Every thread of a block is a fiber that runs until a barrier. The order of the threads can be chosen, a launch gives the
same bits every time, and a check finds races, accesses out of bounds and shared memory that nobody has written, with
the line. Needs g++ or clang++, and nothing else.
"""

from manyheads.kernels.emulate.building import build
from manyheads.kernels.emulate.compilers import compiler, missing
from manyheads.kernels.emulate.running import CHECKS, ORDERS, launch, launch_many

__all__ = ["CHECKS", "ORDERS", "WHAT_IT_CANNOT_SHOW", "build", "compiler", "launch", "launch_many", "missing"]

#: What only a GPU can show.
WHAT_IT_CANNOT_SHOW = """\
A kernel that is right on the CPU is not yet right or fast on a GPU. This does not show: its speed, how wide its loads
are and whether they coalesce, and bank conflicts; what depends on the warps' lockstep or on the order in which a GPU
runs warps and blocks (races between blocks are looked for, but not every one can be seen); bfloat16, half, TF32 and
tensor cores; the last bits of a GPU's own exponential and of its fused multiply-adds; registers, spills and
__launch_bounds__; textures, streams, cooperative groups and launches from within a kernel."""
