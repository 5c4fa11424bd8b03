"""What the numbers were measured on."""

import ctypes
import os
import platform
import time

import numpy as np

THREADS = 2


def description() -> list[str]:
    """Lines for the head of the run."""
    import torch

    cores, threads = os.cpu_count(), blas_threads()
    python, blas = platform.python_version(), f"{blas_name()}: {threads or 'unknown'} threads"
    lines = [
        f"{platform.machine()}, {platform.system()}, {processor()}: {cores} CPUs{load()}",
        f"Python {python}, NumPy {np.__version__} with {blas}",
        f"torch {torch.__version__}: {torch.get_num_threads()} threads",
    ]
    if threads not in (None, THREADS) or torch.get_num_threads() != THREADS or (cores or 0) < THREADS:
        lines.append(f"The targets are for {THREADS} threads on {THREADS} CPUs; `make bench` asks for them.")
    return lines


def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unnamed processor"


def load() -> str:
    """What else the machine does: with a load near the number of CPUs, the times say little."""
    return f", load {os.getloadavg()[0]:.1f} before the run" if hasattr(os, "getloadavg") else ""


class Others:
    """What other programs took of the processor since this was made: their work makes times long and ratios wrong."""

    def __init__(self):
        self.start = time.perf_counter()
        self.before = _busy_with_others()

    def said(self) -> str | None:
        """In words; None where the system does not tell."""
        now = _busy_with_others()
        if now is None or self.before is None:
            return None
        cpus = max(0.0, now - self.before) / (time.perf_counter() - self.start)
        judgement = "little enough" if cpus < 0.1 else "run it again on a quiet machine"
        return f"Other programs kept {cpus:.2f} of {os.cpu_count()} CPUs busy during the run: {judgement}."


def _busy_with_others() -> float | None:
    """Seconds of all CPUs that went neither to idling nor to this process and its children; Linux tells."""
    try:
        with open("/proc/stat") as lines:
            user, nice, system, _, _, irq, softirq, steal, *_ = map(int, next(lines).split()[1:])
    except (OSError, ValueError):
        return None
    own = os.times()
    all_busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return all_busy - (own.user + own.system + own.children_user + own.children_system)


def blas_name() -> str:
    """The library that does NumPy's products."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    core = _openblas("get_corename", ctypes.c_char_p)
    kernels = f" ({core.decode()} kernels)" if core else ""
    return f"{blas.get('name', 'an unnamed BLAS')} {blas.get('version', '')}{kernels}"


def blas_threads() -> int | None:
    """The threads that OpenBLAS uses now; None for another BLAS."""
    return _openblas("get_num_threads", ctypes.c_int)


def _openblas(function: str, result):
    """Ask the OpenBLAS that NumPy has loaded, under the name that NumPy's wheels or a system's build give it."""
    try:
        library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return None
    for name in (f"scipy_openblas_{function}64_", f"scipy_openblas_{function}", f"openblas_{function}"):
        if (found := getattr(library, name, None)) is not None:
            found.restype = result
            return found()
    return None
