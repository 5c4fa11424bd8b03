"""Compiling a kernel for the CPU, once: programs are kept in a cache folder."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from manyheads.kernels import cache
from manyheads.kernels.emulate import compilers
from manyheads.kernels.emulate.compile_errors import compile_error, no_kernel
from manyheads.kernels.emulate.rewriting import rewritten
from manyheads.kernels.emulate.source import blanked, kernels, refusal
from manyheads.kernels.launching import Finding, KernelError

_HERE = Path(__file__).parent
_HEADERS = ("runtime.h", "state.h", "cuda_cpu.h", "cuda_cpu_math.h", "cuda_cpu_vectors.h", "cuda_cpu_warp.h")
_RUNTIME = ("main.cpp", "memory.cpp", "fibers.cpp", "races.cpp", "findings.cpp")
_LINUX = sys.platform == "linux"

#: -nostdinc++: C's own <math.h> is read in a tenth of the time of C++'s. No fused multiply-adds: the same bits on every
#: machine. An endless loop must stay one. Kernels read floats through a float4*, which strict aliasing does not know.
#: An array whose length is known only at run time is an error to nvcc, too.
_KERNEL_OPTIONS = ("-std=c++17", "-g1", "-gdwarf-4", "-fPIE", "-nostdinc++", "-fno-exceptions", "-fno-rtti",
                   "-ffp-contract=off", "-fno-strict-aliasing", "-fno-finite-loops", "-fno-stack-protector",
                   "-Werror=vla", *(("-fstack-clash-protection",) if _LINUX else ()))  # fmt: skip

#: The check hangs on what compilers put in for their own sanitizers; only the runtime behind it is ours.
_CHECKED = ("-O0", "-fsanitize=thread,bounds,integer-divide-by-zero,alignment", "-fno-sanitize-recover=all",
            "-fno-builtin-memset", "-fno-builtin-memcpy")  # fmt: skip
_CHECKED_LINK = ("-Wl,--wrap=memcpy", "-Wl,--wrap=memset") if _LINUX else ()
_RUNTIME_OPTIONS = ("-std=c++17", "-O2", "-fPIE", "-fno-exceptions", "-fno-rtti")
_LINK_OPTIONS = ("-lm", *(("-pie", "-ldl") if _LINUX else ()))

_NAME = re.compile(r"[A-Za-z_]\w*(?:::\w+)*\s*(?:<[\w\s,:]*>)?")


def cache_folder() -> Path:
    """Where built kernels are kept."""
    return cache.folder() / "emulate"


def build(
    source: str,
    kernel: str,
    constants: dict[str, int | bool] | None = None,
    check: str | None = None,
    *,
    name: str = "kernel.cu",
) -> Path:
    """Compile a kernel into a program that runs one launch of it; the same again takes the program from the cache.

    Parameters
    ----------
    source : str
        CUDA C++.
    kernel : str
        The name of its ``__global__`` function; of a template with its arguments, ``"tiled<64, 32>"``.
    constants : dict
        Macros: ``{"HEAD_DIM": 64}`` is ``-DHEAD_DIM=64``.
    check : None, "races", "memory" or "all"
        Whether loads and stores are watched. One program does for all checks.
    name : str
        What the source is called in a compiler's words.

    Returns
    -------
    Path
        An executable.

    Raises
    ------
    KernelError
        If the source is not allowed, does not compile, or has no such kernel.
    NotHere
        If there is no compiler.

    Examples
    --------
    >>> source = 'extern "C" __global__ void fill(float* x, float value) { x[threadIdx.x] = value; }'
    >>> build(source, "fill") == build(source, "fill")
    True
    """
    source = source.replace("\r\n", "\n")
    refused = refusal(source)
    if refused is not None:
        raise KernelError(refused)
    known = kernels(source)
    if "__global__" not in blanked(source):  # a macro may write it; somebody has to
        raise KernelError(Finding("wrong parameters", no_kernel(kernel, [])))
    if not _NAME.fullmatch(kernel) or (known and re.split(r"[<\s]", kernel)[0].split("::")[-1] not in known):
        raise KernelError(Finding("wrong parameters", no_kernel(kernel, known)))
    if not re.fullmatch(r"[\w.-]+", name):
        raise ValueError(f"name must be a file's name, got {name!r}")
    path = compilers.compiler()
    about = compilers.version(path, os.stat(path).st_mtime)
    whole = "\n".join(
        [
            '#include "cuda_cpu.h"',
            f'#line 1 "{name}"',
            rewritten(source),
            '#line 1 "launch"',
            f"cpu::Kernel cpu::kernel() {{ return cpu::describe<&{kernel}>(&{kernel}); }}",
        ]
    )
    options = [*_KERNEL_OPTIONS, *(_CHECKED if check else ("-O2",)), *map(_macro, (constants or {}).items())]
    links = [*(_CHECKED_LINK if check else ()), *_LINK_OPTIONS]
    key = _key(whole, *options, *links, path, about, *map(_text, _HEADERS), *map(_text, _RUNTIME), _text("building.py"))
    program = cache_folder() / key[:2] / key
    if program.exists():
        return program
    runtime = map(str, _runtime(path, about))
    # In two steps: told to link with -fsanitize=thread, the compiler would bring its own runtime.
    with _aside(program) as made:
        (made.parent / name).write_text(whole)
        told = _compile([path, *options, f"-I{_HERE}", "-x", "c++", "-c", name, "-o", "kernel.o"], made.parent)
        told = told or _compile([path, "kernel.o", *runtime, *links, "-o", made.name], made.parent)
        if told is not None:
            raise KernelError(compile_error(told, source, kernel, name))
    return program


def _macro(constant: tuple[str, int | bool]) -> str:
    name, value = constant
    if not re.fullmatch(r"[A-Za-z_]\w*", name) or not hasattr(value, "__index__"):
        raise ValueError(f"a constant is a macro's name and a whole number, got {name!r}: {value!r}")
    return f"-D{name}={int(value)}"


def _text(name: str) -> str:
    return (_HERE / name).read_text()


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@contextmanager
def _aside(place: Path):
    """A file that is made in a folder of its own and then moved: another process sees all of it or none."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="made-", dir=place.parent) as folder:
        made = Path(folder, place.name)
        yield made
        os.replace(made, place)


def _runtime(path: str, about: str) -> list[Path]:
    """The runtime's object files, compiled once."""
    objects = []
    for file in _RUNTIME:
        key = _key(_text(file), *map(_text, _HEADERS), *_RUNTIME_OPTIONS, path, about)
        place = cache_folder() / "runtime" / f"{file}-{key}.o"
        objects.append(place)
        if place.exists():
            continue
        with _aside(place) as made:
            told = _compile([path, *_RUNTIME_OPTIONS, "-c", str(_HERE / file), "-o", made.name], made.parent)
            if told is not None:
                raise RuntimeError(f"the emulator's {file} does not compile with {about}: {told[:500]}")
    return objects


def _compile(command: list[str], folder: Path, seconds: float = 60) -> str | None:
    """What the compiler complains of, or None."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TMPDIR": str(folder)}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    try:
        _, told = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the compiler proper is its child
        process.communicate()
        return f"error: it took the compiler more than {seconds:.0f} seconds"
    return None if process.returncode == 0 else told or "error: the compiler gave no reason"
