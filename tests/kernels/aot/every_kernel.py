"""Every kernel of the library with every configuration that ships, compiled for the GPUs that it is for.

`test_library_kernels.py` takes a part that has each kernel in it. All of it, with a table (many minutes at first, then
from the cache): ``python -m tests.kernels.aot.every_kernel``; it ends with 1 if anything does not fit.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from manyheads.kernels import aot
from manyheads.kernels.cuda import sources
from manyheads.kernels.cuda.tiles import tiles_for
from manyheads.kernels.launching import KernelError

ARCHES = ("sm_80", "sm_90")
HEAD_DIMS = ((64, 64), (128, 128), (192, 128))


class Compilation(NamedTuple):
    """One kernel for one GPU: its name in reports, and how to get its resources."""

    name: str
    arch: str
    run: Callable[[], aot.Resources]


def triton_kernels(arch: str, **chosen) -> Iterator[Compilation]:
    """Attention forward and backward, and decoding; `chosen` are `variants`' dtypes, dims and asked."""
    from manyheads.kernels.triton.decode_variants import decode_variants
    from manyheads.kernels.triton.variants import variants

    decoding = {name: value for name, value in chosen.items() if name != "asked"}
    for variant in (*variants(**chosen), *decode_variants(**decoding)):
        options = {"num_warps": variant.num_warps, "num_stages": variant.num_stages}
        run = partial(
            aot.compile_triton_function, variant.function, variant.signature, variant.constants, arch, **options
        )
        yield Compilation(variant.name, arch, run)


def cuda_kernels(arch: str, head_dims: Iterable[tuple[int, int]] = HEAD_DIMS) -> Iterator[Compilation]:
    """Each .cu file with the tiles that it is launched with."""
    for short, function in sources.KERNELS.items():
        for head_dim, v_head_dim in head_dims:
            constants = {"HEAD_DIM": head_dim, "V_HEAD_DIM": v_head_dim}
            if short != "lesson":
                tiles = tiles_for(head_dim, v_head_dim)
                constants |= {"BLOCK_Q": tiles.block_q, "BLOCK_K": tiles.block_k}
            run = partial(aot.compile_cuda, sources.source(short), function, arch, constants)
            yield Compilation(f"{function} {head_dim}/{v_head_dim}", arch, run)


def complaint(compilation: Compilation) -> str | None:
    """What does not fit, or does not compile."""
    try:
        taken = compilation.run()
    except KernelError as error:
        return str(error)
    finding = aot.spill_finding(taken) or aot.shared_finding(taken)
    return finding and finding.message


def at_once(work: Callable, compilations: list[Compilation]) -> list:
    """Of each one, in order; as many processes compile as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, compilations))


def _told(compilation: Compilation) -> bool:
    wrong = complaint(compilation)
    print(f"{compilation.arch}  {compilation.name:72} {wrong or 'fits'}", flush=True)
    return wrong is None


def main() -> int:
    everything = [one for arch in ARCHES for one in (*cuda_kernels(arch), *triton_kernels(arch))]
    fits = at_once(_told, everything)
    print(f"{sum(fits)} of {len(fits)} fit")
    return 0 if all(fits) else 1


if __name__ == "__main__":
    sys.exit(main())
