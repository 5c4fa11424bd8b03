"""The first code cell: silent where the library is installed, and clear about what it does where it is not."""

import os
import subprocess
import sys

import pytest
from manyheads import __version__
from manyheads.authoring import first_cell, release
from manyheads.authoring.course import CourseError
from manyheads.authoring.source import source_notebook

from ..helpers import copy_of_course

ASSIGNMENT = "01-projections"


def run(folder, wheel="", bare=False, **environment):
    """The cell as a script in a folder; bare: in a Python that finds nothing but itself, so no library."""
    options = ["-S", "-E"] if bare else []
    command = [sys.executable, *options, "-c", first_cell.cell(wheel).source]
    return subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)


def test_it_is_short_ascii_and_locked():
    cell = first_cell.cell()
    assert cell.source.isascii() and len(cell.source.splitlines()) <= 36
    assert max(map(len, cell.source.splitlines())) <= 120
    assert cell.metadata.nbgrader == {
        "grade": False, "grade_id": "library", "locked": True, "schema_version": 3, "solution": False, "task": False,
    }  # fmt: skip
    assert cell.metadata.jupyter == {"source_hidden": True}


def test_every_notebook_has_it_behind_its_title(course):
    for path in sorted((course.solutions / ASSIGNMENT).glob("*.py")):
        cells = source_notebook(path).cells
        assert [cell.id for cell in cells[:4]] == ["cell-000", "library", "setup", "cell-002"]
        assert cells[0].source.startswith("# 01")


def test_an_authored_cell_cannot_take_its_name(tmp_path):
    path = tmp_path / "text.py"
    path.write_text('# %% [markdown]\n# # Title\n\n# %% nbgrader={"locked": true, "grade_id": "library"}\nimport os\n')
    with pytest.raises(CourseError, match="two cells would be called library"):
        source_notebook(path)


def test_where_the_library_is_installed_nothing_happens(tmp_path):
    # A wheel that could not be installed shows that none is.
    done = run(tmp_path, wheel="nothing.whl", MANYHEADS_WHEEL="nothing.whl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_older_library_gets_one_line_of_advice(tmp_path, monkeypatch):
    (tmp_path / "manyheads.py").write_text('__version__ = "0.0.9"\n')
    done = run(tmp_path)
    assert done.stdout == f"You have manyheads 0.0.9; this notebook is for {__version__}. Install the newer one.\n"
    assert (done.returncode, done.stderr) == (0, "")
    monkeypatch.setattr(first_cell, "__version__", "0.0.10.dev1")
    assert "[0, 0, 10]" in first_cell.cell().source  # as numbers: 10 is more than 9
    assert run(tmp_path).stdout.startswith("You have manyheads 0.0.9; this notebook is for 0.0.10.dev1.")


@pytest.mark.parametrize("version", ["9.0", "0.10.0", f"{__version__}.post1"])
def test_a_newer_library_is_fine(tmp_path, version):
    (tmp_path / "manyheads.py").write_text(f"__version__ = {version!r}\n")
    assert run(tmp_path).stdout == ""


def test_without_library_and_wheel_it_says_what_to_do(tmp_path):
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    done = run(folder, bare=True)
    last = done.stderr.strip().splitlines()[-1]
    file = f"manyheads-{__version__}-py3-none-any.whl"
    assert last.startswith(f"FileNotFoundError: The course's library is missing. Put the file {file}, under this very")
    assert "During handling" not in done.stderr


@pytest.mark.parametrize("place", [".", "..", "../.."])
def test_a_wheel_in_the_kits_places_is_found(tmp_path, place):
    """An empty file: pip refuses it, and says which one it was given. Nothing gets installed by this test."""
    folder = tmp_path / "exercises" / ASSIGNMENT
    folder.mkdir(parents=True)
    (folder / place / "manyheads-0.1.0-py3-none-any.whl").touch()
    done = run(folder, bare=True)
    assert done.stdout.split() == ["Installing", os.path.normpath(f"{place}/manyheads-0.1.0-py3-none-any.whl")]
    assert "RuntimeError: pip could not install the library:\n" in done.stderr and "manyheads-0.1.0" in done.stderr


def test_the_environment_wins_over_the_setting_and_that_over_what_lies_near(tmp_path):
    for name in ("manyheads-0.1.0-py3-none-any.whl", "set.whl", "mine.whl"):
        (tmp_path / name).touch()
    assert run(tmp_path, bare=True).stdout.startswith("Installing manyheads-0.1.0")
    assert run(tmp_path, bare=True, wheel="./set.whl").stdout.startswith("Installing ./set.whl")
    done = run(tmp_path, bare=True, wheel="./set.whl", MANYHEADS_WHEEL="./mine.whl")
    assert done.stdout.startswith("Installing ./mine.whl")


@pytest.mark.parametrize(
    "said", ["nonsense", "manyheads", "gone.whl", "here.zip", "http://example.org/a.whl", "https://x"]
)
def test_what_is_no_wheel_is_not_given_to_pip(tmp_path, said):
    """pip takes any word for the name of a package, and would install a stranger's."""
    (tmp_path / "here.zip").touch()
    done = run(tmp_path, bare=True, MANYHEADS_WHEEL=said)
    assert done.stdout == ""
    assert done.stderr.strip().endswith(f"FileNotFoundError: There is no wheel of the course's library at {said!r}.")


def test_a_second_download_under_another_name_is_not_taken(tmp_path):
    (tmp_path / "manyheads-0.1.0-py3-none-any (1).whl").touch()
    assert "under this very name" in run(tmp_path, bare=True).stderr


def test_the_setting_goes_into_the_released_notebook(tmp_path):
    copied = copy_of_course(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.manyheads]\nwheel = "https://example.org/manyheads-1-any.whl"\n')
    (notebook,) = release.build_source(copied, ASSIGNMENT).values()
    assert b'WHEEL = \\"https://example.org/manyheads-1-any.whl\\"  #' in notebook


def test_the_course_itself_has_the_setting_and_it_is_empty(course, tmp_path):
    assert 'wheel = ""' in (course.root / "pyproject.toml").read_text()
    assert first_cell.wheel_setting(course.root) == first_cell.wheel_setting(tmp_path) == ""


@pytest.mark.parametrize(
    "said", ['"http://example.org/a.whl"', '"https://example.org/"', '"wheel.zip"', "7", '"ü.whl"']
)
def test_a_setting_that_cannot_be_meant_is_refused(tmp_path, said):
    (tmp_path / "pyproject.toml").write_text(f"[tool.manyheads]\nwheel = {said}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"\[tool.manyheads\]: wheel is an https address or a path"):
        first_cell.wheel_setting(tmp_path)
