"""A CUDA C++ kernel's parameters, read from its source: the driver takes bytes, and asks nobody what they mean."""

import re

import numpy as np

from manyheads.kernels.launching import Finding, KernelError, Launch, Out

#: Types of C++ by NumPy's names.
TYPES = {
    "float": "float32", "double": "float64", "half": "float16", "__half": "float16", "bool": "bool",
    "char": "int8", "signed char": "int8", "int8_t": "int8", "unsigned char": "uint8", "uint8_t": "uint8",
    "short": "int16", "int16_t": "int16", "unsigned short": "uint16", "uint16_t": "uint16",
    "int": "int32", "int32_t": "int32", "unsigned": "uint32", "unsigned int": "uint32", "uint32_t": "uint32",
    "long long": "int64", "int64_t": "int64", "unsigned long long": "uint64", "uint64_t": "uint64",
    "size_t": "uint64",
}  # fmt: skip
_QUALIFIERS = re.compile(r"\b(const|volatile|__restrict__|__restrict|__grid_constant__)\b")
_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def number_types(source: str, launch: Launch) -> dict[str, str]:
    """NumPy's name of the type of every parameter that is a number; pointers are checked, and left out.

    Raises
    ------
    KernelError
        "wrong parameters" if there is no such kernel, or its parameters do not fit the launch.

    Examples
    --------
    >>> x = np.zeros(3, np.float32)
    >>> number_types(
    ...     "__global__ void f(const float* x, long long n, float scale) {}",
    ...     Launch("f", (1,), (1,), {"x": x, "n": 3, "scale": 2}),
    ... )
    {'n': 'int64', 'scale': 'float32'}
    """
    declared = _parameters(source, launch.kernel)
    if len(declared) != len(launch.arguments):
        raise _wrong(
            f"{launch.kernel} has {len(declared)} parameters; {len(launch.arguments)} arguments are handed over"
        )
    found = {}
    for text, (name, value) in zip(declared, launch.arguments.items(), strict=True):
        pointer = "*" in text or text.endswith("]")
        words = re.sub(r"\[\w*\]$", "", _QUALIFIERS.sub(" ", text)).replace("*", " ").split()
        kind = " ".join(words if len(words) == 1 or " ".join(words) in TYPES else words[:-1])
        dtype = TYPES.get(kind)
        if isinstance(value, np.ndarray | Out):
            wanted = np.dtype(value.dtype).name
            if not pointer or (dtype is not None and dtype != wanted):
                raise _wrong(f"the parameter `{text}` is given an array of {wanted}")
        elif pointer:
            raise _wrong(f"the parameter `{text}` is a pointer, and {name} is the number {value!r}")
        elif dtype is None:
            raise _wrong(f"the parameter `{text}` has a type that cannot be launched with; use int, long long or float")
        else:
            found[name] = dtype
    return found


def _parameters(source: str, kernel: str) -> list[str]:
    text = _COMMENTS.sub(" ", source)
    for match in re.finditer(rf"\b{re.escape(kernel)}\s*\(", text):
        if "__global__" not in re.split(r"[;{}]", text[: match.start()])[-1].rsplit('extern "C"', 1)[-1]:
            continue
        inside = text[match.end() : text.index(")", match.end())]
        return [" ".join(part.split()) for part in inside.split(",") if part.strip() not in ("", "void")]
    raise _wrong(f"there is no __global__ function called {kernel}")


def _wrong(message: str) -> KernelError:
    return KernelError(Finding("wrong parameters", message))
