"""The head and the end of a run of the benchmarks."""

import pytest

from . import machine, table

_others: list[machine.Others] = []  # one, once a benchmark has started


@pytest.fixture(scope="session", autouse=True)
def head():
    """On what the numbers were measured. NumPy's threads are set by `make bench`, before NumPy is loaded."""
    import torch

    torch.set_num_threads(machine.THREADS)
    print("", *machine.description(), sep="\n")
    print("Ratios of median times, each way and its rival in turns; beside them the ratio of the best times.")
    _others.append(machine.Others())


def pytest_terminal_summary(terminalreporter):
    """How many targets were met, and which were not."""
    if not table.verdicts:
        return
    missed = [what for what, met in table.verdicts if not met]
    terminalreporter.write_line(f"{len(table.verdicts) - len(missed)} of {len(table.verdicts)} targets met")
    for what in missed:
        terminalreporter.write_line(f"MISSED  {what}")
    for others in _others:
        terminalreporter.write_line(others.said() or "")
