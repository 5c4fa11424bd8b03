"""One launch of a kernel as plain data: the same for a GPU, for the CPU, and for a compilation without a launch."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Out:
    """A buffer that the kernel fills. Before the launch it holds NaN; a whole-number buffer its largest number.

    Parameters
    ----------
    shape : tuple of int
    dtype : str
        ``"float32"``, ``"float16"``, ``"int32"`` …
    kept : tuple of slices
        What of it is looked at afterwards: a launch of some of the blocks fills only their part.
    """

    shape: tuple[int, ...]
    dtype: str = "float32"
    kept: tuple[slice, ...] = ()

    def buffer(self) -> np.ndarray:
        """The buffer before the launch.

        Examples
        --------
        >>> Out((2,)).buffer()
        array([nan, nan], dtype=float32)
        """
        dtype = np.dtype(self.dtype)
        return np.full(self.shape, np.nan if dtype.kind == "f" else np.iinfo(dtype).max, dtype)


@dataclass(frozen=True)
class Launch:
    """A kernel's name, its grid and its arguments.

    Parameters
    ----------
    kernel : str
        The name of the function that is launched.
    grid : tuple of int
        Blocks (Triton: programs) along x, y and z; later ones may be left out.
    block : tuple of int
        Threads of a block along x, y and z. Left out for Triton, whose programs have no threads that one could see.
    arguments : dict
        In the order of the kernel's parameters: an array (what the kernel reads), an `Out`, an int or a float.
    constants : dict
        Known when it is compiled: macros in CUDA C++ (``-DHEAD_DIM=64``), `tl.constexpr` parameters in Triton.
    shared_bytes : int
        What each block gets for its ``extern __shared__`` array. CUDA only.

    Examples
    --------
    >>> x = np.zeros((3, 5), np.float32)
    >>> Launch("double_it", (3,), (32,), {"x": x, "out": Out((3, 5)), "n": 5}).outputs
    ['out']
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...] = ()
    arguments: dict[str, np.ndarray | Out | int | float] = field(default_factory=dict)
    constants: dict[str, int | bool] = field(default_factory=dict)
    shared_bytes: int = 0

    @property
    def language(self) -> str:
        """``"cuda"`` or ``"triton"``."""
        return "cuda" if self.block else "triton"

    @property
    def outputs(self) -> list[str]:
        """The names of the buffers that the kernel fills, in the order of its parameters."""
        return [name for name, value in self.arguments.items() if isinstance(value, Out)]


@dataclass(frozen=True)
class Finding:
    """What is wrong with a kernel, other than its numbers.

    `kind` is one of `KINDS`; `message` is for the person who wrote the kernel, one or two sentences without the
    line; `line` counts from 1 in the source as it was handed over, and `text` is that line, stripped. `place` is what
    was touched, where that is known: the element, and the array unless it is a shared one, whose name is its author's.
    """

    kind: str
    message: str
    line: int | None = None
    text: str = ""
    place: tuple[int | str, ...] = ()

    @property
    def where(self) -> str:
        """``line 7: tile[t] = x[i];``, or nothing."""
        return "" if self.line is None else f"line {self.line}" + (f": {self.text}" if self.text else "")


#: What can be found, in the words that a report uses.
KINDS = (
    "does not compile",  # message: the compiler's own first error
    "wrong parameters",  # no kernel of that name, or its parameters do not fit the launch
    "data race",  # two threads, one of them writing, with no barrier between: a missing __syncthreads
    "out of bounds",  # a load or store outside the array, or inside a shared array but past its end
    "divergent barrier",  # some threads of a block wait at a __syncthreads that others never reach
    "uninitialised shared memory",  # a shared element is read that no thread of the block has written
    "spills",  # registers that do not fit and go to memory
    "too many resources",  # more shared memory or threads than a block may have
    "endless",  # ran out of its time
    "too much memory",
    "crash",  # ended by a signal, with nothing better to say
    "not allowed",  # the source does what a kernel may not: imports, files, inline assembly
)


class KernelError(Exception):
    """A kernel could not be built or did something that it must not; `finding` says what and where."""

    def __init__(self, finding: Finding):
        self.finding = finding
        super().__init__(f"{finding.kind}: {finding.message}" + (f" ({finding.where})" if finding.where else ""))


class NotHere(RuntimeError):  # noqa: N818 - the name is what users see
    """This machine lacks what is needed: a compiler, triton, a GPU; the message says which, and what to do."""
