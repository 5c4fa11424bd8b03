"""A Triton kernel of a module, as it ships, to machine code for a GPU that need not be here."""

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manyheads.kernels.aot import workers
from manyheads.kernels.aot.cuda_source import architecture
from manyheads.kernels.aot.missing import missing, triton_version
from manyheads.kernels.aot.resources import Resources
from manyheads.kernels.launching import NotHere

Kind = str | int | None | tuple


def compile_triton_function(
    function: Any,
    signature: Mapping[str, Kind],
    constants: Mapping[str, Any],
    arch: str = "sm_80",
    *,
    num_warps: int = 4,
    num_stages: int = 2,
    seconds: float = 120.0,
) -> Resources:
    """Compile a ``@triton.jit`` function that can be imported.

    Parameters
    ----------
    function : triton.jit function
        May be the interpreter's: a process without the interpreter imports it anew, by its module and name.
    signature : dict
        Type of each parameter that is no constant, as a launch would find it: ``"*fp16"``, ``"fp32"``, ``"i32"``;
        ``"i32:16"`` for a multiple of 16, and the number 1 or None itself for what is that at the launch. A tuple
        of these is a parameter that is a tuple: strides ``("i32:16", "i32:16", "i32:16", 1)``. Pointers are taken to
        be multiples of 16 (torch's are, at a tensor's beginning); ``"*fp16:1"`` says they are not.
    constants : dict
        Value of each constexpr: int, bool, float, str, None or a Triton dtype.
    arch, num_warps, num_stages, seconds
        As `compile_triton` has them.

    Returns
    -------
    Resources

    Raises
    ------
    KernelError
        If it does not compile.
    NotHere
        If there is no triton.
    """
    lacks = missing("triton")
    if lacks:
        raise NotHere(lacks)
    plain = getattr(function, "fn", function)
    job = {
        "language": "triton",
        "module": plain.__module__,
        "kernel": plain.__qualname__,
        "arch": architecture(arch),
        "signature": {name: _aligned(kind) for name, kind in signature.items() if kind != "constexpr"},
        "constants": {name: _plain(value) for name, value in constants.items()},
        "num_warps": num_warps,
        "num_stages": num_stages,
    }
    version = f"{triton_version()} {_files(plain.__module__)}"
    return Resources(**workers.outcome(job, version, seconds))


def _aligned(kind: Kind):
    if isinstance(kind, tuple | list):
        return [_aligned(one) for one in kind]
    if not isinstance(kind, str):
        return kind
    return f"{kind}:16" if kind.startswith("*") and ":" not in kind else kind


def _plain(value):
    """A constant as JSON has it; a Triton dtype by its name."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "value"):  # tl.constexpr
        return _plain(value.value)
    if hasattr(value, "primitive_bitwidth"):  # tl.dtype
        return {"dtype": value.name}
    raise TypeError(f"a constant must be a number, a text, None or a Triton dtype, got {type(value).__name__}")


def _files(module: str) -> str:
    """A hash of the Python files beside a module: what its kernels call is among them."""
    place = Path(sys.modules[module].__file__ or "").parent
    texts = [path.read_bytes() for path in sorted(place.glob("*.py"))]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()
