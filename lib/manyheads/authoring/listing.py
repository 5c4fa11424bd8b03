"""The library's own code as the book's listing: never a copy, and without the docstring."""

import ast
import inspect
import textwrap
from collections.abc import Callable

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer, PythonLexer


class Listing:
    """Source code that notebooks and the book show highlighted."""

    def __init__(self, text: str, place: str, language: str = "python"):
        self.text, self.place, self.language = text, place, language

    def _repr_html_(self) -> str:
        lexer = CudaLexer() if self.language == "cuda" else PythonLexer()
        code = highlight(self.text, lexer, HtmlFormatter(cssclass="highlight"))
        return f'<div class="mh-listing"><div class="mh-place">{self.place}</div>{code}</div>'

    def __repr__(self) -> str:
        return f"{'//' if self.language == 'cuda' else '#'} {self.place}\n{self.text}"


def listing(function: Callable) -> Listing:
    """The source of a function of the library, its docstring left out.

    Examples
    --------
    >>> from manyheads import reference
    >>> print(listing(reference.pack_heads).text.splitlines()[-1].strip())
    return w.swapaxes(0, 1).reshape(d_model, n_heads * head_dim)
    """
    function = getattr(function, "fn", function)  # a @triton.jit function keeps its own
    source = textwrap.dedent(inspect.getsource(function))
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines = source.splitlines()
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return Listing("\n".join(lines), f"{function.__module__}.{function.__name__}")


def cuda_listing(text: str, place: str, first: str = "", last: str = "") -> Listing:
    """CUDA C++ of the library, or a part of it: from the line with `first` to the next one with `last`.

    Examples
    --------
    >>> print(cuda_listing("int a;\\nint b;\\nint c;", "a.cu", first="int b", last="int c"))
    // a.cu
    int b;
    int c;
    """
    lines = text.rstrip("\n").split("\n")
    start = next(i for i, line in enumerate(lines) if first in line)
    end = next(i for i, line in enumerate(lines[start:], start) if last in line) if last else len(lines) - 1
    return Listing("\n".join(lines[start : end + 1]), place, "cuda")
