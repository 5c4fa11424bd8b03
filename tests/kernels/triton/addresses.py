"""Every load and store of an interpreted kernel is one of an element of its arguments, and none is written twice.

Interpreted, a load beyond an array gives what lies there, and a store overwrites it; both go unnoticed more often than
not. On a GPU they end the launch, and two programs that write one element do so in any order.
"""

import numpy as np
import torch
from triton.runtime import interpreter

#: Above this many elements an argument's addresses are not listed: none of our tests needs it.
MOST = 1 << 22


class Addresses:
    """Where the elements of a launch's arguments stand; views count with their own elements only."""

    def __init__(self, arguments):
        places = [np.zeros(0, np.uint64)]
        for x in arguments:
            if isinstance(x, torch.Tensor):
                assert x.numel() <= MOST, f"an argument of {x.numel()} elements; at most {MOST} are looked at"
                places.append(_elements(x))
        self.known = np.unique(np.concatenate(places))
        self.written = np.zeros(len(self.known), bool)

    def check(self, pointers: np.ndarray, mask: np.ndarray, does: str) -> np.ndarray:
        """The places in `known` of what the lanes under the mask point to."""
        active = pointers[np.broadcast_to(mask, pointers.shape).astype(bool)].astype(np.uint64)
        found = np.searchsorted(self.known, active)
        inside = found < len(self.known)
        inside[inside] = self.known[found[inside]] == active[inside]
        assert inside.all(), f"{does} {(~inside).sum()} of {inside.size} elements that are none of the arguments'"
        return found

    def store(self, pointers: np.ndarray, mask: np.ndarray) -> None:
        """Check a store, and remember what it wrote."""
        found = self.check(pointers, mask, "tl.store writes")
        assert not self.written[found].any(), "tl.store writes elements that were written before"
        self.written[found] = True


def _elements(x: torch.Tensor) -> np.ndarray:
    """Address of each element. A dimension of stride 0 is the same elements again."""
    places = np.array([x.data_ptr()], np.int64)
    for size, stride in zip(x.shape, x.stride(), strict=True):
        steps = np.arange(min(size, 1) if stride == 0 else size) * (stride * x.element_size())
        places = (places[:, None] + steps).reshape(-1)
    return places.astype(np.uint64)


def watch(monkeypatch) -> None:
    """From now on, for each launch."""
    launch = interpreter.GridExecutor.__call__
    load, store = interpreter._interpreter.load, interpreter._interpreter.store
    launches: list[Addresses] = []

    def launched(self, *args, **keywords):
        launches.append(Addresses([*args, *keywords.values()]))
        try:
            return launch(self, *args, **keywords)
        finally:
            launches.pop()

    def loaded(pointers, mask, *rest):
        launches[-1].check(pointers, mask, "tl.load reads")
        return load(pointers, mask, *rest)

    def stored(pointers, values, mask):
        launches[-1].store(pointers, mask)
        return store(pointers, values, mask)

    class Checked:
        """In the place of the module that moves the bytes."""

        def __getattr__(self, name):
            return {"load": loaded, "store": stored}.get(name) or getattr(real, name)

    real = interpreter._interpreter
    monkeypatch.setattr(interpreter.GridExecutor, "__call__", launched)
    monkeypatch.setattr(interpreter, "_interpreter", Checked())
