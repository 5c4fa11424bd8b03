"""From a kernel's source to machine code, once: NVRTC where it is, else nvcc, and a cache on disk."""

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from manyheads.kernels import cache
from manyheads.kernels.aot.missing import cuda_compiler, missing, nvcc
from manyheads.kernels.aot.nvcc import compile_with_nvcc
from manyheads.kernels.aot.nvrtc import compile_with_nvrtc
from manyheads.kernels.launching import Finding, KernelError, NotHere


def build(source: str, arch: str, constants: Mapping[str, int] | None = None) -> bytes:
    """Machine code of a CUDA C++ source for one GPU architecture.

    Parameters
    ----------
    source : str
        The text of a .cu that includes nothing.
    arch : str
        ``"sm_80"`` (A100), ``"sm_90"`` (H100) …
    constants : dict, optional
        Macros: ``{"HEAD_DIM": 64}``.

    Returns
    -------
    bytes
        A cubin, which a driver loads as it is. It is kept in ``$MANYHEADS_CACHE`` or the user's cache directory,
        by source, architecture, macros and the compiler's version.

    Raises
    ------
    KernelError
        If it does not compile.
    NotHere
        If there is neither NVRTC nor nvcc.

    Examples
    --------
    >>> cuda_compiler() is None or build("__global__ void nothing() {}", "sm_90")[:4] == b"\\x7fELF"
    True
    """
    compiler = cuda_compiler()
    if compiler is None:
        raise NotHere(missing("cuda") or "no compiler for CUDA C++ here")
    constants = dict(constants or {})
    kept = _kept_at(source, arch, constants, compiler)
    with contextlib.suppress(OSError):
        return kept.read_bytes()
    if compiler.startswith("nvrtc"):
        cubin, said = compile_with_nvrtc(source, arch, constants)
    else:
        cubin, said = compile_with_nvcc(nvcc() or "nvcc", source, arch, constants)
    if cubin is None:
        raise KernelError(_refused(said, source, arch))
    cache.keep(kept, cubin)
    return cubin


def _kept_at(source: str, arch: str, constants: Mapping[str, int], compiler: str) -> Path:
    everything = json.dumps([source, arch, sorted(constants.items()), compiler])
    return cache.folder() / "cubins" / f"{hashlib.sha256(everything.encode()).hexdigest()}.cubin"


def _refused(said: str, source: str, arch: str) -> Finding:
    """The compiler's first error, without paths."""
    first = re.search(r"kernel\.cu\((\d+)\): (?:catastrophic )?error:? ?(?:#\S+: )?(.*)", said)
    if first is None:
        errors = [line.strip() for line in said.splitlines() if re.search("error|fatal|invalid", line, re.IGNORECASE)]
        words = errors[0] if errors else said.strip()[-300:]
        return Finding("does not compile", f"the compiler does not take it for {arch}: {words}")
    line = int(first[1])
    return Finding("does not compile", first[2].strip(), line, source.splitlines()[line - 1].strip())
