"""Writing files so that nothing is ever half-written."""

import os
import shutil
import tempfile
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path from there. Checkpoints of open notebooks do not count."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def replace_tree(folder: Path, files: dict[str, bytes]) -> None:
    """Make a folder hold these files and no others."""
    for name in set(tree(folder)) - set(files) if folder.exists() else ():
        (folder / name).unlink()
    for name, data in files.items():
        if not (folder / name).exists() or (folder / name).read_bytes() != data:
            write(folder / name, data)
    for empty in sorted((p for p in folder.rglob("*") if p.is_dir() and not any(p.iterdir())), reverse=True):
        shutil.rmtree(empty)
