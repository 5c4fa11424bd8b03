"""What works on this machine, what is missing, what it is for, and the command that mends it.

NumPy is all that this needs, and it imports nothing heavy: torch and the browser are asked in processes of their own.
"""

from dataclasses import asdict, dataclass
from typing import Any

from manyheads.authoring import doctor_checks as checks
from manyheads.authoring.doctor_system import System, this_system

STUDENTS, GPU, COURSE = "the notebooks", "a GPU", "making the course"


@dataclass(frozen=True)
class Finding:
    """One line of the table.

    `found` says what is there, or what exactly is missing; `remedy` is one command, or where else to go; empty if
    nothing needs mending. Of what is `needed`, a lack makes the exit status 1.
    """

    name: str
    part: str
    works: bool
    found: str
    needed_for: str
    remedy: str = ""
    needed: bool = False


def examine(system: System | None = None) -> list[Finding]:
    """Look at everything; takes some seconds where torch is installed.

    Examples
    --------
    >>> [finding.name for finding in examine() if finding.works][:2]
    ['Python', 'NumPy']
    """
    system = system or this_system()
    return [
        _line("Python", STUDENTS, checks.python(), "everything", system.install("python"), needed=True),
        _line("NumPy", STUDENTS, checks.numpy(), "everything", 'pip install "numpy>=2"', needed=True),
        _line("JupyterLab", STUDENTS, checks.module("jupyterlab"), "opening the notebooks; other programs can, too",
              "pip install jupyterlab"),
        _line("C++ compiler", STUDENTS, checks.emulation(), "notebook 08: CUDA C++ kernels on this machine's CPU",
              system.install("compiler"), needed=True),
        _line("CUDA C++ for a GPU", STUDENTS, checks.compiler_for_gpus(), "notebook 08: compiling, with no GPU here",
              system.pip_on_linux("kernel-exercises"), needed=True),
        _line("Triton", STUDENTS, checks.triton(), "notebook 08: Triton kernels",
              system.pip_on_linux("kernel-exercises"), needed=True),
        _line("torch", STUDENTS, checks.torch(), "the experiments of notebooks 06 and 09; nothing that is graded",
              "pip install torch"),
        _line("GPU", GPU, checks.gpu(), "`make gpu`: speed, bfloat16, races; no exercise",
              "none is needed; Colab and rented machines have one"),
        _line("torch on the GPU", GPU, checks.torch_on_gpu(), "`make gpu`, backend=\"triton\" and \"cuda\"",
              "pip install torch, in a build for CUDA, where there is a GPU"),
        _line("make", COURSE, checks.program("make"), "`make`, `make test`", system.install("make")),
        _line("the book's tools", COURSE, checks.module("jupyter_book", "myst_nb", "anywidget"), "`manyheads build`",
              'pip install ".[book]"'),
        _line("the graders' tools", COURSE, checks.module("nbgrader", "jupytext", "rich"), "`manyheads grade`, release",
              'pip install ".[grade]"'),
        _line("Chromium", COURSE, checks.chromium(), "tests of the book's pages", system.install("chromium")),
    ]  # fmt: skip


def status(findings: list[Finding]) -> int:
    """0 if every notebook can be worked through here, else 1. A GPU and the tools of the course do not count.

    Examples
    --------
    >>> status([Finding("GPU", GPU, False, "none", "speed")])
    0
    >>> status([Finding("NumPy", STUDENTS, False, "not installed", "everything", "pip install numpy", needed=True)])
    1
    """
    return 1 if any(finding.needed and not finding.works for finding in findings) else 0


def verdict(findings: list[Finding]) -> str:
    """The last line: what can be done here."""
    lacks = [finding for finding in findings if finding.needed and not finding.works]
    if not lacks:
        return "Every notebook can be worked through on this machine."
    names = " and ".join([", ".join(f.name for f in lacks[:-1]), lacks[-1].name] if lacks[1:] else [lacks[0].name])
    if all(finding.needed_for.startswith("notebook 08") for finding in lacks):
        return f"Every notebook but parts of 08 can be worked through on this machine; these lack {names}."
    return f"The notebooks do not work on this machine yet; they lack {names}."


def as_data(findings: list[Finding]) -> dict[str, Any]:
    """For ``--json``."""
    return {"status": status(findings), "verdict": verdict(findings), "findings": [asdict(f) for f in findings]}


def _line(name: str, part: str, seen: checks.Seen, needed_for: str, remedy: str, needed: bool = False) -> Finding:
    return Finding(name, part, seen.works, seen.what, needed_for, "" if seen.works else remedy, needed)
