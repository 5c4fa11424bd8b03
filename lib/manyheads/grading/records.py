"""What was graded, and with what: so that an unchanged hand-in is not run again, and its flags stay known."""

import hashlib
import json
from functools import cache
from pathlib import Path


@cache
def library_version() -> str:
    """Changes when any file of the library does."""
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def key(hand_in: bytes, released: dict[str, str], seed: str) -> str:
    """What a result depends on: the hand-in, the released notebooks, the course's seed, the library."""
    text = json.dumps([hashlib.sha256(hand_in).hexdigest(), released, seed, library_version()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write(home: Path, student: str, assignment: str, of: str, flags: list[str]) -> None:
    """Note a finished result."""
    path = _path(home, student, assignment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": of, "flags": flags}), encoding="utf-8")


def read(home: Path, student: str, assignment: str) -> tuple[str | None, list[str]]:
    """(key, flags) of the last finished result; (None, []) if there is none."""
    try:
        record = json.loads(_path(home, student, assignment).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None, []
    return record["key"], record["flags"]


def _path(home: Path, student: str, assignment: str) -> Path:
    return home / "records" / student / f"{assignment}.json"
