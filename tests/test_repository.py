"""The repository keeps its own rules."""

import os
import re
import subprocess
import tomllib

import pytest
from manyheads import __version__

from .helpers import ROOT

TRACKED = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
FILES = [ROOT / name for name in TRACKED.stdout.split("\n") if name and (ROOT / name).is_file()]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

TOP = {
    "README.md", "Makefile", "pyproject.toml", "constraints.txt", "_config.yml", "_toc.yml", "nbgrader_config.py",
    "book", "solutions", "exercises", "lib", "tests", "LICENSE", "LICENSE-TEXT", "CONTRIBUTING.md",
}  # fmt: skip


def test_there_are_files_to_look_at():
    assert len(FILES) > 60


def test_the_top_level_is_as_the_readme_says():
    assert {p.relative_to(ROOT).parts[0] for p in FILES if not p.relative_to(ROOT).parts[0].startswith(".")} == TOP


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix in (".py", ".jinja", ".css")], ids=lambda p: p.name)
def test_a_file_is_about_one_thing(path):
    # Notebooks are read from top to bottom, and have as many lines as their text needs.
    if "solutions" not in path.parts:
        assert len(path.read_text().splitlines()) <= 300


def test_no_registry_is_named():
    hosts = re.compile(
        r"pypi\.org|pythonhosted|npmjs|download\.pytorch|registry\.(npm|yarn)|deb\.debian|unpkg|jsdelivr|cdnjs"
    )
    for path in FILES:
        if path.suffix not in (".ipynb", ".svg") and path.name not in ("test_repository.py", "test_pages.py"):
            assert not hosts.search(path.read_text(errors="ignore")), path


def test_every_dependency_is_pinned():
    pinned = {
        re.split(r"[=\[]", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line and not line.startswith("#")
    }
    project = PYPROJECT["project"]
    wanted = [*project["dependencies"], *(d for extra in project["optional-dependencies"].values() for d in extra)]
    for requirement in wanted:
        name = re.split(r"[\[<>=;! ]", requirement)[0].lower().replace("_", "-")
        assert name == "manyheads" or name in pinned, requirement


def test_constraints_are_exact():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==\S+", line), line


def test_the_extras():
    assert {"torch", "kernels", "book", "grade", "dev"} <= set(PYPROJECT["project"]["optional-dependencies"])


def test_the_version_is_said_once():
    assert PYPROJECT["project"]["version"] == __version__


def test_contributing_is_one_screen():
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) <= 50


def test_every_make_target_has_its_line_of_help():
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.M)[1].split()
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    helped = subprocess.run(["make", "help"], cwd=ROOT, env=alone, capture_output=True, text=True).stdout
    assert [line.split()[1] for line in helped.splitlines()] == phony


def test_the_npm_lock_names_versions_and_checksums_only():
    lock = (ROOT / "book" / "vendor" / "package-lock.json").read_text()
    assert '"integrity"' in lock and '"resolved"' not in lock
