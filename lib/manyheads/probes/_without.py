"""A model without some of its heads."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from manyheads import _require
from manyheads.probes._watch import LOOKED_FOR, Watch, heads_in, own_name


class Without:
    """The context of `manyheads.probes.ablated`; checked when it is made."""

    def __init__(self, model, heads, how: str):
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be an nn.Module, got {type(model).__name__}")
        self.model, self.how = model, how
        self.heads = _checked(model, heads)
        self.seen: dict[str, int] = {}
        self.watch: Watch | None = None

    def __enter__(self) -> None:
        self.seen.clear()
        self.watch = Watch(self.model, self._visit, self._at_end)
        self.watch.__enter__()

    def __exit__(self, *error) -> None:
        assert self.watch is not None  # entered before
        self.watch.__exit__(*error)

    def _visit(self, name: str, heads: int, _):
        self.seen[name] = heads
        chosen = self.heads.get(name)
        if not chosen:
            return None
        _check_heads(name, chosen, heads)
        return lambda out: self._replaced(out, chosen)

    def _replaced(self, out: Tensor, chosen: list[int]) -> Tensor:
        """(batch, heads, q_len, width) with the chosen heads' results replaced."""
        without = torch.zeros(out.shape[1], 1, 1, dtype=torch.bool, device=out.device)
        without[chosen] = True
        instead = out.new_zeros(()) if self.how == "zero" else out.mean(dim=(0, 2), keepdim=True)
        return torch.where(without, instead, out)

    def _at_end(self) -> None:
        """The whole model has run: what was asked for must have been met."""
        missing = [name for name in self.heads if name not in self.seen]
        if missing:
            raise ValueError(f"no attention was seen in {missing[0]!r}; {_there_are(self.seen)} ({LOOKED_FOR})")


@torch.no_grad()
def rises(model: Callable, loss: Callable[[], float], how: str) -> dict[tuple[str, int], float]:
    """The loss without each head, minus the loss with all."""
    found, whole = heads_in(model, loss)
    without = {}
    for name, heads in found.items():
        for head in range(heads):
            with Without(model, {name: [head]}, how):
                without[name, head] = float(loss()) - whole
    return without


def _checked(model: nn.Module, heads) -> dict[str, list[int]]:
    """Names that the model has, and heads that the modules have that say how many."""
    if not isinstance(heads, Mapping):
        raise TypeError(f"heads must be a dict of module name to list of heads, got {type(heads).__name__}")
    modules = {name or own_name(model): module for name, module in model.named_modules()}
    checked = {}
    for name, chosen in heads.items():
        module = modules.get(str(name).partition(" #")[0])
        if module is None:
            known = {n: count for n, m in modules.items() if (count := _count(m)) is not None}
            raise ValueError(f"heads names {name!r}, which is no module of the model; {_there_are(known or modules)}")
        if isinstance(chosen, str) or not hasattr(chosen, "__iter__"):
            raise TypeError(f"heads[{name!r}] must be a list of heads, got {chosen!r}")
        checked[name] = [_require.count(f"heads[{name!r}]", head, least=0) for head in chosen]
        count = _count(module)
        if count is not None:
            _check_heads(name, checked[name], count)
    return checked


def _count(module: nn.Module) -> int | None:
    """How many heads a module has, where it is of a kind that says so."""
    if isinstance(module, nn.MultiheadAttention):
        return module.num_heads
    config = getattr(module, "config", None)
    ours = type(config).__module__ == "manyheads.config"
    return config.n_heads if ours else None  # type: ignore[union-attr]  # an AttentionConfig


def _check_heads(name: str, chosen: list[int], count: int) -> None:
    for head in chosen:
        if head >= count:
            raise ValueError(f"heads[{name!r}] has head {head}, but its heads are 0 to {count - 1}")


def _there_are(names) -> str:
    return f"there are {', '.join(map(repr, names))}" if names else "none was seen anywhere in the model"
