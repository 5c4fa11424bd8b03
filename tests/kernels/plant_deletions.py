"""Deletes each barrier, mask and rescaling of the library's kernels, one at a time, and reports what notices.

python -m tests.kernels.plant_deletions [PART OF A NAME] [--jobs N] [--soon]
"""

import argparse
import os
import queue
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from .deletions import Deletion, deletions
from .planted import Copy

SOON = {"cuda": "tests/kernels/cuda/test_soon.py", "triton": "tests/kernels/triton/test_soon.py"}
DECODE = "tests/kernels/triton/test_decode.py"

#: Deletions after which the kernel does the same, by their keys, with the reason.
SAME: dict[str, str] = {}


def caught_by(deletion: Deletion, copy: Copy, *, soon: bool = False) -> str | None:
    """The first test that fails, and why. The quick tests first; what passes them meets all of its language."""
    quick = DECODE if deletion.file.name.startswith("decode") else SOON[deletion.language]
    found = copy.first_failure(deletion, [quick])
    return found if found or soon else copy.first_failure(deletion, [f"tests/kernels/{deletion.language}"])


def main() -> int:
    from rich.console import Console
    from rich.progress import track

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", default="", help="only deletions with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--soon", action="store_true", help="by the quick tests alone")
    asked = parser.parse_args()
    chosen = [one for one in deletions() if asked.part in one.name and one.key not in SAME]
    console, missed = Console(width=200, highlight=False), 0
    copies = queue.SimpleQueue()

    def tried(deletion: Deletion) -> str | None:
        copy = copies.get()
        try:
            return caught_by(deletion, copy, soon=asked.soon)
        finally:
            copies.put(copy)

    with ExitStack() as stack:
        for _ in range(asked.jobs):
            copies.put(stack.enter_context(Copy()))
        pool = stack.enter_context(ThreadPoolExecutor(asked.jobs))
        found = pool.map(tried, chosen)
        for one, test in zip(chosen, track(found, total=len(chosen), description="deleting"), strict=True):
            missed += test is None
            console.print(f"{one.name}: {test or 'NOT CAUGHT'}", markup=False, soft_wrap=True)
    console.print(f"{len(chosen) - missed} of {len(chosen)} deletions turn a test red; {len(SAME)} change nothing")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
