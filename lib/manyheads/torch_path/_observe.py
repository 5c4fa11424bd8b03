"""A place to watch from: `manyheads.probes` sees every call of what is marked here, and may change its result."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)

#: The last one is called as ``watcher(function, args, keywords)`` instead of the function. While it is, it does not
#: watch; the one before it does.
watchers: list[Callable[[Callable, tuple, dict], Any]] = []


def observable(function: F) -> F:
    """The function itself, unless somebody watches."""

    @functools.wraps(function)
    def watched(*args, **keywords):
        if not watchers or keywords.get(
            "explain"
        ):  # what computes nothing is nothing to see
            return function(*args, **keywords)
        watcher = watchers.pop()
        try:
            return watcher(watched, args, keywords)
        finally:
            watchers.append(watcher)

    return watched  # type: ignore[return-value]
