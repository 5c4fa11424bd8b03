"""The process that launches one kernel on the GPU: a job comes in through stdin, arrays go out through stdout."""

import ctypes
import importlib.util
import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np

from manyheads.kernels.handed_in import gpu_driver
from manyheads.kernels.handed_in.triton_wire import frame, unframe
from manyheads.kernels.launching import Finding, KernelError, NotHere

#: Before and after every array: what no kernel may change. A multiple of the alignment that the driver gives.
GUARD = b"\xa5" * 4096
C_TYPES = {"float32": ctypes.c_float, "float64": ctypes.c_double, "bool": ctypes.c_bool} | {
    f"{sign}int{bits}": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def main() -> None:
    """One job."""
    # What the kernel, torch or a compiler prints must not get between the bytes of the answer.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    job, arrays = unframe(sys.stdin.buffer.read())
    try:
        found = (_cuda if job["language"] == "cuda" else _triton)(job, arrays)
        message = frame({}, {name: found[name] for name in job["outputs"]})
    except KernelError as error:
        f = error.finding
        message = frame({"finding": {"kind": f.kind, "message": f.message, "line": f.line, "text": f.text}}, {})
    except NotHere as error:
        message = frame({"not_here": str(error)}, {})
    answer.write(message)
    answer.flush()
    os._exit(0)  # a context that the kernel has broken may not come down in order


def _cuda(job: dict, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    from manyheads.kernels.cuda import building

    try:
        driver = gpu_driver.Driver()
        cubin = building.build(job["source"], driver.arch, job["constants"])
        driver.start()
        function = driver.function(cubin, mangled(cubin, job["kernel"]))
        places = {name: driver.to_gpu(GUARD + array.tobytes() + GUARD) for name, array in arrays.items()}
        arguments = []
        for name in job["parameters"]:
            if name in places:
                arguments.append(ctypes.c_uint64(places[name].value + len(GUARD)))
            else:
                kind, value = job["numbers"][name]
                arguments.append(number(kind, value))
        driver.launch(function, job["grid"], job["block"], job["shared_bytes"], arguments)
        return {
            name: inside(driver.from_gpu(places[name], 2 * len(GUARD) + array.nbytes), array, name)
            for name, array in arrays.items()
        }
    except gpu_driver.DriverError as error:
        kind = gpu_driver.KINDS.get(error.code, "crash")
        raise KernelError(Finding(kind, f"the GPU's driver says: {error}")) from None


def number(kind: str, value: int | float):
    """A number in the type that the kernel's parameter has."""
    return C_TYPES[kind](float(value) if kind.startswith("float") else int(value))


def inside(data: bytes, like: np.ndarray, name: str) -> np.ndarray:
    """The array between its guards; a changed guard is a store out of bounds."""
    before, after = data[: len(GUARD)], data[-len(GUARD) :]
    if before != GUARD or after != GUARD:
        side = "before the start" if before != GUARD else "past the end"
        raise KernelError(Finding("out of bounds", f"something was stored {side} of {name}"))
    return np.frombuffer(data[len(GUARD) : -len(GUARD)], like.dtype).reshape(like.shape)


def mangled(cubin: bytes, kernel: str) -> str:
    """The kernel's name in the machine code: its own with extern "C", else as C++ writes it."""
    plain = kernel.encode()
    if b"\0" + plain + b"\0" in cubin:
        return kernel
    found = re.search(rb"\0(_Z%d%s[^\0]*)\0" % (len(plain), plain), cubin)
    return found[1].decode() if found else kernel


def _triton(job: dict, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    for name in ("triton", "torch"):
        if importlib.util.find_spec(name) is None:
            raise NotHere(
                f"a Triton kernel is launched through triton and torch; {name} is missing: pip install {name}"
            )
    import torch
    import triton
    import triton.language as tl

    if not torch.cuda.is_available():
        raise NotHere(f"torch {torch.__version__} does not reach the GPU; install its CUDA build")
    source = textwrap.dedent(job["source"])
    with tempfile.TemporaryDirectory() as folder:
        # triton reads a kernel's text from its file.
        file = Path(folder) / "kernel.py"
        file.write_text(source, encoding="utf-8")
        names = {"triton": triton, "tl": tl, "__name__": "handed_in", "__file__": str(file)}
        exec(compile(source, str(file), "exec"), names)
        tensors = {name: torch.from_numpy(array).cuda() for name, array in arrays.items()}
        values = [tensors[name] if name in tensors else job["numbers"][name][1] for name in job["parameters"]]
        kernel = names.get(job["kernel"])
        if not isinstance(kernel, triton.JITFunction):
            raise KernelError(Finding("wrong parameters", f"there is no kernel called {job['kernel']}"))
        try:
            kernel[tuple(job["grid"])](*values, **job["constants"])
            torch.cuda.synchronize()
        except TypeError as error:  # of the call: too few arguments, or one that it does not know
            raise KernelError(Finding("wrong parameters", str(error))) from None
        except triton.CompilationError as error:
            message = str(error).strip().split("\n")[-1]
            line = getattr(getattr(error, "node", None), "lineno", None)
            raise KernelError(Finding("does not compile", message, line)) from None
        except Exception as error:
            kind = "out of bounds" if "illegal memory access" in str(error) else "crash"
            kind = "too many resources" if "out of resource" in str(error) else kind
            raise KernelError(Finding(kind, str(error).strip().split("\n")[0])) from None
    return {name: tensors[name].cpu().numpy() for name in job["outputs"]}


if __name__ == "__main__":
    main()
