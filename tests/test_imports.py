"""What importing costs, and on which systems it works: tried in processes of their own."""

import subprocess
import sys

import pytest

#: Does the students' path, with modules blocked that a system or an installation lacks.
STUDENT = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
import numpy as np
from manyheads import AttentionConfig, costs, models, reference
from manyheads.exercises import NAMES, get
from manyheads.grading import CheckFailed, check
for name in NAMES:
    check(name, get(name).reference)
    try:
        check(name, lambda *inputs: None)
    except CheckFailed:
        pass
    else:
        raise SystemExit("a wrong answer passed " + name)
"""


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("module", ["manyheads", "manyheads.reference", "manyheads.exercises", "manyheads.grading",
                                    "manyheads.probes", "manyheads.studies"])  # fmt: skip
def test_importing_loads_numpy_and_the_standard_library_only(module):
    done = run(
        "import sys, numpy\nbefore = set(sys.modules)\n"
        f"import {module}\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        # what NumPy's compiled parts and sysconfig bring with them under names of their own
        "new = {n for n in new if not n.startswith(('_cython', 'cython_runtime', '_sysconfigdata'))}\n"
        "print(sorted(new - set(sys.stdlib_module_names) - {'numpy', 'manyheads'}))"
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_students_path_needs_no_unix_module():
    done = run(STUDENT.format(blocked=["fcntl", "resource", "pwd", "grp", "termios"]))
    assert done.returncode == 0, done.stderr


def test_the_students_path_needs_no_tool_of_the_course():
    tools = ["nbgrader", "nbformat", "jupytext", "rich", "jinja2", "matplotlib", "jaxtyping", "torch", "IPython"]
    done = run(STUDENT.format(blocked=tools))
    assert done.returncode == 0, done.stderr


def test_the_students_path_works_when_numpy_is_all_that_is_installed(tmp_path):
    """-S leaves site-packages out; NumPy and the library come back by name."""
    import manyheads
    import numpy

    links = tmp_path / "site"
    links.mkdir()
    for package in (numpy, manyheads):
        folder = package.__path__[0]
        (links / package.__name__).symlink_to(folder)
    libs = next(iter(__import__("pathlib").Path(numpy.__path__[0]).parent.glob("numpy.libs")), None)
    if libs is not None:
        (links / "numpy.libs").symlink_to(libs)
    code = f"import sys; sys.path.insert(0, {str(links)!r})\n" + STUDENT.format(blocked=[])
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
