"""The kit: what is in it, what may not be, and that a student with Python and NumPy alone can work with it."""

import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from manyheads import __version__
from manyheads.authoring import files, kit, offline_check, release, sample_class

from ..helpers import ROOT, copy_of_course, manyheads

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01-projections"
NOTEBOOKS = sorted((ROOT / "exercises").glob("*/*.ipynb"))
WHEEL = f"manyheads-{__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def packed(course):
    """The kit of all assignments, packed by the command; nothing in the source tree is touched."""
    before = _beside(course)
    done = manyheads("release", "--kit", course=course)
    assert done.returncode == 0, done.stderr
    path = course.var / "kit" / f"many-heads-{__version__}.zip"
    assert str(path) in done.stdout and f"{len(NOTEBOOKS)} notebooks)" in done.stdout
    assert before == _beside(course)
    return path


def _beside(course):
    """What lies in the source tree; var/ is for what is made, by this test and by those that run beside it."""
    return sorted(course.root.glob("lib/*")), sorted(set(course.root.glob("*")) - {course.var})


@pytest.fixture(scope="module")
def unpacked(packed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("downloads")
    zipfile.ZipFile(packed).extractall(folder)
    return folder / "many-heads"


def test_it_holds_the_wheel_the_notebooks_a_readme_and_the_licences(course, unpacked):
    got = files.tree(unpacked)
    wanted = {
        f"exercises/{a}/{n}": d for a in course.assignments() for n, d in release.build_release(course, a).items()
    }
    assert set(got) == {"README.md", "LICENSE", "LICENSE-TEXT", WHEEL, *wanted}
    assert all(got[name] == data for name, data in wanted.items())


def test_the_wheel_holds_the_whole_library_and_nothing_else(course, unpacked):
    names = set(zipfile.ZipFile(unpacked / WHEEL).namelist())
    library = files.tree(course.root / "lib" / "manyheads")
    no_part = ("__pycache__/", ".ruff_cache/", "in_pyodide.mjs", "ruff.toml")  # tools of the course folder
    own = {f"manyheads/{name}" for name in library if not any(part in name for part in no_part)}
    assert {name for name in names if not name.startswith(f"manyheads-{__version__}.dist-info/")} == own


def test_the_readme_names_every_notebook_its_time_and_what_it_needs(course, unpacked):
    text = (unpacked / "README.md").read_text(encoding="utf-8")
    assert "@" not in text and text.count(f"pip install {WHEEL} jupyterlab") == 2
    rows = re.findall(r"^\| `(exercises/\S+\.ipynb)` \| (.+) \| (\d+) \| (.+) \|$", text, re.M)
    names = [Path(row[0]).relative_to("exercises") for row in rows]
    assert sorted(names) == [path.relative_to(ROOT / "exercises") for path in NOTEBOOKS]
    assert list(dict.fromkeys(path.parent.name for path in names)) == course.assignments()
    assert [path.stem for path in names if path.parent.name == "08-kernels"] == ["indices", "cuda", "triton"]
    assert all((unpacked / path).exists() for path, *_ in rows)
    assert ("exercises/01-projections/projections.ipynb", "Projections: one matrix a head, or one for all", "70",
            "nothing") in rows  # fmt: skip


def test_the_same_content_gives_the_same_bytes(course, tmp_path):
    copied = copy_of_course(tmp_path)
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(course.root / name, tmp_path)
    shutil.copytree(course.root / "lib" / "manyheads", tmp_path / "lib" / "manyheads")
    first = kit.build(copied, [ASSIGNMENT]).read_bytes()
    mask = os.umask(0o077)
    try:
        assert kit.build(copied, [ASSIGNMENT]).read_bytes() == first
    finally:
        os.umask(mask)
    assert [n for n in zipfile.ZipFile(io.BytesIO(first)).namelist() if n.endswith(".ipynb")] == [
        "many-heads/exercises/01-projections/projections.ipynb"
    ]


# From here on as a student: a Python of its own with NumPy and a kernel, and the unpacked folder.


@pytest.fixture(scope="module")
def student(unpacked, course, tmp_path_factory):
    """A clean environment; returns its Python, and a folder of kernels in which `python3` is this Python."""
    folder = tmp_path_factory.mktemp("student")
    venv.create(folder / "venv", with_pip=True, symlinks=os.name != "nt")
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = ["-c", str(course.root / "constraints.txt")]
    command = [python, "-m", "pip", "install", "--quiet", "--no-compile", *pins, "numpy", "ipykernel"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("needs: NumPy and ipykernel from where pip gets its packages, for a student's environment")
    spec = {"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python",
            "display_name": "Student", "env": {"PYTHONPATH": "", "IPYTHONDIR": str(folder)}}  # fmt: skip
    files.write(folder / "jupyter" / "kernels" / "python3" / "kernel.json", json.dumps(spec).encode())
    return python, folder / "jupyter"


def installed(python):
    done = subprocess.run([python, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True)
    return {package["name"].lower() for package in json.loads(done.stdout)}


def run(notebooks, folder):
    """Run notebooks one after the other in one kernel called python3, headless; errors do not stop it."""
    from nbclient import NotebookClient

    cells = [[cell for cell in notebook.cells if cell.cell_type == "code"] for notebook in notebooks]
    names = [[cell.id for cell in own] for own in cells]  # of two cells with one id, the second gets another now
    whole = nbformat.v4.new_notebook(cells=list(itertools.chain(*cells)))
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(whole, resources=resources, kernel_name="python3", allow_errors=True, timeout=60).execute()
    outputs = iter(cell.outputs for cell in whole.cells)
    return [{name: next(outputs) for name in own} for own in names]


def lacks(notebook, cell):
    """Whether a student who has NumPy and a C++ compiler lacks what this check needs: no Triton, NVRTC or nvcc."""
    of_triton = notebook == "triton" and cell.startswith("check-")
    return of_triton or (notebook == "cuda" and cell.endswith("-for-a-GPU") and not shutil.which("nvcc"))


def test_every_notebook_runs_with_numpy_and_the_wheel_alone(course, unpacked, student, monkeypatch):
    python, jupyter = student
    monkeypatch.setenv("JUPYTER_PATH", str(jupyter))
    assert "numpy" in installed(python) and "manyheads" not in installed(python)
    for number, released in enumerate(NOTEBOOKS):
        path = unpacked / released.relative_to(ROOT)
        about = path.stem
        starter = nbformat.read(path, as_version=4)
        source = release.build_source(course, path.parent.name)[path.name]
        solved = sample_class.solved(nbformat.reads(source.decode(), as_version=4), starter)

        outputs, right = run([starter, solved], path.parent)
        library = outputs.pop("library")
        assert [o.text for o in library if o.output_type != "stream"] == []
        assert ("".join(o.text for o in library).startswith("Installing ../../manyheads-")) == (number == 0)
        assert all(o.name == "stdout" for o in library)
        for name, said in outputs.items():
            errors = [output for output in said if output.output_type == "error"]
            if name.startswith("check-"):
                assert [error.ename for error in errors] == ["CheckFailed"], (about, name, said)
                wanted = "cannot be checked on this machine" if lacks(about, name) else "not written yet"
                assert wanted in errors[0].evalue
            else:  # an experiment that is not graded may call an answer
                allowed = set() if name == "setup" else {"NotImplementedError"}
                assert {error.ename for error in errors} <= allowed, (about, name)

        for name, said in right.items():
            told = json.dumps(said)
            assert not [o for o in said if o.get("name") == "stderr"], (about, name)
            if lacks(about, name):
                assert "cannot be checked on this machine" in told and "pip install" in told, told
                continue
            assert not [o for o in said if o.output_type == "error"], (about, name)
            if name.startswith("check-"):
                assert "right" in told and "not right" not in told
    assert installed(python) & {"torch", "nbgrader", "nbformat", "jupytext", "rich", "matplotlib"} == set()
    assert "manyheads" in installed(python)


@pytest.fixture
def jupyterlab(unpacked, student, tmp_path):
    """JupyterLab on the unpacked kit, its `python3` being the student's; its address and token."""
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {f"JUPYTERLAB_{name}_DIR": str(tmp_path / name) for name in ("SETTINGS", "WORKSPACES")}
    environment = {**os.environ, **own, "JUPYTER_PATH": str(student[1])}
    # Every cell stays in the page, also those out of sight; and nobody is asked about news.
    for name, said in (("notebook-extension/tracker", {"windowingMode": "none"}),
                       ("apputils-extension/notification", {"fetchNews": "false"})):  # fmt: skip
        path = tmp_path / "SETTINGS" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        files.write(path, json.dumps(said).encode())
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", f"--ServerApp.root_dir={unpacked}",
               "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    log = tmp_path / "jupyterlab.log"
    with log.open("w") as written:
        server = subprocess.Popen(command, env=environment, stdout=written, stderr=written)
    try:
        until = time.monotonic() + 60
        while not (found := re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", log.read_text())):
            assert server.poll() is None and time.monotonic() < until, log.read_text()[-2000:]
            time.sleep(0.1)
        yield found.groups()
    finally:
        server.terminate()  # its kernels end with it
        server.wait(timeout=30)


def seen(page, text):
    """Waits until an output says this, scrolls there (JupyterLab does not paint what is out of sight), and sees it."""
    report = page.locator(".jp-OutputArea", has_text=text).first
    report.wait_for(state="attached")
    report.evaluate("element => element.scrollIntoView({block: 'center'})")
    report.wait_for(state="visible")


def run_all_until(page, text):
    """Runs all cells until an output says this, as a student would: JupyterLab may ask for the kernel first.

    On a slow machine it may also take another kernel meanwhile, and forget what it was to run.
    """
    report = page.locator(".jp-OutputArea", has_text=text).first
    question = page.locator("dialog .jp-mod-accept", has_text="Select")
    for _ in range(4):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        until = time.monotonic() + 25
        while time.monotonic() < until and not report.count():
            if question.count():
                question.click()
            page.wait_for_timeout(200)
        if report.count():
            break
    seen(page, text)


@pytest.mark.browser
def test_in_jupyterlab_a_student_sees_the_report_writes_an_answer_and_sees_that_it_is_right(jupyterlab, tmp_path):
    from playwright.sync_api import sync_playwright

    answer = "def pack_heads(w):\n    return np.concatenate(list(w), axis=1)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=offline_check.browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(60_000)
        address, token = jupyterlab
        # Its kernel first: while a page loads, JupyterLab may start a kernel and then take another.
        path = f"exercises/{ASSIGNMENT}/projections.ipynb"
        session = {"path": path, "name": "projections", "type": "notebook", "kernel": {"name": "python3"}}
        authorized = {"Authorization": f"token {token}"}
        assert page.request.post(f"{address}/api/sessions", data=session, headers=authorized).ok
        page.goto(f"{address}/lab/tree/{path}?token={token}")
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
        run_all_until(page, "per-head-projections, values: not written yet, 0 of 2 points")
        page.screenshot(path=tmp_path / "not-written.png")
        assert page.locator(".jp-OutputArea", has_text="ModuleNotFoundError").count() == 0

        code = page.locator(".jp-CodeCell", has_text="def pack_heads(w):").locator(".cm-content")
        code.click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(answer)
        page.keyboard.press("Shift+Enter")  # runs it, and selects the check below
        page.keyboard.press("Shift+Enter")
        seen(page, "pack-heads, values: right, 2 of 2 points")
        page.screenshot(path=tmp_path / "right.png")
        browser.close()
