"""Running a kernel that somebody handed in: its source goes to a process of its own, arrays come back."""

import numpy as np

from manyheads.kernels.handed_in import gpu
from manyheads.kernels.handed_in.triton_unset import never_stored
from manyheads.kernels.launching import KernelError, Launch

#: How a kernel may be run without a GPU. The architectures are compiled for; the numbers then come from a GPU where
#: there is one, and from the CPU elsewhere.
WAYS = {
    "cuda": ("up", "down", "shuffled", "races", "memory", "sm_80", "sm_90"),
    "triton": ("interpreted", "sm_80", "sm_90"),
}


def outputs(source: str, launch: Launch, way: str, seconds: float = 20.0) -> tuple[dict[str, np.ndarray], str]:
    """Build and launch a kernel, and look for what its numbers do not show.

    Parameters
    ----------
    source : str
        CUDA C++, or one Triton function.
    launch : Launch
    way : str
        One of `WAYS` of the launch's language.
    seconds : float
        What one launch may take.

    Returns
    -------
    outputs : dict of arrays
        What the kernel left in each `Out`, by name.
    remark : str
        What a compiler for a GPU said of it: registers and shared memory. For the other ways, what a Triton kernel
        never stored, if anything.

    Raises
    ------
    KernelError
        If it cannot be built, does what it must not, or does not end.
    NotHere
        If this machine lacks what is needed.
    """
    if way not in WAYS[launch.language]:
        raise ValueError(f"way must be one of {', '.join(WAYS[launch.language])} for {launch.language}, got {way!r}")
    found = _on_the_cpu(source, launch, way, seconds)  # first: it refuses what no compiler should be handed
    if not way.startswith("sm_"):
        return found, never_stored(found)
    remark = _compiled(source, launch, way)
    if gpu.gpu_here():
        found = gpu.run_on_gpu(launch.language, source, launch)
    return found, remark


def _on_the_cpu(source: str, launch: Launch, way: str, seconds: float) -> dict[str, np.ndarray]:
    if launch.language == "triton":
        from manyheads.kernels.handed_in.triton_runner import run_triton

        return run_triton(source, launch, seconds=seconds)
    from manyheads.kernels import emulate

    order = way if way in ("up", "down", "shuffled") else "up"
    check = way if way in ("races", "memory") else None
    return emulate.launch(source, launch, order=order, check=check, seconds=seconds)


def missing(language: str) -> str | None:
    """What this machine lacks to run kernels of a language in every way, with the remedy; None if nothing."""
    from manyheads.kernels import aot, emulate
    from manyheads.kernels.handed_in import triton_runner

    lacks = (
        [emulate.missing(), aot.missing("cuda")]
        if language == "cuda"
        else [triton_runner.missing(), aot.missing("triton")]
    )
    return "; ".join(dict.fromkeys(one for one in lacks if one)) or None


def _compiled(source: str, launch: Launch, arch: str) -> str:
    from manyheads.kernels import aot

    if launch.language == "triton":
        found = aot.compile_triton(source, launch, arch)
    else:
        found = aot.compile_cuda(source, launch.kernel, arch, launch.constants)
    spilled = aot.spill_finding(found)
    if spilled is not None:
        raise KernelError(spilled)
    shared = f" and {found.shared_bytes:,} bytes of shared memory a block" if found.shared_bytes else ""
    return f"Compiled for {arch}, it takes {found.registers} registers a thread{shared}; none spills."
