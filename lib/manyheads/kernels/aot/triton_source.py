"""The text of a Triton kernel to machine code for a GPU that need not be here."""

import numpy as np

from manyheads.kernels.aot import workers
from manyheads.kernels.aot.cuda_source import architecture
from manyheads.kernels.aot.missing import missing, triton_version
from manyheads.kernels.aot.resources import Resources
from manyheads.kernels.launching import Launch, NotHere, Out

#: NumPy's names in Triton's signatures. bfloat16 is ml_dtypes', whose name NumPy arrays carry.
TYPES = {
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "i1",
}  # fmt: skip


def compile_triton(
    source: str,
    launch: Launch,
    arch: str = "sm_80",
    *,
    num_warps: int = 4,
    num_stages: int = 2,
    seconds: float = 60.0,
) -> Resources:
    """Compile the text of a Triton kernel for one GPU architecture, and say what it takes.

    Parameters
    ----------
    source : str
        One or more ``@triton.jit`` functions. ``import triton`` and ``import triton.language as tl`` are given.
    launch : Launch
        Which function, and its arguments: an array or `Out` of float16 is a ``*fp16``, an int an ``i32``, a float an
        ``fp32``. Nothing is launched; the arrays' contents do not matter.
    arch : str
        ``"sm_80"`` (A100), ``"sm_90"`` (H100) …
    num_warps, num_stages : int
        Warps of 32 threads that share a program; rounds of a loop whose loads are under way at once.
    seconds : float
        Time that compiling may take.

    Returns
    -------
    Resources

    Raises
    ------
    KernelError
        If it does not compile; the finding has the compiler's words and the source's own line.
    NotHere
        If there is no triton.

    Notes
    -----
    The compiler takes more than the interpreter refuses, and the other way round: `break`, a variable that changes
    its type in a loop, and a `tl.dot` over fewer than 16 numbers run interpreted and do not compile.

    Examples
    --------
    >>> source = '''
    ... @triton.jit
    ... def add_one(x, out, n, BLOCK: tl.constexpr):
    ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ...     tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
    ... '''
    >>> arguments = {"x": np.zeros(70, np.float32), "out": Out((70,)), "n": 70}
    >>> launch = Launch("add_one", (3,), arguments=arguments, constants={"BLOCK": 32})
    >>> missing("triton") is not None or compile_triton(source, launch).spill_stores == 0
    True
    """
    lacks = missing("triton")
    if lacks:
        raise NotHere(lacks)
    job = {
        "language": "triton",
        "source": source,
        "kernel": launch.kernel,
        "arch": architecture(arch),
        "signature": {name: _type(value) for name, value in launch.arguments.items()},
        "constants": dict(launch.constants),
        "num_warps": num_warps,
        "num_stages": num_stages,
    }
    return Resources(**workers.outcome(job, triton_version(), seconds))


def _type(value: np.ndarray | Out | int | float) -> str | int:
    """As a launch specialises it: buffers begin at multiples of 16, a whole number may be one, and 1 is a constant."""
    if isinstance(value, np.ndarray | Out):
        name = str(value.dtype)
        if name not in TYPES:
            raise TypeError(f"a Triton kernel takes no array of {name}; there are {', '.join(TYPES)}")
        return f"*{TYPES[name]}:16"
    if isinstance(value, bool | np.bool_):
        return "i1"
    if isinstance(value, int | np.integer):
        if value == 1:
            return 1
        return ("i32" if -(2**31) <= value < 2**31 else "i64") + (":16" if value % 16 == 0 else "")
    return "fp32"
