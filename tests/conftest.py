"""What all tests share: the course folder, and an honest list of what could not be run."""

import os
from pathlib import Path

# Before anything imports triton: without a GPU its kernels run interpreted. `make gpu` sets it to 0.
os.environ.setdefault("TRITON_INTERPRET", "1")

import hypothesis
import pytest
from manyheads.authoring.course import Course

# For the planting of defects, where the first failing example is enough.
hypothesis.settings.register_profile("no-shrink", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])

ROOT = Path(__file__).resolve().parents[1]
_MISSING = "needs: "


#: The tests of each of these share something that takes a minute to make: they stay on one worker.
_TOGETHER = (
    "tests/authoring/test_kit.py",
    "tests/authoring/test_stock_nbgrader.py",
    "tests/book/test_browser.py",
    "tests/book/test_widget_in_the_page.py",
    "tests/grading/test_faulty_class.py",
    "tests/grading/test_mended_exercise.py",
    "tests/grading/test_sample_class.py",
)


@pytest.hookimpl(optionalhook=True)  # xdist may be off
def pytest_xdist_make_scheduler(config, log):
    """Group by file where it matters; pytest 9.2 no longer lets xdist 3.8 see its own xdist_group marks."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            return file if file in _TOGETHER else nodeid

    return Scheduling(config, log)


def pytest_collection_modifyitems(config, items):
    """Without a GPU its tests are no part of the run; their number is told at the end."""
    if os.environ["TRITON_INTERPRET"] != "0":
        config.gpu_tests = sum(item.get_closest_marker("gpu") is not None for item in items)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]


def pytest_runtest_setup(item):
    """A test whose means are missing is skipped with what would let it run, and shows up in the list at the end."""
    if item.get_closest_marker("browser"):
        from manyheads.authoring.offline_check import browser

        if browser() is None:
            pytest.skip(_MISSING + "Chromium (Debian: apt-get install chromium)")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """By name, every test that did not run, and what would let it."""
    skipped = terminalreporter.stats.get("skipped", [])
    for_a_gpu = _for_a_gpu(terminalreporter.config)
    if for_a_gpu:
        terminalreporter.write_line(f"{for_a_gpu} tests need a GPU and were not run: make gpu, where there is one")
    if not skipped:
        terminalreporter.write_line("Every test was run.")
        return
    terminalreporter.section(f"{len(skipped)} tests could not be run here")
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Every worker has collected all tests; the last one's number will do."""
    node.config.gpu_tests = getattr(node, "workeroutput", {}).get("gpu_tests", 0)


def _for_a_gpu(config) -> int:
    return getattr(config, "gpu_tests", 0)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """In CI, a test that should run and did not is a failure."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["gpu_tests"] = _for_a_gpu(session.config)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") == "true" and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def course() -> Course:
    """This repository."""
    return Course(ROOT)


@pytest.fixture(scope="session")
def site() -> Path:
    """The built book's pages."""
    pages = ROOT / "_build" / "html" / "book"
    assert (pages / "index.html").exists(), "the book is not built: run `make book`, or `make test`, which does it"
    return pages
