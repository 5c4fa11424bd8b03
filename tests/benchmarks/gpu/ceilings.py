"""What this device can do at most, as measured: a big matrix product and a big copy."""

from typing import Any


def measure(watch, device: str, *, side: int, megabytes: int, dtype: str) -> dict[str, Any]:
    """TFLOP/s of a product of random matrices (zeros are quicker, since they use less power), GB/s of a copy.

    A copy reads and writes: both count.
    """
    import torch

    a, b = (torch.randn(side, side, device=device, dtype=getattr(torch, dtype)) for _ in range(2))
    product = watch.time(lambda: a @ b)
    source = torch.empty(megabytes * 10**6, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    copy = watch.time(lambda: target.copy_(source))
    return {
        "tflops": 2 * side**3 / product.median / 1e9,
        "gb_per_s": 2 * source.nbytes / copy.median / 1e6,
        "measured_by": f"{dtype} product of {side} x {side} matrices; copy of {megabytes} MB within the device",
    }
