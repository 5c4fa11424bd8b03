"""In the worker: one CUDA C++ source through NVRTC, or nvcc where that is all there is."""

import re
from dataclasses import asdict

from manyheads.kernels.aot.missing import cuda_compiler, nvcc
from manyheads.kernels.aot.nvcc import compile_with_nvcc
from manyheads.kernels.aot.nvrtc import compile_with_nvrtc
from manyheads.kernels.aot.resources import Resources, read_log

NVRTC = (cuda_compiler() or "").startswith("nvrtc")
if NVRTC:
    import cuda.core  # noqa: F401 - here, so that the forks for the jobs need not

NAME = "kernel.cu"
# nvcc knows it through its own headers; NVRTC has none.
INFINITY = {"INFINITY": "(__int_as_float(0x7f800000))"}


def run(job: dict, folder: str) -> dict:
    """Resources of the kernel, or what is wrong."""
    cubin, log = _compiled(job, folder)
    if cubin is None:
        return {"finding": _error(log, job["source"])}
    kernels = read_log(log, job["arch"])
    found = _named(job["kernel"], kernels)
    if found is None:
        names = ", ".join(sorted(map(_plain, kernels))) or "none"
        message = f"there is no kernel {job['kernel']} in the source; its __global__ functions: {names}"
        return {"finding": {"kind": "wrong parameters", "message": message}}
    return {"resources": asdict(found)}


def _compiled(job: dict, folder: str) -> tuple[bytes | None, str]:
    """The machine code, or None, and what the compiler said."""
    source, arch, macros = job["source"], job["arch"], job["constants"]
    if NVRTC:
        return compile_with_nvrtc(source, arch, INFINITY | macros, ptxas=["-v"])
    return compile_with_nvcc(nvcc() or "nvcc", source, arch, macros, ptxas=["-v"], scratch=folder)


def _named(kernel: str, kernels: dict[str, Resources]) -> Resources | None:
    """The kernel of this name; of a template's several, the one that takes most."""
    mangled = f"{len(kernel)}{kernel}"  # Itanium C++ ABI: _Z, then a name after its length
    found = [
        taken
        for name, taken in kernels.items()
        if name == kernel or (name.startswith("_Z") and re.search(rf"(?<!\d){mangled}", name))
    ]
    return max(found, key=lambda taken: (taken.spill_stores, taken.registers), default=None)


def _plain(name: str) -> str:
    match = re.match(r"_ZN?(\d+)", name)
    return name[match.end() : match.end() + int(match[1])] if match else name


def _error(log: str, source: str) -> dict:
    """The compiler's first error, with the line as it was handed over."""
    shared = re.search(r"uses too much shared data \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)", log)
    if shared:
        wants, has = (int(number, 16) / 1024 for number in shared.groups())
        message = (
            f"a block's __shared__ arrays are {wants:.4g} KiB; the source may declare {has:.4g} KiB: use a smaller "
            "tile, or extern __shared__ and a launch that asks for more"
        )
        return {"kind": "too many resources", "message": message}
    first = re.search(rf"{re.escape(NAME)}\((\d+)\): (?:catastrophic )?error:? ?(.*)", log)
    if first is None:
        said = re.search(r"(?:error|fatal)\s*:? (.*)", log)
        return {"kind": "does not compile", "message": (said[1] if said else log.strip()[-300:]).strip()}
    line, message = int(first[1]), re.sub(r"^#\S+: ", "", first[2].strip())
    if message.startswith("expected a"):
        message += " (perhaps at the end of the line before)"
    if "source file" in message:
        message += "; a kernel here includes nothing"
    lines = source.splitlines()
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return {"kind": "does not compile", "message": message, "line": line, "text": text}
