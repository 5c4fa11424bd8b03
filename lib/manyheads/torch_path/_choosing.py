"""Which backend computes a call of attention, and why: one table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from manyheads import _require
from manyheads.kernels import cuda, triton
from manyheads.kernels.launching import NotHere
from manyheads.kernels.triton.decode import MOST_QUERIES
from manyheads.torch_path._call import Call

#: Keys from which on splitting them pays for the second kernel that merges the parts.
LONG = 1024

BACKENDS = ("auto", "math", "sdpa", "triton", "cuda")


@dataclass(frozen=True)
class Choice:
    """What `attention` would do, and why: what ``explain=True`` gives.

    Parameters
    ----------
    backend : {"math", "sdpa", "triton", "cuda"}
        What computes the call.
    because : str
        Why it, in half a sentence.
    others : dict
        For each other backend, why it is not taken, or what it would cost.

    Examples
    --------
    >>> print(Choice("math", "weights are asked for", {"sdpa": "cannot do return_weights"}))
    'math' computes this call: weights are asked for. Not 'sdpa': cannot do return_weights.
    """

    backend: str
    because: str
    others: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        told = [f"{self.backend!r} computes this call: {self.because}."]
        told += [
            f"Not {name!r}: {why}." for name, why in self.others.items()
        ]
        return " ".join(told)


class Asked(NamedTuple):
    """A call as the rules look at it."""

    q: Tensor
    k: Tensor
    v: Tensor
    call: Call
    return_weights: bool

    @property
    def sizes(self):
        return self.call.sizes

    @property
    def band_is_sdpas(self) -> bool:
        """No band, or plain causal with queries as many as keys: what its fast kernels know without a mask."""
        square = self.sizes.q_len == self.sizes.k_len
        return not self.call.band.limits or (
            self.call.band == (None, 0) and square
        )


class Rule(NamedTuple):
    """One reason; the first that holds decides."""

    holds: Callable[[Asked], bool]
    backend: str
    because: str


#: What "auto" takes. On a GPU torch's fused kernels are hard to beat where they take the call as it is; our Triton
#: kernels are for the calls that would send them down a slow path: a mask that was only a rule, K/V repeated.
RULES = (
    Rule(
        lambda a: a.return_weights,
        "math",
        "weights are asked for, and a fused kernel never has them all",
    ),
    Rule(
        lambda a: 0 in (*a.sizes, a.v.shape[3]),
        "math",
        "an axis has length 0, which fused kernels do not take",
    ),
    Rule(
        lambda a: not a.q.is_cuda and a.call.softcap is not None,
        "math",
        "there is a softcap, which torch's fused attention does not know",
    ),
    Rule(
        lambda a: not a.q.is_cuda,
        "sdpa",
        "on this device torch's fused attention is the fastest",
    ),
    Rule(
        lambda a: a.q.dtype == torch.float64 and a.call.softcap is not None,
        "math",
        "there is a softcap, and no fused kernel computes it in float64",
    ),
    Rule(
        lambda a: a.q.dtype == torch.float64,
        "sdpa",
        "in float64 torch computes it step by step itself",
    ),
    Rule(
        lambda a: (
            triton_cannot(a) is not None and a.call.softcap is not None
        ),
        "math",
        "there is a softcap, and the Triton kernels cannot do this call",
    ),
    Rule(
        lambda a: triton_cannot(a) is not None,
        "sdpa",
        "the Triton kernels cannot do this call",
    ),
    Rule(
        lambda a: a.call.softcap is not None,
        "triton",
        "there is a softcap, which torch's fused attention does not know",
    ),
    Rule(
        lambda a: a.call.mask is not None or a.call.bias is not None,
        "sdpa",
        "with a mask or bias every score is looked at anyway, and torch's memory-efficient kernel does that well",
    ),
    Rule(
        lambda a: not a.band_is_sdpas,
        "triton",
        "torch's fused attention would need this window or bottom-right causal mask as a tensor of "
        "(q_len, k_len), and would compute what it forbids",
    ),
    Rule(
        lambda a: a.q.dtype == torch.float32,
        "sdpa",
        "in float32 torch's memory-efficient kernel uses more of the GPU than our exact products",
    ),
    Rule(
        lambda a: a.sizes.head_dim != a.v.shape[3],
        "triton",
        "head_dim and v_head_dim differ, which torch's flash kernel does not take",
    ),
    Rule(
        lambda a: True,
        "sdpa",
        "torch's flash kernel takes this call as it is",
    ),
)


def choose(backend: str, asked: Asked, explain: bool = False) -> Choice:
    """What computes the call; a backend named that cannot is refused. Only `explain` looks at the others."""
    if backend == "auto":
        rule = next(rule for rule in RULES if rule.holds(asked))
        chosen, because = rule.backend, rule.because
    else:
        refuse(backend, asked)
        chosen, because = backend, f"backend={backend!r} asks for it"
        if backend == "sdpa" and 0 in (*asked.sizes, asked.v.shape[3]):
            chosen = "math"
            because = "an axis has length 0, which 'sdpa' does not take"
    if not explain:
        return Choice(chosen, because)
    others = {
        name: why_not(name, asked) or "it could too"
        for name in BACKENDS[1:]
        if name != chosen
    }
    return Choice(chosen, because, others)


def refuse(backend: str, asked: Asked) -> None:
    """Say what a backend that was named cannot do, before anything runs."""
    check_backend(
        backend, asked.return_weights, asked.call.softcap, like=asked.q
    )
    if backend == "triton":
        why = _triton(asked)
        if why is not None:
            raise ValueError(
                f"backend='triton' cannot do {why}; use 'math' or 'auto'"
            )
    if backend == "cuda":
        why = _cuda(asked)
        if why is not None:
            raise ValueError(f"backend='cuda' cannot do this call: {why}")


def check_backend(
    backend="auto", return_weights=False, softcap=None, like=None, **_
) -> None:
    """A backend that can do what is asked of it, as far as that is known before there are q, k and v.

    `like` is a tensor on the device that will be computed on.
    """
    _require.one_of("backend", backend, BACKENDS)
    lacks = []
    if return_weights:
        lacks.append("return_weights")
    if softcap is not None and backend == "sdpa":
        lacks.append("softcap")
    if backend not in ("auto", "math") and lacks:
        raise ValueError(
            f"backend={backend!r} cannot do {' and '.join(lacks)}; use 'math' or 'auto'"
        )
    if backend == "triton" and like is not None:
        missing = triton.not_here(like.device)
        if missing is not None:
            raise NotHere(f"backend='triton' is not here: {missing}")


def decodes(q: Tensor, k: Tensor, v: Tensor, call: Call) -> bool:
    """Whether "triton" splits the keys over programs: few queries alone keep no GPU busy on a long cache."""
    trains = torch.is_grad_enabled() and any(
        x.requires_grad for x in (q, k, v)
    )
    added = call.mask is not None or call.bias is not None
    few = 0 < call.sizes.q_len <= MOST_QUERIES
    return few and call.sizes.k_len >= LONG and not trains and not added


def why_not(name: str, asked: Asked) -> str | None:
    """Why a backend is out of the question, or is not taken."""
    if name == "math":
        return "it holds all the scores at once"
    if name == "sdpa":
        if asked.return_weights:
            return "it gives no weights"
        if asked.call.softcap is not None:
            return "it knows no softcap"
        if not asked.band_is_sdpas:
            return "it needs this window or causal mask as a tensor"
        return None
    if name == "triton":
        why = _triton(asked)
        if why is not None:
            return f"it cannot do {why}"
        return triton.not_here(asked.q.device)
    return _cuda(asked)


def triton_cannot(asked: Asked) -> str | None:
    return _triton(asked) or triton.not_here(asked.q.device)


def _triton(asked: Asked) -> str | None:
    q, k, v, call, weights = asked
    return triton.cannot(
        q, k, v, mask=call.mask, bias=call.bias, return_weights=weights
    )


def _cuda(asked: Asked) -> str | None:
    q, k, v, call, weights = asked
    return cuda.cannot(
        q, k, v, mask=call.mask, bias=call.bias, return_weights=weights
    )
