"""What a kernel has never stored: its buffers start with a NaN that no computation makes."""

import numpy as np

from manyheads.kernels.launching import Out

#: A NaN's lowest bits are free. The processor sets none of them.
_FREE_BITS = 0x15D


def unset(out: Out) -> np.ndarray:
    """The buffer before the launch, with a NaN of its own where it holds NaN.

    Examples
    --------
    >>> unset(Out((2,)))
    array([nan, nan], dtype=float32)
    """
    buffer = out.buffer()
    if buffer.dtype.kind == "f":
        bits = _bits(buffer)
        bits |= np.asarray(_FREE_BITS, bits.dtype)
    return buffer


def never_stored(found: dict[str, np.ndarray]) -> str:
    """A sentence for what still holds that NaN; empty if nothing does.

    Examples
    --------
    >>> never_stored({"out": unset(Out((2, 3)))})
    'Your kernel stored nothing to 6 of the 6 elements of out: they count as NaN.'
    >>> never_stored({"out": np.full(3, np.nan)})
    ''
    """
    told = []
    for name, array in found.items():
        count = int((_bits(array) == _bits(unset(Out((1,), array.dtype.name)))).sum()) if array.dtype.kind == "f" else 0
        if count:
            places = f"{count} of the {array.size} elements of {name}"
            told.append(f"Your kernel stored nothing to {places}: they count as NaN.")
    return " ".join(told)


def _bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}")
