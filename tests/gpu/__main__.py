"""``python -m tests.gpu``: the tests that need a GPU, then the benchmark, in eight minutes at most.

It needs torch (a CUDA build), Triton and NumPy, for the tests pytest, for the plot matplotlib; nothing of this course
has to be installed. Exit status: 0 well, 1 a test failed or a kernel was wrong, 2 no GPU.
"""

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests" / "benchmarks" / "results"


def main(arguments: list[str] | None = None, say=print) -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="walk through the benchmark on the CPU, at tiny sizes")
    parser.add_argument("--only", choices=("tests", "benchmark"), help="leave the other out")
    parser.add_argument("--seconds", type=float, default=465, help="for all of it (default: 465)")
    parser.add_argument("--into", type=Path, help="folder of the JSON file and the plot")
    asked = parser.parse_args(arguments)

    # Before anything imports triton: it decides then whether kernels run interpreted.
    os.environ["TRITON_INTERPRET"] = "1" if asked.dry_run else "0"
    sys.path.insert(0, str(ROOT / "lib"))
    from tests.gpu import here, suite

    start = time.monotonic()
    if asked.dry_run:
        from tests.benchmarks.gpu import run

        found = run.dry_run(say)
        return _saved(found, asked.into or ROOT / "var" / "gpu", say)
    if why := here.cannot():
        say(f"make gpu: {why}")
        return 2
    passed = True
    if asked.only != "benchmark":
        passed = suite.run(ROOT, asked.seconds * 0.55, say)
    if asked.only == "tests":
        return 0 if passed else 1
    from tests.benchmarks.gpu import run

    say("\nBenchmark: median times; after each of the library's kernels its speed beside torch's")
    found = run.benchmark(asked.seconds - (time.monotonic() - start), say)
    status = _saved(found, asked.into or RESULTS, say)
    return status if passed else 1


def _saved(found, folder: Path, say) -> int:
    from tests.benchmarks.gpu import record, run

    paths = run.save(found, folder)
    skipped = sum("skipped" in result for result in found["results"])
    say(f"\n{len(found['results']) - skipped} of {len(found['results'])} workloads measured, {skipped} left out")
    for path in paths:
        say(f"  {path}")
    if len(paths) == 1:
        say("  no plot: matplotlib is not installed")
    missed = record.missed(found)
    for problem in missed:
        say(f"  {problem}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
