"""Where a section of the book is, seen from a notebook."""

import os
import re
from pathlib import Path

#: The address of a built book, without the page: "https://example.org/many-heads".
BOOK_URL = "MANYHEADS_BOOK_URL"

_BUILT = Path("_build", "html")


def place(chapter: str, section: str) -> str:
    """A section in words, for where a link cannot be followed: ``chapter 01, "The fused view"``."""
    return f'chapter {chapter.split("-")[0]}, "{section}"'


def anchor(section: str) -> str:
    """The id that Sphinx gives a heading.

    Examples
    --------
    >>> anchor("Reshape, then transpose")
    'reshape-then-transpose'
    """
    return re.sub(r"[^a-z0-9]+", "-", section.lower()).strip("-")


def link(chapter: str, section: str) -> str | None:
    """The address of a section, or None where no book is known.

    The setting decides; without it, a book built in the course folder that holds the notebook is used.
    """
    page = f"book/{chapter}.html#{anchor(section)}"
    base = os.environ.get(BOOK_URL)
    if base:
        return f"{base.rstrip('/')}/{page}"
    here = Path.cwd()
    for levels_up, folder in enumerate([here, *here.parents][:4]):
        if (folder / _BUILT / "book" / f"{chapter}.html").is_file():
            return "/".join([*[".."] * levels_up, *_BUILT.parts, page])
    return None
