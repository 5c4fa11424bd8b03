"""The first code cell of every notebook: it finds the course's library, and installs it where it is missing."""

import json
import tomllib
from pathlib import Path

import nbformat

from manyheads import __version__
from manyheads.authoring.course import CourseError

GRADE_ID = "library"

#: Runs in Jupyter, VS Code and Colab, and when nbgrader grades: there the library is installed, and nothing happens.
_CELL = """\
# Finds the course's library, and installs it where it is missing. There is nothing to write here.
import importlib
import os
import subprocess
import sys
from pathlib import Path

WHEEL = @WHEEL@  # where the library comes from; if empty: from beside this notebook, or up to two folders above

try:
    import manyheads
except ModuleNotFoundError:
    near = [str(file) for up in (".", "..", "../..") for file in sorted(Path(up).glob("manyheads-*-none-any.whl"))]
    wheel = os.environ.get("MANYHEADS_WHEEL") or WHEEL or "".join(near[-1:])
    if not wheel:
        raise FileNotFoundError(
            "The course's library is missing. Put the file manyheads-@VERSION@-py3-none-any.whl, under this very name, "
            "beside this notebook, and run this cell again."
        ) from None
    if not (wheel.startswith("https://") or Path(wheel).is_file()) or not wheel.endswith(".whl"):
        raise FileNotFoundError(f"There is no wheel of the course's library at {wheel!r}.") from None
    print("Installing", wheel)
    pip = [sys.executable, "-m", "pip", "--no-color", "install", "--quiet", wheel]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("pip could not install the library:\\n" + done.stderr) from None
    importlib.invalidate_caches()
    try:
        import manyheads
    except ModuleNotFoundError:
        raise ImportError("The library is installed now. Restart the kernel, and run this cell again.") from None

if [int(part) for part in manyheads.__version__.split(".") if part.isdigit()] < [@NUMBERS@]:
    print("You have manyheads", manyheads.__version__ + "; this notebook is for @VERSION@. Install the newer one.")"""


def cell(wheel: str = "") -> nbformat.NotebookNode:
    """The cell, locked and folded, with the address of the wheel (or none) and this library's version in it."""
    numbers = ", ".join(part for part in __version__.split(".") if part.isdigit())
    source = _CELL.replace("@WHEEL@", json.dumps(wheel))
    source = source.replace("@NUMBERS@", numbers).replace("@VERSION@", __version__)
    said = {"grade": False, "grade_id": GRADE_ID, "locked": True, "schema_version": 3, "solution": False, "task": False}
    # Nobody has to read it: JupyterLab and VS Code show it folded.
    metadata = {"jupyter": {"source_hidden": True}, "nbgrader": said}
    return nbformat.v4.new_code_cell(source, id=GRADE_ID, metadata=metadata)


def wheel_setting(root: Path) -> str:
    """What pyproject.toml says under [tool.manyheads]: ``wheel = "…"``; empty where it says nothing.

    Raises
    ------
    CourseError
        If it is neither an https address nor a path of a wheel.
    """
    path = root / "pyproject.toml"
    said = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    wheel = said.get("tool", {}).get("manyheads", {}).get("wheel", "")
    advice = f"{path}, [tool.manyheads]: wheel is an https address or a path that ends in .whl, got {wheel!r}"
    if not isinstance(wheel, str) or not wheel.isascii():
        raise CourseError(advice)
    if wheel and (not wheel.endswith(".whl") or ("://" in wheel and not wheel.startswith("https://"))):
        raise CourseError(advice)
    return wheel
