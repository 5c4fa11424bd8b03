"""Where a cache keeps which token: bookkeeping on the host, the same for NumPy and for torch."""

from typing import NamedTuple

import numpy as np

from manyheads import _require


class Placement(NamedTuple):
    """Where a chunk of tokens goes, and what its queries may see."""

    writes: list[tuple[np.ndarray, np.ndarray]]  # for each sequence: slots, and the chunk's tokens that go there
    run: slice | None  # the slots, where they are one run and the same for every sequence
    write_first: bool  # False: the chunk would overwrite keys that its own queries need
    used: int  # slots in use, from slot 0, in the longest sequence
    key_positions: np.ndarray  # (batch or 1, keys); -1 is an empty slot
    query_positions: np.ndarray  # (batch or 1, queries); -1 is padding


class Slots:
    """Positions of tokens in slots. With a window the slots are a ring: position p lies in slot ``p % window``."""

    def __init__(self, batch: int, capacity: int, window: int | None):
        self.capacity = capacity
        self.window = window
        self.lengths = np.zeros(batch, np.int64)
        self.positions = np.full((batch, capacity), -1, np.int64)

    def place(self, new: int, lengths) -> Placement:
        """Room for `new` more tokens, of which `lengths` are real in each sequence; refused before anything changes."""
        batch = len(self.lengths)
        real = self._real(new, lengths)
        even = batch > 0 and bool((real == new).all() and (self.lengths == self.lengths[0]).all())
        index = np.arange(new)
        queries = np.where(index < real[:, None], self.lengths[:, None] + index, -1)
        write_first = self._write_first(new)
        before = self.positions[:, : self._used()].copy()
        writes, run = self._writes(real, even)
        for item, (slots, tokens) in enumerate(writes):
            self.positions[item, slots] = queries[item, tokens]
        self.lengths = self.lengths + real
        used = self._used()
        keys = self.positions[:, :used] if write_first else np.concatenate([before, queries], axis=1)
        if even:  # one row stands for all sequences
            keys, queries = keys[:1], queries[:1]
        return Placement(writes, run, write_first, used if write_first else before.shape[1], keys, queries)

    def keys_after(self, new: int, lengths) -> int:
        """The keys of `place`'s answer; refused as there, and nothing changes."""
        real = self._real(new, lengths)
        if not self._write_first(new):
            return self._used() + new
        return min(int((self.lengths + real).max(initial=0)), self.capacity)

    def _write_first(self, new: int) -> bool:
        return self.window is None or new <= 1

    def _real(self, new: int, lengths) -> np.ndarray:
        """The real tokens of each sequence, where there is room for them."""
        real = self._whole(lengths, new)
        if real.size and not (real.min() >= 0 and real.max() <= new):
            raise ValueError(f"lengths must be from 0 to the {new} tokens given, got {real.tolist()}")
        after = self.lengths + real
        if self.window is None and after.max(initial=0) > self.capacity:
            item = int(after.argmax())
            raise ValueError(
                f"the cache holds {self.capacity} tokens a sequence; sequence {item} has {self.lengths[item]}, and "
                f"{real[item]} more do not fit: make the cache with capacity={after[item]} or more"
            )
        return real

    def _whole(self, lengths, new: int) -> np.ndarray:
        batch = len(self.lengths)
        if lengths is None:
            return np.full(batch, new, np.int64)
        given = lengths.tolist() if _require.kind_of(lengths) else lengths
        try:
            real = np.asarray(given)
        except ValueError:  # rows of different lengths
            real = np.empty((0, 0))
        if real.shape != (batch,) or (batch and not np.issubdtype(real.dtype, np.integer)):
            raise ValueError(f"lengths must be {batch} whole numbers, one for each sequence, got {given!r}")
        return real.astype(np.int64)

    def _writes(self, real: np.ndarray, even: bool):
        writes = []
        for length, count in zip(self.lengths, real, strict=True):
            tokens = np.arange(max(0, count - self.capacity), count)  # of a long chunk, what the ring can keep
            writes.append(((length + tokens) % self.capacity, tokens))
        if not even or not 0 < real[0] <= self.capacity:
            return writes, None
        start = int(self.lengths[0] % self.capacity)
        fits = start + real[0] <= self.capacity  # else it wraps around the ring's end
        return writes, slice(start, start + int(real[0])) if fits else None

    def _used(self) -> int:
        return min(int(self.lengths.max(initial=0)), self.capacity)


def visible(placement: Placement, window: int | None) -> np.ndarray:
    """The mask (batch or 1, 1, queries, keys): up to a query's own position, within the window, real tokens only."""
    key = placement.key_positions[:, None, :]
    query = placement.query_positions[:, :, None]
    allowed = (key >= 0) & (key <= query)
    if window is not None:
        allowed &= key > query - window
    return allowed[:, None]


def window_or_capacity(capacity, window) -> tuple[int, int | None]:
    """The number of slots, from the two ways to say it."""
    if window is not None:
        window = _require.count("window", window)
        if capacity is not None:
            _require.same("capacity", _require.count("capacity", capacity), "window", window)
        return window, window
    if capacity is None:
        raise ValueError("give capacity, the tokens that the cache can hold, or window, the tokens that it keeps")
    return _require.count("capacity", capacity), None
