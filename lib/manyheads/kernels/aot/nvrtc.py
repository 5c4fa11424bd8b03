"""CUDA C++ to machine code by NVRTC, the compiler as a library. It needs neither a GPU nor its driver."""

import io
from collections.abc import Mapping, Sequence


def compile_with_nvrtc(
    source: str, arch: str, constants: Mapping[str, int | str], *, ptxas: Sequence[str] = ()
) -> tuple[bytes | None, str]:
    """The cubin and what the compiler said; None for a cubin where it refused.

    Parameters
    ----------
    source : str
        What it includes must be in it: NVRTC has no header files.
    arch : str
        ``"sm_90"``.
    constants : dict
        Macros: whole numbers, or text as it stands.
    ptxas : sequence of str
        Options of the assembler: ``"-v"`` has it say what each kernel takes.

    Returns
    -------
    tuple of bytes or None, str

    Examples
    --------
    >>> from manyheads.kernels.aot.missing import cuda_compiler
    >>> here = (cuda_compiler() or "").startswith("nvrtc")
    >>> not here or compile_with_nvrtc("__global__ void nothing() {}", "sm_90", {})[0][:4] == b"\\x7fELF"
    True
    """
    from cuda.core import Program, ProgramOptions  # type: ignore[attr-defined]  # known at run time

    macros = [(name, value if isinstance(value, str) else str(int(value))) for name, value in constants.items()]
    log = io.StringIO()
    try:
        options = ProgramOptions(
            name="kernel.cu", std="c++17", arch=arch, define_macro=macros or None, ptxas_options=list(ptxas) or None
        )
        compiled = Program(source, "c++", options).compile("cubin", logs=log)
    except Exception as error:  # of the bindings' own classes; their text is the compiler's
        return None, f"{log.getvalue()}\n{error}"
    return bytes(compiled.code), log.getvalue()
