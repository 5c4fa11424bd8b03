"""What was compiled once, on disk: only what came out of it, by a hash of all that went in."""

import hashlib
import json
from pathlib import Path

from manyheads.kernels import cache


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
        return json.loads(_place(key).read_text())
    except (OSError, ValueError):
        return None


def write(key: str, outcome: dict) -> None:
    """Keep an outcome."""
    cache.keep(_place(key), json.dumps(outcome).encode())


def _place(key: str) -> Path:
    return cache.folder() / "compiled" / f"{key}.json"
