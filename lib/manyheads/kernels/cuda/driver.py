"""Launching machine code through the CUDA driver, by ctypes: libcuda comes with every GPU's driver.

Nothing else is needed beside torch, which owns the memory and the stream. A kernel's arguments go to the driver as
pointers to them, one each (CUDA Driver API, cuLaunchKernel).
"""

import ctypes
import functools
import sys
import threading
from collections.abc import Sequence

from manyheads.kernels.launching import NotHere

_STATIC_LIMIT = 48 * 1024
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, cuda.h
_LOADING = threading.Lock()
_FUNCTIONS: dict[tuple[int, bytes, str], ctypes.c_void_p] = {}


def launch_on_device(
    cubin: bytes,
    kernel: str,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Sequence[ctypes._SimpleCData],
    *,
    device: int,
    stream: int,
    shared_bytes: int = 0,
) -> None:
    """Put one launch into a stream.

    Parameters
    ----------
    cubin : bytes
    kernel : str
        A function's name in it.
    grid, block : sequence of int
        Along x, y and z; later ones may be left out.
    arguments : sequence of ctypes numbers
        In the kernel's order: ``c_void_p`` for a pointer on the device, ``c_int``, ``c_float``.
    device : int
        The driver's number of the GPU.
    stream : int
        The handle of a stream of that GPU; 0 is its default one.
    shared_bytes : int
        Dynamic shared memory of a block.

    Raises
    ------
    NotHere
        If there is no driver.
    RuntimeError
        If the driver refuses; its own words.

    Examples
    --------
    >>> driver_missing() is None or "driver" in driver_missing()
    True
    """
    if 0 in grid:
        return
    cuda = _driver()
    context = _context(device)
    _check(cuda.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent")
    try:
        function = _function(device, cubin, kernel)
        if shared_bytes > _STATIC_LIMIT:
            done = cuda.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, shared_bytes)
            _check(done, f"asking for {shared_bytes / 1024:.0f} KiB of shared memory")
        pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        sizes = [*_three(grid), *_three(block)]
        done = cuda.cuLaunchKernel(function, *sizes, shared_bytes, ctypes.c_void_p(stream), pointers, None)
        _check(done, f"launching {kernel} with grid {tuple(grid)} and block {tuple(block)}")
    finally:
        cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def driver_missing() -> str | None:
    """Why nothing can be launched here, or None."""
    try:
        _driver()
    except NotHere as error:
        return str(error)
    return None


@functools.cache
def _driver() -> ctypes.CDLL:
    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        raise NotHere(
            "there is no CUDA driver here, so nothing can be launched on a GPU; manyheads.kernels.emulate runs the "
            "same kernels on the CPU"
        ) from None
    _check_with(cuda, cuda.cuInit(0), "cuInit")
    return cuda


@functools.cache
def _context(device: int) -> ctypes.c_void_p:
    """The context that torch uses too: the device's primary one."""
    cuda, handle, context = _driver(), ctypes.c_int(), ctypes.c_void_p()
    _check(cuda.cuDeviceGet(ctypes.byref(handle), device), "cuDeviceGet")
    _check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), handle), "cuDevicePrimaryCtxRetain")
    return context


def _function(device: int, cubin: bytes, kernel: str) -> ctypes.c_void_p:
    """The kernel, loaded once for each device, into the current context."""
    key = (device, cubin, kernel)
    with _LOADING:
        if key not in _FUNCTIONS:
            cuda, module, function = _driver(), ctypes.c_void_p(), ctypes.c_void_p()
            _check(cuda.cuModuleLoadData(ctypes.byref(module), cubin), "cuModuleLoadData")
            done = cuda.cuModuleGetFunction(ctypes.byref(function), module, kernel.encode())
            _check(done, f"looking for {kernel}")
            _FUNCTIONS[key] = function  # the module stays loaded as long as the process lives
        return _FUNCTIONS[key]


def _three(sizes: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _check(code: int, what: str) -> None:
    _check_with(_driver(), code, what)


def _check_with(cuda: ctypes.CDLL, code: int, what: str) -> None:
    if code:
        said = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(said))
        words = (said.value or b"unknown error").decode()
        raise RuntimeError(f"the CUDA driver refused: {what}: {words} (error {code})")
