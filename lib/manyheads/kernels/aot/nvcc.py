"""CUDA C++ to machine code by nvcc, the compiler of the CUDA toolkit."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def compile_with_nvcc(
    nvcc: str,
    source: str,
    arch: str,
    constants: Mapping[str, int],
    *,
    ptxas: Sequence[str] = (),
    scratch: str | None = None,
) -> tuple[bytes | None, str]:
    """The cubin and what the compiler said; None for a cubin where it refused.

    Parameters
    ----------
    nvcc : str
        The compiler.
    source, arch, constants, ptxas
        As in `compile_with_nvrtc`.
    scratch : str
        Where the compiler's files are made; default: the system's place for them.

    Returns
    -------
    tuple of bytes or None, str

    Examples
    --------
    >>> from manyheads.kernels.aot.missing import nvcc
    >>> compiler = nvcc()
    >>> compiler is None or compile_with_nvcc(compiler, "__global__ void f() {", "sm_90", {})[0] is None
    True
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        kernel, cubin = Path(folder) / "kernel.cu", Path(folder) / "kernel.cubin"
        kernel.write_text(source, "utf-8")
        macros = [f"-D{name}={int(value)}" for name, value in constants.items()]
        options = [part for option in ptxas for part in ("-Xptxas", option)]
        command = [nvcc, "-cubin", f"-arch={arch}", "-std=c++17", *options, *macros, "-o", str(cubin), kernel.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        said = done.stderr + done.stdout
        return (cubin.read_bytes() if done.returncode == 0 else None), said
