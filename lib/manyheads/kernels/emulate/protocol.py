"""One launch as bytes for the program that runs it, and what comes back. main.cpp reads and writes the other end."""

import ctypes
import struct

import numpy as np

from manyheads.kernels.launching import Finding, KernelError, Launch, Out

_CHECKS = {None: 0, "races": 1, "memory": 2, "all": 3}
_ORDERS = {"up": 0, "down": 1, "shuffled": 2}
_PAGE = 1 << 16  # at most; what an array may take up beyond its own bytes

#: Most of what a launch can ask for on any GPU since compute capability 8.0; shared memory as on 9.0.
_MOST_THREADS, _MOST_BLOCK, _MOST_GRID = 1024, (1024, 1024, 64), (2**31 - 1, 65535, 65535)
_MOST_SHARED = 227 * 1024


def packed(launch: Launch, order: str, check: str | None, seconds: float) -> bytes:
    """The launch. An array goes as it lies in memory, from its first element to its last, as a GPU would have it."""
    grid, block = _three(launch.grid, "grid"), _three(launch.block, "block")
    _refuse_too_much(launch, grid, block)
    arguments = [_argument(name, value) for name, value in launch.arguments.items()]
    bytes_of_all = sum(len(payload) + _PAGE for *_, payload in arguments)
    head = struct.pack("=IId6IQQI", _ORDERS[order], _CHECKS[check], seconds, *grid, *block, launch.shared_bytes,
                       bytes_of_all, len(arguments))  # fmt: skip
    parts = [head]
    for name, role, kind, each, payload in arguments:
        title = name.encode()[:200] + b"\0"
        size = len(payload) if role < 2 else 0
        parts += [struct.pack("=BcBB", role, kind.encode(), each, len(title)), title, struct.pack("=Q", size), payload]
    return b"".join(parts)


def unpacked(result: bytes, launch: Launch) -> dict[str, np.ndarray]:
    """The buffers, each cut to what is looked at."""
    buffers, start = {}, 1
    for name in launch.outputs:
        out = launch.arguments[name]
        assert isinstance(out, Out)
        dtype, count = np.dtype(out.dtype), int(np.prod(out.shape, dtype=np.int64))
        whole = np.frombuffer(result, dtype, count, start).reshape(out.shape).copy()
        start += count * dtype.itemsize
        buffers[name] = whole[out.kept] if out.kept else whole
    return buffers


def bytes_back(launch: Launch) -> int:
    outs = (launch.arguments[name] for name in launch.outputs)
    return sum(out.buffer().nbytes for out in outs if isinstance(out, Out))


def _argument(name: str, value) -> tuple[str, int, str, int, bytes]:
    if isinstance(value, Out):
        buffer = value.buffer()
        return name, 1, _kind(name, buffer.dtype), buffer.dtype.itemsize, buffer.tobytes()
    if isinstance(value, np.ndarray):
        return name, 0, _kind(name, value.dtype), value.dtype.itemsize, _memory_of(value)
    if value is None:
        return name, 4, "?", 0, b""
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return name, 2, "i", 8, struct.pack("=q", int(value))
    if isinstance(value, float | np.floating):
        return name, 3, "f", 8, struct.pack("=d", float(value))
    raise TypeError(f"argument {name} must be an array, an Out, an int or a float, got {type(value).__name__}")


def _kind(name: str, dtype: np.dtype) -> str:
    if dtype.kind not in "fiub" or not dtype.isnative:
        raise TypeError(f"argument {name} must hold numbers that C++ has, got {dtype}")
    return dtype.kind


def _memory_of(array: np.ndarray) -> bytes:
    if array.flags.c_contiguous or array.size == 0:
        return array.tobytes()
    if any(stride < 0 for stride in array.strides):
        return np.ascontiguousarray(array).tobytes()  # no tensor has these
    last = sum((n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True))
    return ctypes.string_at(array.ctypes.data, last + array.itemsize)


def _three(sizes: tuple[int, ...], what: str) -> tuple[int, ...]:
    sizes = tuple(int(n) for n in sizes)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{what} must be one to three sizes, got {sizes}")
    return sizes + (1,) * (3 - len(sizes))


def _refuse_too_much(launch: Launch, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    threads = block[0] * block[1] * block[2]
    if min(grid) < 1 or min(block) < 1:
        why = f"A launch needs at least one block and one thread; this one asks for grid {grid} and block {block}."
    elif threads > _MOST_THREADS or any(n > most for n, most in zip(block, _MOST_BLOCK, strict=True)):
        why = f"A block of {' x '.join(map(str, block))} has {threads:,} threads; it may have 1,024, and 64 along z."
    elif any(n > most for n, most in zip(grid, _MOST_GRID, strict=True)):
        why = f"A grid of {' x '.join(map(str, grid))} is too large: it may have 65,535 blocks along y and z."
    elif launch.shared_bytes > _MOST_SHARED:
        why = f"The launch asks for {launch.shared_bytes / 1024:.4g} KiB of shared memory; a block may have 227 KiB."
    else:
        return
    raise KernelError(Finding("too many resources", why))
