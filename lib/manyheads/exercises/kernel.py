"""Exercises whose answer is a kernel: its source is handed in, and run by the checker's own runner."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class KernelForm:
    """What the notebook says of the kernel to write."""

    language: Literal["cuda", "triton"]
    head: str  #: the kernel's declaration, to be copied: `extern "C" __global__ void f(const float* x, int n)`
    launch: str  #: one sentence: the grid, what a block or program has to do, how many threads it has


@dataclass(frozen=True, eq=False)
class KernelSource:
    """A kernel's source as an answer. Called like a student's function of a CUDA exercise, it gives its text."""

    text: str

    def __call__(self) -> str:
        return self.text

    def changed(self, *replacements: tuple[str, str]) -> "KernelSource":
        """The same kernel with some pieces of text replaced, each of which occurs exactly once.

        So a mistake shows what differs from the right answer, and nothing else.

        Examples
        --------
        >>> KernelSource("x[i] = y[i] * scale;").changed((" * scale", "")).text
        'x[i] = y[i];'
        """
        text = self.text
        for old, new in replacements:
            if text.count(old) != 1:
                raise ValueError(f"{old!r} occurs {text.count(old)} times in the kernel, expected once")
            text = text.replace(old, new)
        return KernelSource(text)


def kernel_source(text: str) -> KernelSource:
    """CUDA C++, or one Triton function with ``@triton.jit`` above it; its lines are moved to the left together."""
    return KernelSource(textwrap.dedent(text).strip("\n") + "\n")


@dataclass(frozen=True, eq=False)
class Oracle:
    """A reference in NumPy for a kernel: it gets a case's inputs, and gives what the kernel's outputs must hold."""

    function: Callable

    def __call__(self, *inputs, **named):
        return self.function(*inputs, **named)
