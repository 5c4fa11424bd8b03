"""A launch on tensors of a GPU: outputs made, arguments as C has them, torch's stream."""

import ctypes
import functools

import torch
from torch import Tensor

from manyheads.kernels.cuda.building import build
from manyheads.kernels.cuda.driver import launch_on_device
from manyheads.kernels.cuda.sources import source
from manyheads.kernels.launching import Launch, Out


def launch_on_gpu(kernel: str, launch: Launch, device: torch.device) -> dict[str, Tensor]:
    """The outputs of one of our kernels, by name. The launch is only put into torch's current stream.

    Parameters
    ----------
    kernel : {"lesson", "tiled", "head_stride"}
    launch : Launch
        Its arrays are tensors on `device`.
    device : torch.device

    Returns
    -------
    dict of str to tensor

    Raises
    ------
    NotHere
        If there is no compiler or no driver.

    Examples
    --------
    >>> from manyheads.kernels.cuda.launches import lesson_launch
    >>> if torch.cuda.is_available():
    ...     x = torch.ones(1, 2, 3, 16, device="cuda")
    ...     assert launch_on_gpu("lesson", lesson_launch(x, x, x), x.device)["out"].equal(x)
    """
    outputs = {
        name: torch.empty(out.shape, dtype=getattr(torch, out.dtype), device=device)
        for name, out in launch.arguments.items()
        if isinstance(out, Out)
    }
    index = torch.cuda.current_device() if device.index is None else device.index
    major, minor = torch.cuda.get_device_capability(index)
    launch_on_device(
        _cubin(kernel, f"sm_{major}{minor}", tuple(launch.constants.items())),
        launch.kernel,
        launch.grid,
        launch.block,
        c_arguments(launch.arguments | outputs),
        device=index,
        stream=torch.cuda.current_stream(index).cuda_stream,
        shared_bytes=launch.shared_bytes,
    )
    return outputs


def c_arguments(arguments: dict) -> list:
    """Tensors as pointers to their first elements, whole numbers as int, others as float.

    Examples
    --------
    >>> c_arguments({"scale": 0.5, "q_len": 3})
    [c_float(0.5), c_int(3)]
    """
    return [_c(value) for value in arguments.values()]


def _c(value):
    if isinstance(value, Tensor):
        return ctypes.c_void_p(value.data_ptr())
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)


@functools.cache
def _cubin(kernel: str, arch: str, constants: tuple[tuple[str, int], ...]) -> bytes:
    return build(source(kernel), arch, dict(constants))
