"""Where a section of the book is, seen from a notebook."""

import os
from pathlib import Path

#: The address of a built book, without the page: "https://example.org/many-heads".
BOOK_URL = "MANYHEADS_BOOK_URL"

_BUILT = Path("_build", "html")


def place(chapter: str, section: str) -> str:
    """A section in words, for where a link cannot be followed: ``chapter 01, "The fused view"``."""
    words = section.replace("-", " ")
    return f'chapter {chapter.split("-")[0]}, "{words[:1].upper()}{words[1:]}"'


def link(chapter: str, section: str) -> str | None:
    """The address of a section, or None where no book is known.

    The setting decides; without it, a book built in the course folder that holds the notebook is used.
    """
    page = f"book/{chapter}.html#{section}"
    base = os.environ.get(BOOK_URL)
    if base:
        return f"{base.rstrip('/')}/{page}"
    here = Path.cwd()
    for levels_up, folder in enumerate([here, *here.parents][:4]):
        if (folder / _BUILT / "book" / f"{chapter}.html").is_file():
            return "/".join([*[".."] * levels_up, *_BUILT.parts, page])
    return None
