"""The library as a wheel, built by pip from a copy: setuptools leaves files in the folder in which it works."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from manyheads.authoring.course import CourseError

LICENCES = ("LICENSE", "LICENSE-TEXT")

#: 2026-01-01 for every file: the same library gives the same bytes.
_EPOCH = "1767225600"

#: In the place of the course's README, which is for those who have the course.
_README = """\
# manyheads

The library of *Many Heads*, a course on multi-head attention: its notebooks import it, and it checks the answers in
them. It needs NumPy, and torch for what is called so. The course itself has the book, the notebooks with their
solutions, and what instructors need.
"""


def build_wheel(root: Path) -> tuple[str, bytes]:
    """(file name, content) of the wheel of the library in lib/.

    Raises
    ------
    CourseError
        With pip's last lines, if it could not be built.
    """
    with tempfile.TemporaryDirectory() as scratch:
        copy, out = Path(scratch, "course"), Path(scratch, "out")
        shutil.copytree(root / "lib" / "manyheads", copy / "lib" / "manyheads", ignore=_left_out)
        for name in ("pyproject.toml", *LICENCES):
            shutil.copy(root / name, copy)
        (copy / "README.md").write_text(_README, "utf-8")
        for path in copy.rglob("*"):  # a wheel keeps permissions, and these differ between machines
            path.chmod(0o755 if path.is_dir() else 0o644)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(copy)]
        if importlib.util.find_spec("setuptools"):
            command.insert(4, "--no-build-isolation")  # needs no network
        environment = {**os.environ, "SOURCE_DATE_EPOCH": _EPOCH}
        done = subprocess.run(
            command, cwd=scratch, env=environment, capture_output=True, text=True, errors="replace", umask=0o022
        )
        built = sorted(out.glob("manyheads-*.whl"))
        if done.returncode or len(built) != 1:
            said = "\n".join(done.stderr.strip().splitlines()[-5:])
            raise CourseError(f"pip could not build the wheel of the library:\n{said}")
        return built[0].name, built[0].read_bytes()


def _left_out(_, names: list[str]) -> set[str]:
    return {name for name in names if name == "__pycache__" or name.startswith(".")}
