"""Building the book: what its pages need of others into the assets, then Jupyter Book."""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from manyheads.authoring import npm
from manyheads.authoring.course import Course, CourseError
from manyheads.grading import book_links, records


def build(course: Course, quiet: bool = False) -> Path:
    """Build the book into _build/html; the path of its first page.

    Raises
    ------
    CourseError
        If a page has a warning, a link without a target, or a cell that fails.
    """
    fetch_mathjax(course)
    fetch_widget_scripts(course)
    stamp, library = course.root / "_build" / ".library", records.library_version()
    fresh = stamp.exists() and stamp.read_text() == library
    stamp.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
        str(course.root),
        "-n",
        "-W",
        "--keep-going",
    ]
    if not fresh:
        command.append("--all")  # Sphinx notices other pages, not another library
    with tempfile.TemporaryDirectory() as ipython:
        # An IPython folder of our own: nobody's start-up files run in the chapters, and no kernel warns about TCP.
        profile = Path(ipython, "profile_default")
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
        environment = {
            **os.environ,
            "IPYTHONDIR": ipython,
            "PYTHONUTF8": "1",
            book_links.BOOK_URL: "..",  # from page to page, wherever the book stands
        }
        done = subprocess.run(command, cwd=course.root, env=environment, capture_output=quiet, text=True)
    if done.returncode:
        log = f"\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}" if quiet else ""
        raise CourseError(f"the book did not build without a warning; Jupyter Book says which above{log}")
    stamp.write_text(library)
    return course.book


def fetch_mathjax(course: Course) -> None:
    """Put MathJax into book/assets/vendor, from npm, in the version and with the checksum of the lock file."""
    target = _vendor(course) / "mathjax"
    if _is_fresh(course, target / "tex-svg.js"):
        return
    source = npm.package(course, "mathjax")
    _copy({source / "es5" / "tex-svg.js": "tex-svg.js", source / "LICENSE": "LICENSE"}, target)


def fetch_widget_scripts(course: Course) -> None:
    """Put what shows a widget without a kernel into book/assets/vendor: from npm, and from the installed anywidget."""
    target = _vendor(course) / "widgets"
    anywidget = metadata.distribution("anywidget")
    script = Path(str(anywidget.locate_file("anywidget/nbextension/index.js")))
    # Another anywidget may be installed at any time; its script is small.
    _copy({script: "anywidget.js", _licence("anywidget"): "anywidget.LICENSE"}, target)
    if _is_fresh(course, target / "embed-amd.js"):
        return
    html_manager = npm.package(course, "@jupyter-widgets/html-manager") / "dist"
    files = {
        npm.package(course, "requirejs") / "require.js": "require.js",  # its licence stands in it
        _licence("ipywidgets"): "embed-amd.LICENSE",  # of the same project; npm's package has none
        html_manager / "embed.js.LICENSE.txt": "embed-amd.others.LICENSE",
        html_manager / "embed-amd.js": "embed-amd.js",
    }
    _copy(files, target)


def _vendor(course: Course) -> Path:
    return course.root / "book" / "assets" / "vendor"


def _is_fresh(course: Course, copied: Path) -> bool:
    lock = course.root / "book" / "vendor" / "package-lock.json"
    return copied.exists() and copied.stat().st_mtime >= lock.stat().st_mtime


def _licence(package: str) -> Path:
    files = metadata.distribution(package).files or []
    return next(Path(str(file.locate())) for file in files if file.name == "LICENSE")


def _copy(files: dict[Path, str], target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for source, name in files.items():
        shutil.copyfile(source, target / name)
