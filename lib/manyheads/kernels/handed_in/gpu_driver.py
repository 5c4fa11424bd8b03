"""The few calls of the CUDA driver that launch a kernel, through ctypes: no torch, no bindings.

Run as a program it prints the GPU's architecture, so that asking loads no driver into the process that asks.
"""

import ctypes
import sys

#: What the driver says, in the words of a finding. Others are a crash.
KINDS = {
    700: "out of bounds",  # illegal address
    701: "too many resources",  # launch out of resources
    716: "out of bounds",  # misaligned address
    717: "out of bounds",  # an address of another space
}
_SHARED_WITHOUT_ASKING = 48 * 1024  # bytes a block
_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class DriverError(Exception):
    """A call of the driver failed; `code` is its CUresult."""

    def __init__(self, code: int, text: str):
        self.code = code
        super().__init__(text)


def library():
    """The driver, or None where there is none."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


class Driver:
    """The first GPU, with its primary context current in this thread."""

    def __init__(self):
        cuda = library()
        if cuda is None:
            raise DriverError(100, "there is no CUDA driver")
        self.cuda = cuda
        self.call("cuInit", 0)
        self.device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)

    def call(self, name: str, *arguments) -> None:
        """Call the driver; DriverError unless it says success."""
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(code, ctypes.byref(text))
            raise DriverError(code, text.value.decode() if text.value else f"CUDA error {code}")

    @property
    def arch(self) -> str:
        """``"sm_90"`` …"""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, self.device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, self.device)
        return f"sm_{major.value}{minor.value}"

    def start(self) -> None:
        """Make the context; what follows needs it."""
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)

    def function(self, cubin: bytes, name: str) -> ctypes.c_void_p:
        """A kernel out of machine code, by the name that it has there."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def to_gpu(self, data: bytes) -> ctypes.c_uint64:
        """A copy on the GPU; its address."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, len(data))))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def from_gpu(self, address: ctypes.c_uint64, size: int) -> bytes:
        """What lies there."""
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw

    def launch(self, function, grid: list[int], block: list[int], shared: int, arguments: list) -> None:
        """Launch, and wait until it has ended. `arguments` are ctypes numbers."""
        if shared > _SHARED_WITHOUT_ASKING:
            self.call("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared)
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        self.call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        self.call("cuCtxSynchronize")


if __name__ == "__main__":
    try:
        print(Driver().arch)
    except DriverError as error:
        sys.exit(str(error))
