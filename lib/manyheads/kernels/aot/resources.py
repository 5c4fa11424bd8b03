"""What a compiled kernel takes of a GPU, and when that is too much."""

import re
from dataclasses import dataclass

from manyheads.kernels.launching import Finding

#: Registers that one thread can address, and those of a multiprocessor, the same from sm_70 to sm_120.
THREAD_REGISTERS = 255
BLOCK_REGISTERS = 65536

#: KiB of shared memory that a block may have (CUDA C++ Programming Guide, "Compute Capabilities"). A kernel that
#: declares it in its source (static) gets 48 at most; the rest only if the launch asks for it (dynamic).
SHARED_KIB = {75: 64, 80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 120: 99, 121: 99}


@dataclass(frozen=True)
class Resources:
    """What one kernel takes, as the assembler reports it.

    Parameters
    ----------
    arch : str
        ``"sm_80"``.
    registers : int
        Of each thread; each holds 4 bytes.
    spill_stores, spill_loads : int
        Bytes that the kernel's code writes to local memory, and reads back, for want of registers; counted once for
        each instruction, however often it runs.
    stack_bytes : int
        Local memory of each thread: what is spilled, and arrays whose index the compiler does not know.
    shared_bytes : int
        Shared memory of a block, known when compiling: what a CUDA source declares, all of it for Triton.

    Examples
    --------
    >>> Resources("sm_80", registers=128).max_threads
    512
    """

    arch: str
    registers: int
    spill_stores: int = 0
    spill_loads: int = 0
    stack_bytes: int = 0
    shared_bytes: int = 0

    @property
    def max_threads(self) -> int:
        """Threads that a block can have with so many registers each: given out by eight, to whole warps."""
        each = max(8, -(-self.registers // 8) * 8)
        return min(1024, BLOCK_REGISTERS // (each * 32) * 32)


def spill_finding(resources: Resources) -> Finding | None:
    """What to say of a kernel that keeps values in local memory, or None. Local memory lies where global memory lies.

    Examples
    --------
    >>> spill_finding(Resources("sm_80", registers=40)) is None
    True
    >>> print(spill_finding(Resources("sm_80", 255, spill_stores=164, spill_loads=180, stack_bytes=164)).message)
    a thread's values do not fit into registers (sm_80; 255 in use): the code writes 164 bytes of them to slow memory \
and reads 180 back; let a thread keep fewer values (a smaller tile, or more threads for it)
    """
    if resources.spill_stores or resources.spill_loads:
        return Finding(
            "spills",
            f"a thread's values do not fit into registers ({resources.arch}; {resources.registers} in use): the code "
            f"writes {resources.spill_stores} bytes of them to slow memory and reads {resources.spill_loads} back; "
            "let a thread keep fewer values (a smaller tile, or more threads for it)",
        )
    if resources.stack_bytes:
        return Finding(
            "spills",
            f"an array of {resources.stack_bytes} bytes that each thread has for itself lies in slow memory "
            f"({resources.arch}): registers have no addresses, so every index into it must be known when compiling; "
            "give its loops a fixed number of rounds and write #pragma unroll before them",
        )
    return None


def shared_finding(resources: Resources) -> Finding | None:
    """What to say of a kernel that wants more shared memory than a block of this GPU may have, or None.

    Examples
    --------
    >>> shared_finding(Resources("sm_80", registers=40, shared_bytes=48 * 1024)) is None
    True
    >>> print(shared_finding(Resources("sm_80", registers=40, shared_bytes=256 * 1024)).message)
    a block wants 256 KiB of shared memory; sm_80 has 163 KiB for a block: use smaller tiles or fewer stages
    """
    has = SHARED_KIB.get(int(resources.arch.removeprefix("sm_")))
    if has is None or resources.shared_bytes <= has * 1024:
        return None
    return Finding(
        "too many resources",
        f"a block wants {resources.shared_bytes / 1024:.4g} KiB of shared memory; {resources.arch} has {has} KiB for "
        "a block: use smaller tiles or fewer stages",
    )


_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)' for")
_SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def read_log(log: str, arch: str) -> dict[str, Resources]:
    """The kernels in what ``ptxas -v`` prints, by their names in the binary.

    Examples
    --------
    >>> read_log('''ptxas info    : Compiling entry function 'add' for 'sm_80'
    ... ptxas info    : Function properties for add
    ...     8 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
    ... ptxas info    : Used 255 registers, used 1 barriers, 512 bytes smem, 372 bytes cmem[0]''', "sm_80")["add"]
    Resources(arch='sm_80', registers=255, spill_stores=8, spill_loads=12, stack_bytes=8, shared_bytes=512)
    """
    found = {}
    starts = [*_ENTRY.finditer(log)]
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        name, text = start["name"], log[start.end() : after.start() if after else None]
        stack, stores, loads = _numbers(_SPILLS, text, 3)
        (registers,), (shared,) = _numbers(_REGISTERS, text, 1), _numbers(_SHARED, text, 1)
        if registers:
            found[name] = Resources(arch, registers, stores, loads, stack, shared)
    return found


def _numbers(pattern: re.Pattern, text: str, count: int) -> tuple[int, ...]:
    match = pattern.search(text)
    return tuple(map(int, match.groups())) if match else (0,) * count
