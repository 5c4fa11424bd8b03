"""One training loop for all studies, and a random state of its own."""

import contextlib
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor, nn

#: The training loss is noted this often, in steps.
NOTED = 10


@contextlib.contextmanager
def own_random_state(seed: int) -> Iterator[torch.Generator]:
    """One thread and a seed inside, the caller's threads and random state after. Gives a generator for the data."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # sums in one order: the same numbers every time
        try:
            with torch.enable_grad():
                yield torch.Generator().manual_seed(seed + 1)
        finally:
            torch.set_num_threads(threads)


def train(model: nn.Module, loss: Callable[[], Tensor], steps: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Adam, with a rate that warms up and then falls; the steps at which the loss was noted, and the losses."""
    warmup = steps // 10
    adam = torch.optim.Adam(model.parameters(), rate, betas=(0.9, 0.98))
    shape = torch.optim.lr_scheduler.LambdaLR(adam, lambda s: min((s + 1) / warmup, 1.0) * max(1 - s / steps, 0.02))
    noted, losses = [], []
    for step in range(steps):
        now = loss()
        adam.zero_grad()
        now.backward()
        adam.step()
        shape.step()
        if step % NOTED == 0 or step == steps - 1:
            noted.append(step)
            losses.append(now.item())
    return np.array(noted), np.array(losses)
