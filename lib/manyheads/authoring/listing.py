"""The library's own code as the book's listing: never a copy, and without the docstring."""

import ast
import inspect
import textwrap
from collections.abc import Callable

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


class Listing:
    """Source code that notebooks and the book show highlighted."""

    def __init__(self, text: str, place: str):
        self.text, self.place = text, place

    def _repr_html_(self) -> str:
        code = highlight(self.text, PythonLexer(), HtmlFormatter(cssclass="highlight"))
        return f'<div class="mh-listing"><div class="mh-place">{self.place}</div>{code}</div>'

    def __repr__(self) -> str:
        return f"# {self.place}\n{self.text}"


def listing(function: Callable) -> Listing:
    """The source of a function of the library, its docstring left out.

    Examples
    --------
    >>> from manyheads import reference
    >>> print(listing(reference.pack_heads).text.splitlines()[-1].strip())
    return w.swapaxes(0, 1).reshape(d_model, n_heads * head_dim)
    """
    source = textwrap.dedent(inspect.getsource(function))
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines = source.splitlines()
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return Listing("\n".join(lines), f"{function.__module__}.{function.__name__}")
