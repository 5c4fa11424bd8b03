"""The whole benchmark: ceilings, every workload for which there is time, a JSON file and a plot."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import ceilings, counts, machine, measuring, record, workloads
from .stopwatch import OnCpu, OnGpu


def benchmark(seconds: float, say: Callable[[str], object] = print, clock=time.monotonic) -> dict[str, Any]:
    """On the GPU, within about `seconds`; what is left out for lack of time or memory is in the record, with why."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    end = clock() + seconds
    watch = OnGpu()
    ceiling = ceilings.measure(watch, "cuda", side=8192, megabytes=2000, dtype="bfloat16")
    torch.cuda.empty_cache()
    results = _all(workloads.plan(), watch, "cuda", say, lambda: end - clock(), _free_on_gpu)
    return {"dry_run": False, "machine": machine.description(False), "ceilings": ceiling, "results": results}


def dry_run(say: Callable[[str], object] = print) -> dict[str, Any]:
    """The same on the CPU at tiny sizes: it shows that every step runs. Its times mean nothing and are marked so."""
    watch = OnCpu()
    ceiling = ceilings.measure(watch, "cpu", side=64, megabytes=1, dtype="float32")
    results = _all(workloads.tiny(), watch, "cpu", say, lambda: float("inf"), lambda: None)
    return {"dry_run": True, "machine": machine.description(True), "ceilings": ceiling, "results": results}


def save(found: dict[str, Any], folder: Path) -> list[Path]:
    """The JSON file, and the plot where matplotlib is installed."""
    day = found["machine"]["date"][:10]
    device = re.sub(r"[^a-z0-9]+", "-", found["machine"]["device"].lower()).strip("-")
    path = folder / ("dry-run.json" if found["dry_run"] else f"{device}-{day}.json")
    record.write(found, path)
    try:
        from . import plot

        return [path, plot.save(found, path.with_suffix(".svg"))]
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "matplotlib":
            raise
        return [path]


def _all(plan, watch, device, say, left: Callable[[], float], free: Callable[[], int | None]) -> list[dict[str, Any]]:
    results = []
    longest: dict[int, float] = {}  # seconds that a workload of a length took at most
    for w in plan:
        if why := skip_because(w, left(), longest, free()):
            results.append({**w.sizes(), "skipped": why})
            say(f"  {w.name}: left out, {why}")
            continue
        start = time.monotonic()
        results.append(measuring.measure(w, watch, device))
        longest[w.k_len] = max(longest.get(w.k_len, 0.0), time.monotonic() - start)
        say(f"  {w.name}: {line(results[-1])}")
    return results


def skip_because(w: workloads.Workload, seconds_left: float, longest: dict[int, float], free: int | None) -> str | None:
    """Why a workload is left out; None if there is time and memory for it."""
    # The next length takes up to four times as long; compiling a kernel, some seconds.
    likely = max((took if n == w.k_len else min(4 * took, 20.0) for n, took in longest.items()), default=5.0)
    if seconds_left < likely:
        return f"no time: {max(0, seconds_left):.0f} s were left"
    if free is not None and counts.memory(w) > 0.8 * free:
        return f"no memory: {counts.memory(w) / 1e9:.1f} GB wanted, {free / 1e9:.1f} GB free"
    return None


def line(result: dict[str, Any]) -> str:
    """Every way with its time, and its speed beside the rival's."""
    said = []
    for name, way in result["ways"].items():
        if "cannot" in way or "wrong" in way:
            said.append(f"{name} {'cannot' if 'cannot' in way else 'WRONG'}")
            continue
        beside = result["speed_beside_rival"].get(name)
        speed = f" ({beside:.2f} x {result['rival']})" if beside and not name.startswith("SDPA") else ""
        said.append(f"{name} {way['milliseconds']:.3f} ms{speed}")
    return ", ".join(said)


def _free_on_gpu() -> int:
    import torch

    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]
