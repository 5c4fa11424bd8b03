"""Building the book: MathJax from npm into the assets, then Jupyter Book."""

import os
import shutil
import subprocess
import sys
import tempfile
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
    target = course.root / "book" / "assets" / "vendor" / "mathjax" / "tex-svg.js"
    lock = course.root / "book" / "vendor" / "package-lock.json"
    if target.exists() and target.stat().st_mtime >= lock.stat().st_mtime:
        return
    source = npm.package(course, "mathjax")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / "es5" / "tex-svg.js", target)
    shutil.copyfile(source / "LICENSE", target.parent / "LICENSE")
