"""What was compiled once, on disk: only what came out of it, by a hash of all that went in."""

import hashlib
import json
import os
import tempfile
from pathlib import Path


def folder() -> Path:
    """``$MANYHEADS_CACHE``, or manyheads in the user's cache directory (https://specifications.freedesktop.org)."""
    own = os.environ.get("MANYHEADS_CACHE")
    if own:
        return Path(own)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "manyheads"


def key(job: dict) -> str:
    """A name for everything that decides the outcome.

    Examples
    --------
    >>> key({"arch": "sm_80"}) == key({"arch": "sm_90"})
    False
    """
    return hashlib.sha256(json.dumps(job, sort_keys=True).encode()).hexdigest()


def read(key: str) -> dict | None:
    """The outcome kept under this name, or None; one that cannot be read is as good as none."""
    try:
        return json.loads((folder() / "compiled" / f"{key}.json").read_text())
    except (OSError, ValueError):
        return None


def write(key: str, outcome: dict) -> None:
    """Keep an outcome: written aside, then renamed, so that nobody reads half of it. A full disk costs only time."""
    try:
        place = folder() / "compiled"
        place.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=place, suffix=".part")
        with os.fdopen(handle, "w") as file:
            json.dump(outcome, file)
        os.replace(aside, place / f"{key}.json")
    except OSError:
        pass
