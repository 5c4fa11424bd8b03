"""How long a call takes, on a GPU or, for a dry run, on the CPU."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Times:
    """Milliseconds: the median of `n` repetitions, and the quickest of them."""

    median: float
    best: float
    n: int


class OnGpu:
    """CUDA events around each repetition.

    Before each one a buffer much larger than the second-level cache is overwritten: decoding then reads its keys
    from memory, as it does in a model. It is done thrice, about half a millisecond in all: meanwhile Python gets
    ahead with the launches, so that the time between the events is the GPU's and not Python's.
    """

    def __init__(self, at_most: int = 40, seconds: float = 0.25):
        import torch

        self.torch, self.at_most, self.seconds = torch, at_most, seconds
        cache = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0) or 64 * 2**20
        self.flushed = torch.empty(max(2 * cache, 512 * 2**20), dtype=torch.uint8, device="cuda")

    def time(self, call: Callable[[], object]) -> Times:
        """After three calls that are not counted: the first may have to compile."""
        for _ in range(2):
            call()
        roughly = self._once(call)
        n = max(5, min(self.at_most, int(1e3 * self.seconds / max(roughly, 1e-3))))
        found = [self._once(call, wait=False) for _ in range(n)]
        self.torch.cuda.synchronize()
        elapsed = [start.elapsed_time(end) for start, end in found]
        return Times(median(elapsed), min(elapsed), n)

    def _once(self, call, wait: bool = True):
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        for _ in range(3):
            self.flushed.zero_()
        start.record()
        call()
        end.record()
        if not wait:
            return start, end
        self.torch.cuda.synchronize()
        return start.elapsed_time(end)


class OnCpu:
    """For a dry run: it shows that a call runs, and its times mean nothing."""

    def time(self, call: Callable[[], object]) -> Times:
        start = time.perf_counter()
        call()
        elapsed = 1e3 * (time.perf_counter() - start)
        return Times(elapsed, elapsed, 1)
