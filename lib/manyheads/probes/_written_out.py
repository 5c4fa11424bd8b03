"""Attention that is written out: a softmax, and later the product of its result with the values."""

import weakref

import torch
from torch import Tensor

from manyheads.probes._torchs import as_four

#: What may happen to weights before the product. Dropout is not part of what is recorded.
PASSED_ON = {
    "dropout", "to", "type", "type_as", "float", "half", "bfloat16", "double", "contiguous", "clone",
    "masked_fill", "nan_to_num", "view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze",
}  # fmt: skip
PRODUCTS = {"matmul", "__matmul__", "bmm"}


class Weights:
    """The result of a softmax that may be attention's."""

    def __init__(self, recorded: Tensor):
        self.recorded = recorded
        self.met, self.change = False, None


class WrittenOut:
    """What softmaxes gave, until a product takes it."""

    def __init__(self):
        self._known: dict[int, tuple[weakref.ref, Weights]] = {}

    def clear(self) -> None:
        self._known.clear()

    def call(self, found, func, args, kwargs):
        """Any function of torch."""
        name = getattr(func, "__name__", "")
        out = func(*args, **kwargs)
        if name == "softmax":
            return self.weights(out, args, kwargs)
        if name == "einsum":
            return self._einsum(found, args, out)
        # torch calls the first one input, tensor or self
        first = args[0] if args else next(iter(kwargs.values()), None)
        entry = self._of(first)
        if entry is None or not isinstance(out, Tensor):
            return out
        if name in PRODUCTS:
            change = self._met(found, entry)
            return out if change is None else change(as_four(out)).reshape(out.shape)
        if name in PASSED_ON:
            recorded = entry.recorded
            if name != "dropout":
                recorded = out if recorded is first else func(recorded, *args[1:], **kwargs)
            self._know(out, Weights(recorded))
        return out

    def weights(self, out: Tensor, args: tuple, kwargs: dict) -> Tensor:
        """A softmax: remembered if it is over the keys of three or more axes."""
        axis = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else -1))
        if out.ndim >= 3 and axis in (-1, out.ndim - 1):
            self._know(out, Weights(out))
        return out

    def _einsum(self, found, args, out):
        equation, *factors = args
        if len(factors) == 1 and isinstance(factors[0], list | tuple):
            factors = list(factors[0])
        entries = {i: entry for i, factor in enumerate(factors) if (entry := self._of(factor)) is not None}
        if not entries or not isinstance(equation, str) or len(factors) != 2:
            return out
        index, entry = next(iter(entries.items()))
        change = self._met(found, entry)
        return out if change is None else _change_product(change, equation, index, out)

    def _met(self, found, entry: Weights):
        """What to do to the result; the same weights in a second product are the same attention."""
        if not entry.met:
            four = as_four(entry.recorded)
            entry.met, entry.change = True, found(four.shape[1], lambda: four)
        return entry.change

    def _know(self, out: Tensor, entry: Weights) -> None:
        self._known[id(out)] = (weakref.ref(out), entry)

    def _of(self, x) -> Weights | None:
        reference, entry = self._known.get(id(x), (None, None))
        return entry if reference is not None and reference() is x else None


def _change_product(change, equation: str, index: int, out: Tensor) -> Tensor:
    """The result of an einsum with its axes as (batch, heads, q_len, width), changed, and back again."""
    into, _, result = equation.replace(" ", "").partition("->")
    term = into.split(",")[index]
    kept = [letter for letter in term[:-1] if letter in result]
    if "." in equation or not result or kept != list(term[:-1]) or len(result) != len(term):
        raise ValueError(f"the heads' results cannot be told in the einsum {equation!r}, so no head can be replaced")
    (width,) = (letter for letter in result if letter not in kept)
    order = [result.index(letter) for letter in (*kept, width)]
    moved = out.permute(order)
    changed = change(as_four(moved)).reshape(moved.shape)
    back = torch.argsort(torch.tensor(order)).tolist()
    return changed.permute(back)
