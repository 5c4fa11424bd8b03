"""The source of a definition's answer, as a student would have written it under the exercise's own name."""

import inspect
import re
import textwrap
from collections.abc import Callable

from manyheads.exercises.kernel import KernelSource


def source_as(function: Callable, name: str) -> str:
    """The text of `function`, renamed to `name`; before it the functions of its module that it calls. NumPy is ``np``.

    Examples
    --------
    >>> from manyheads.exercises.sizes import normal
    >>> source_as(normal, "draw_normal").splitlines()[0]
    'def draw_normal(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> np.ndarray:'
    """
    if isinstance(function, KernelSource):
        return _kernel(function.text, name)
    texts = [_text(helper) for helper in _helpers(function)]
    own = re.sub(rf"\b{re.escape(function.__name__)}\b", name, _text(function))
    return "\n\n\n".join([*texts, own])


def _text(function: Callable) -> str:
    return textwrap.dedent(inspect.getsource(function)).rstrip("\n")


def _helpers(function: Callable, found: tuple = ()) -> list[Callable]:
    """What a function calls of its own module, and what that calls: each once, before the one that needs it."""
    helpers: list[Callable] = []
    for name in _names(function.__code__):
        helper = function.__globals__.get(name)
        if not inspect.isfunction(helper) or helper.__module__ != function.__module__:
            continue
        if helper not in (function, *found, *helpers):
            helpers += [*_helpers(helper, (function, *found, *helpers)), helper]
    return helpers


def _names(code) -> list[str]:
    """The global names that a function may use, those of the functions inside it too."""
    inner = [name for part in code.co_consts if inspect.iscode(part) for name in _names(part)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _kernel(text: str, name: str) -> str:
    """A Triton kernel is a function already; CUDA C++ is what a function returns."""
    if text.startswith("@triton.jit"):
        return text.rstrip("\n")
    return f'def {name}():\n    return r"""\n{text}"""'
