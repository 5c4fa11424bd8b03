"""What `import manyheads` costs beyond `import numpy`, which its users import anyway."""

import subprocess
import sys
from statistics import median

from . import table

ROUNDS = 15
#: A process of its own times itself, so that starting Python is not counted.
TIMED = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds_to_import(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", TIMED.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_import_beyond_numpy():
    found: dict[str, list[float]] = {"numpy": [], "manyheads": []}
    for number in range(ROUNDS + 1):
        for module, times in found.items():
            seconds = seconds_to_import(module)
            if number:  # the first round may have to write byte code
                times.append(seconds)
    table.title("Importing, in fresh processes")
    table.times(found)
    beyond = 1e3 * (median(found["manyheads"]) - median(found["numpy"]))
    best = 1e3 * (min(found["manyheads"]) - min(found["numpy"]))
    table.line("manyheads beyond numpy", beyond, best=best, at_most=100, unit=" ms")
