"""A function as an argument: the student's function asks, the checker answers and notes what was asked."""

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

#: No answer needs so many calls; one that makes them would not end.
MOST_CALLS = 100_000


class Supply:
    """What a checker hands out piece by piece, such as the tiles of a blocked computation.

    What is never asked for cannot have been used. So skipped work can be seen from outside, and a judge can answer
    from another process: only numbers and arrays go to and fro.

    Parameters
    ----------
    answer : callable
        Gets whole numbers as Python ints, tuples of them, and arrays as copies. It may raise ValueError or
        IndexError, with a message for the student, where there is nothing of the kind.

    Examples
    --------
    >>> letter = Supply(lambda i: "abc"[i])
    >>> letter(1), letter(np.int64(1)), letter.asked
    ('b', 'b', Counter({(1,): 2}))
    """

    def __init__(self, answer: Callable[..., Any]):
        self._answer = answer
        self.asked: Counter[tuple] = Counter()  #: the arguments of every call -> how often

    def __call__(self, *arguments, **named):
        if named:
            raise TypeError(f"write the arguments without their names, not {next(iter(named))}=…")
        if self.asked.total() >= MOST_CALLS:
            raise RuntimeError(f"more than {MOST_CALLS:,} calls; does your function end?")
        plain = tuple(map(_plain, arguments))
        self.asked[tuple(map(_noted, plain))] += 1
        return self._answer(*plain)

    def __getitem__(self, key):
        raise TypeError("this is a function: call it with round brackets")

    def __deepcopy__(self, memo) -> "Supply":
        """The same answers, nothing asked yet: every run of a case starts with it."""
        return Supply(self._answer)


def _plain(argument):
    """An argument as another process would get it."""
    if isinstance(argument, (bool, np.bool_)):
        return bool(argument)
    if isinstance(argument, (int, np.integer)):
        return int(argument)
    if isinstance(argument, np.ndarray) and argument.ndim == 0 and argument.dtype.kind in "iu":
        return int(argument)
    if isinstance(argument, (list, tuple)):
        return tuple(map(_plain, argument))
    return copy.deepcopy(argument)


def _noted(argument):
    """What can be counted: an array stands for any array of its shape."""
    if isinstance(argument, np.ndarray):
        return f"an array {argument.shape}"
    try:
        hash(argument)
    except TypeError:
        return type(argument).__name__
    return argument
