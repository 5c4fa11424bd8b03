"""The source of a definition's answer, as a student would have written it under the exercise's own name."""

import inspect
import re
import textwrap
from collections.abc import Callable

from manyheads.exercises.kernel import KernelSource


def source_as(function: Callable, name: str) -> str:
    """The text of `function`, which must stand on its own (NumPy as ``np``), renamed to `name`.

    Examples
    --------
    >>> from manyheads.exercises.sizes import normal
    >>> source_as(normal, "draw_normal").splitlines()[0]
    'def draw_normal(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> np.ndarray:'
    """
    if isinstance(function, KernelSource):
        return _kernel(function.text, name)
    text = textwrap.dedent(inspect.getsource(function))
    return re.sub(rf"\b{re.escape(function.__name__)}\b", name, text).rstrip("\n")


def _kernel(text: str, name: str) -> str:
    """A Triton kernel is a function already; CUDA C++ is what a function returns."""
    if text.startswith("@triton.jit"):
        return text.rstrip("\n")
    return f'def {name}():\n    return r"""\n{text}"""'
