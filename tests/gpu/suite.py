"""Every test that is marked `gpu`, with pytest as it comes: none of the course's other tools need be installed."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_SETTINGS = "tests/gpu/pytest.ini"
_MARK = re.compile(r"\bmark\.gpu\b")


def files(root: Path) -> list[str]:
    """The files that hold such tests. Others are not even read: they may import what is missing here."""
    found = (path for path in sorted((root / "tests").rglob("test_*.py")) if "tests/gpu/" not in path.as_posix())
    return [path.relative_to(root).as_posix() for path in found if _MARK.search(path.read_text(encoding="utf-8"))]


def command(root: Path) -> list[str]:
    """How pytest is called: with settings of its own, and without the conftest of all tests, which wants hypothesis."""
    return [sys.executable, "-m", "pytest", "-c", _SETTINGS, "--rootdir", ".", "--confcutdir", "tests/kernels",
            "-p", "no:cacheprovider", "-q", "-m", "gpu", *files(root)]  # fmt: skip


def run(root: Path, seconds: float, say=print) -> bool:
    """Whether all passed; stopped after `seconds`."""
    if not files(root):
        say("No test is marked gpu.")
        return False
    if find_spec("pytest") is None:
        say(f"The tests were not run: {sys.executable} has no pytest; install it with: pip install pytest")
        return False
    paths = os.pathsep.join(filter(None, [str(root / "lib"), os.environ.get("PYTHONPATH")]))
    # PyTorch would otherwise be free to round float32 products to TF32.
    env = {**os.environ, "TRITON_INTERPRET": "0", "NVIDIA_TF32_OVERRIDE": "0", "PYTHONPATH": paths}
    try:
        return subprocess.run(command(root), cwd=root, env=env, timeout=seconds).returncode == 0
    except subprocess.TimeoutExpired:
        say(f"The tests were stopped after {seconds:.0f} s.")
        return False
