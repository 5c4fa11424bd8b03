"""A book of two pages, one of them with a widget, built as the course's own is."""

import functools
import http.server
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from manyheads.authoring import book
from manyheads.authoring.course import Course

from ..widgets.example import TOKENS, maps

_WITH = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
---
# Maps

A formula beside the widget: $a_{ij}$.

```{code-cell} ipython3
:tags: [remove-input]
import numpy as np
from manyheads.widgets import AttentionMaps

maps = dict(np.load("maps.npz"))
AttentionMaps(maps, TOKENS)
```
"""


def build(course: Course, folder: Path) -> Path:
    """The folder with the built pages index.html and plain.html."""
    book.fetch_mathjax(course)
    book.fetch_widget_scripts(course)
    shutil.copytree(course.root / "book" / "assets", folder / "book" / "assets")
    (folder / "book" / "vendor").mkdir()
    # Older than what was fetched: nothing is fetched again.
    shutil.copy2(course.root / "book" / "vendor" / "package-lock.json", folder / "book" / "vendor")
    shutil.copy(course.root / "_config.yml", folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/index\nchapters:\n  - file: book/plain\n")
    (folder / "book" / "plain.md").write_text("# Plain\n\nNo widget here.\n")
    (folder / "book" / "index.md").write_text(_WITH.replace("TOKENS", repr(TOKENS)), encoding="utf-8")
    np.savez(folder / "book" / "maps.npz", **maps())
    book.build(Course(folder), quiet=True)
    return folder / "_build" / "html" / "book"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Nothing."""


@contextmanager
def served(folder: Path):
    """The address at which a folder is served meanwhile."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
