"""The most memory that a call holds at once. NumPy reports its arrays to tracemalloc, so this does not vary."""

import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple


class Peak(NamedTuple):
    result: Any
    nbytes: int  # what is returned included, what was there before left out


def peak_of(call: Callable[[], object]) -> Peak:
    """Call once, and say what it gave and how much was held at worst."""
    tracemalloc.start()
    try:
        result = call()
        return Peak(result, tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
