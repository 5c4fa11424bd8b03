"""Watching a model run: every attention in it, once, under the name of its module."""

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from manyheads.probes import _torchs
from manyheads.probes._written_out import WrittenOut
from manyheads.torch_path import _observe, attention, softmax

LOOKED_FOR = (
    "looked for manyheads.torch_path.attention, torch's scaled_dot_product_attention and nn.MultiheadAttention, and "
    "a softmax over the last of three or more axes whose result is the first factor of a matrix product"
)

#: Given to a visitor: the weights when asked for, 4 axes. It gives back what to do to the heads' results, or None.
Visitor = Callable[[str, int, Callable[[], Tensor]], Callable[[Tensor], Tensor] | None]


class Watch(TorchFunctionMode):
    """Inside this context, calls of the model show each attention to a visitor, which may change the heads' results."""

    def __init__(self, model: Callable, visit: Visitor, at_end: Callable[[], None] = lambda: None):
        super().__init__()
        self.model, self.visit, self.at_end = model, visit, at_end
        self.names: list[str] = []  # of the modules that run now, innermost last
        self.seen: Counter[str] = Counter()
        self.written = WrittenOut()
        self.busy = False
        self.hooks: list = []
        self.eager: AbstractContextManager = nullcontext()

    def __enter__(self):
        if isinstance(self.model, nn.Module):
            for name, module in self.model.named_modules():
                name = name or own_name(self.model)
                enter = module.register_forward_pre_hook(lambda *_, name=name: self._begin(name), prepend=True)
                leave = module.register_forward_hook(lambda *_: self._end(), always_call=True)
                self.hooks += [enter, leave]
        if "torch._dynamo" in sys.modules:  # compiled code would run past us
            self.eager = torch.compiler.set_stance("force_eager")
        self.eager.__enter__()
        _observe.watchers.append(self._ours)
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        _observe.watchers.remove(self._ours)
        self.eager.__exit__(*error)
        for hook in self.hooks:
            hook.remove()
        self.hooks.clear()
        self.names.clear()

    def _begin(self, name: str) -> None:
        if not self.names:
            self.seen.clear()
        self.names.append(name)

    def _end(self) -> None:
        # A model that failed has not met all that it has; torch runs the hook while it handles the error.
        whole = self.names == [own_name(self.model)] and sys.exc_info()[0] is None
        self.names.pop()
        if not self.names:
            self.written.clear()
            if whole:
                self.at_end()

    def begin_function(self) -> None:
        """The model is a plain function, which has no hooks."""
        self._begin(own_name(self.model))

    def found(self, heads: int, weights: Callable[[], Tensor]):
        """An attention, met in the module that runs now."""
        name = self.names[-1]
        self.seen[name] += 1
        numbered = name if self.seen[name] == 1 else f"{name} #{self.seen[name]}"
        return self.visit(numbered, heads, lambda: _unseen(weights))

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.busy or not self.names:
            return func(*args, **kwargs)
        if func is nn.functional.scaled_dot_product_attention:
            return _torchs.scaled_dot_product(self.found, func, args, kwargs)
        if func is nn.functional.multi_head_attention_forward:
            return _torchs.multi_head(self.found, func, args, kwargs)
        return self.written.call(self.found, func, args, kwargs)

    def _ours(self, function, args, keywords):
        """A call of this library's attention or softmax, which are seen whole: not what they do inside."""
        before, self.busy = self.busy, True
        try:
            out = function(*args, **keywords)
        finally:
            self.busy = before
        if before or not self.names:
            return out
        if function is softmax:
            return self.written.weights(out, args, keywords)

        def weights() -> Tensor:
            return attention(*args, **{**keywords, "return_weights": True, "backend": "math"})[1]

        result = out[0] if isinstance(out, tuple) else out
        change = self.found(result.shape[1], weights)
        if change is None:
            return out
        return (change(result), out[1]) if isinstance(out, tuple) else change(result)


def _unseen(compute: Callable[[], Tensor]) -> Tensor:
    """What is computed only to be shown is not seen itself, by no watch around this one either."""
    watchers = _observe.watchers[:]
    _observe.watchers.clear()
    try:
        with torch._C.DisableTorchFunction():
            return compute()
    finally:
        _observe.watchers[:] = watchers


def own_name(model: Callable) -> str:
    """What the model itself goes by: its class, or a function's name."""
    return type(model).__name__ if isinstance(model, nn.Module) else getattr(model, "__name__", type(model).__name__)


def run_and_record(model: Callable, inputs: tuple, keywords: dict) -> dict:
    """The weights of one run, by name."""
    maps = {}

    def visit(name, heads, weights):
        maps[name] = weights().detach().float().cpu().numpy()

    with torch.no_grad(), Watch(model, visit) as watch:
        if not isinstance(model, nn.Module):
            watch.begin_function()
        model(*inputs, **keywords)
    _something(maps, model)
    return maps


def heads_in(model: Callable, loss: Callable[[], float]) -> tuple[dict[str, int], float]:
    """The heads of each attention that runs inside `loss`, by name, and what it gave."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be an nn.Module, got {type(model).__name__}")
    if not callable(loss):
        raise TypeError(f"loss must be a function without arguments, got {type(loss).__name__}")
    found: dict[str, int] = {}

    def visit(name, heads, weights):
        found[name] = heads

    with Watch(model, visit):
        whole = float(loss())
    _something(found, model)
    return found, whole


def _something(found: dict, model: Callable) -> None:
    if not found:
        raise ValueError(f"no attention was seen in {own_name(model)}: {LOOKED_FOR}")
