"""The peak of memory of one call, as Python and NumPy report it. A judge outside measures the process instead."""

import contextlib
import tracemalloc
from collections.abc import Iterator


class Peak:
    """What was held at most, in bytes beyond what was held at the start; None where nobody asked."""

    def __init__(self, asked: bool):
        self.bytes: int | None = None
        self._running = asked
        self._started_here = asked and not tracemalloc.is_tracing()
        if self._started_here:
            tracemalloc.start()
        if asked:
            tracemalloc.reset_peak()
            self._before = tracemalloc.get_traced_memory()[0]

    def stop(self) -> None:
        """Read the peak; later calls change nothing."""
        if self._running:
            self._running = False
            self.bytes = max(0, tracemalloc.get_traced_memory()[1] - self._before)
            if self._started_here:
                tracemalloc.stop()


@contextlib.contextmanager
def peak(asked: bool) -> Iterator[Peak]:
    """Measures what is allocated inside, if `asked`."""
    held = Peak(asked)
    try:
        yield held
    finally:
        held.stop()
