"""Timing rivals against each other, in turns, so that whatever else the machine does falls on all of them."""

import time
from collections.abc import Callable


def in_turns(rivals: dict[str, Callable[[], object]], rounds: int = 25, pause: float = 0.0) -> dict[str, list[float]]:
    """Every time of each rival, in seconds.

    Parameters
    ----------
    rivals : dict of str to callable
        Called without arguments, each once a round, after one round that is not counted.
    rounds : int
    pause : float
        Seconds of rest before each call. The threads of NumPy's BLAS go on spinning for a while after a product,
        and take the cores from a rival that has threads of its own, such as torch.

    Returns
    -------
    dict of str to list of float

    Examples
    --------
    >>> {name: len(times) for name, times in in_turns({"sum": lambda: sum(range(10))}, rounds=3).items()}
    {'sum': 3}
    """
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for number in range(rounds + 1):
        for name, rival in rivals.items():
            time.sleep(pause)
            start = time.perf_counter()
            rival()
            if number:
                times[name].append(time.perf_counter() - start)
    return times


def interleaved(rivals: dict[str, Callable[[], object]], rounds: int = 25) -> dict[str, float]:
    """The best time of each rival, in seconds: whatever else a machine does can only make a run longer.

    Parameters
    ----------
    rivals, rounds
        As in `in_turns`.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> times = interleaved({"short": lambda: sum(range(10)), "long": lambda: sum(range(100_000))}, rounds=5)
    >>> times["short"] < times["long"]
    True
    """
    return {name: min(times) for name, times in in_turns(rivals, rounds).items()}
