"""Memory for interpreted kernels: made-up addresses, every load and store looked at before it happens.

Each argument gets a range of addresses of its own, so far from the others that no slip leads from one into the next.
They are not real: a wrong one cannot touch anything. What a masked lane without `other` gets is undefined on a GPU;
here it is NaN (a whole number: its largest), so that a kernel that uses it does not come out right by luck.
"""

import numpy as np

_SPACING = 1 << 40  # bytes from one argument's addresses to the next


class OutOfBounds(Exception):  # noqa: N818 - what is found, in the report's words
    """A load or store outside the argument that its pointer was made from."""


class ReadOnly(Exception):  # noqa: N818
    """A store to an argument that the kernel may only read."""


class Told(Exception):  # noqa: N818
    """What else is wrong with a line, in the report's own words."""


class Memory:
    """The arguments that are arrays, by name; `written` are those that the kernel may store to."""

    def __init__(self, arrays: dict[str, np.ndarray], written: set[str]):
        self.names = list(arrays)
        self.flat = [array.reshape(-1) for array in arrays.values()]
        self.written = written

    def address(self, name: str) -> int:
        """Where the first element of an argument stands."""
        return (self.names.index(name) + 1) * _SPACING

    def load(self, pointers: np.ndarray, mask: np.ndarray, other: np.ndarray | None, dtype: np.dtype) -> np.ndarray:
        """What stands at the pointers, where `mask` is True; elsewhere `other`."""
        if other is None:
            undefined = np.nan if dtype.kind == "f" else dtype.kind == "b" or np.iinfo(dtype).max
            result = np.full(pointers.shape, undefined, dtype)
        else:
            result = np.array(np.broadcast_to(other, pointers.shape), dtype)
        for lanes, argument, places in self._places(pointers, mask, dtype, "tl.load reads"):
            result[lanes] = self.flat[argument][places]
        return result

    def store(self, pointers: np.ndarray, values: np.ndarray, mask: np.ndarray) -> None:
        """Write values where `mask` is True."""
        values = np.broadcast_to(values, pointers.shape)
        for lanes, argument, places in self._places(pointers, mask, values.dtype, "tl.store writes"):
            if self.names[argument] not in self.written:
                raise ReadOnly(f"tl.store writes to {self.names[argument]}, which this kernel may only read.")
            self.flat[argument][places] = values[lanes]

    def _places(self, pointers, mask, dtype, does):
        """Per argument: the lanes that point to it, and which of its elements they mean."""
        lanes = np.broadcast_to(mask, pointers.shape).astype(bool)
        active = pointers[lanes]
        if not active.size:
            return
        # Half a range before an argument's first element still counts as before that argument.
        owners = ((active + np.uint64(_SPACING // 2)) // np.uint64(_SPACING)).astype(np.int64) - 1
        for owner in np.unique(owners):
            if not 0 <= owner < len(self.flat):
                raise OutOfBounds(f"{does} at an address that no argument is near: was the pointer made from one?")
            mine = owners == owner
            offsets = active[mine].astype(np.int64) - (int(owner) + 1) * _SPACING
            places, size = offsets // dtype.itemsize, self.flat[owner].size
            wrong = places[(places < 0) | (places >= size)]
            if wrong.size:
                raise OutOfBounds(self._sentence(does, owner, wrong, places.size, size))
            if mine.all():
                yield lanes, owner, places
            else:
                some = lanes.copy()
                some[lanes] = mine
                yield some, owner, places

    def _sentence(self, does: str, owner: int, wrong: np.ndarray, count: int, size: int) -> str:
        name = self.names[owner]
        first = int(wrong[0])
        where = "before the start" if first < 0 else "past the end"
        many = f"{wrong.size} of {count} elements" if count > 1 else "an element"
        return f"{does} {many} {where} of {name}: element {first} of {size} (0 to {size - 1})."
