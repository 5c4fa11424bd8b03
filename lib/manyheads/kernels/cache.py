"""Where kernels that were built once are kept, for all ways of building."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path


def folder() -> Path:
    """``$MANYHEADS_CACHE``, or manyheads in the user's cache directory (https://specifications.freedesktop.org)."""
    given = os.environ.get("MANYHEADS_CACHE")
    if given:
        return Path(given).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "manyheads"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manyheads"


def keep(path: Path, data: bytes) -> None:
    """Written aside, then renamed: nobody reads half of it. A cache that cannot be written costs time only."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(aside, path)
