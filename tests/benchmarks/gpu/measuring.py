"""One workload: inputs, every way that can do it held against exact numbers, then its time."""

import warnings
from collections.abc import Callable
from typing import Any

from . import counts
from .ways import RIVALS, exact, ways
from .workloads import Workload

#: Largest difference from float32, as a part of the largest value. Beyond it a way is wrong, and its time no result.
AT_MOST = {"bfloat16": 2e-2, "float16": 5e-3, "float32": 2e-5}


def measure(w: Workload, watch, device: str) -> dict[str, Any]:
    """What goes into the JSON file for a workload."""
    q, k, v, gradient = inputs(w, device)
    rows = w.q_len if w.q_len <= 2048 else 64
    expected = _results(w, exact(w, rows), q, k, v, gradient, rows)
    found: dict[str, dict[str, Any]] = {}
    for name, way in ways(w).items():
        found[name] = _one_way(w, way, watch, (q, k, v, gradient), expected, rows)
    return {
        **w.sizes(),
        "flops": counts.flops(w),
        "bytes": counts.read_and_written(w),
        "ways": found,
        **compared(found),
    }


def compared(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The rival, the first of `RIVALS` that could do it, and how many times its speed each way has."""
    rival = next((name for name in RIVALS if "milliseconds" in found.get(name, {})), None)
    if rival is None:
        return {"rival": None, "speed_beside_rival": {}}
    theirs = found[rival]["milliseconds"]
    speeds = {n: theirs / way["milliseconds"] for n, way in found.items() if n != rival and "milliseconds" in way}
    return {"rival": rival, "speed_beside_rival": speeds}


def inputs(w: Workload, device: str):
    """q, k, v and the gradient of the output, from a fixed seed; the first three ask for gradients where needed."""
    import torch

    generator = torch.Generator(device).manual_seed(0)

    def draw(heads, length, width):
        shape = (w.batch, heads, length, width)
        return torch.randn(shape, generator=generator, device=device).to(getattr(torch, w.dtype))

    q, k = draw(w.heads, w.q_len, w.head_dim), draw(w.kv_heads, w.k_len, w.head_dim)
    v, gradient = draw(w.kv_heads, w.k_len, w.v_head_dim), draw(w.heads, w.q_len, w.v_head_dim)
    if w.direction == "backward":
        q, k, v = (x.requires_grad_() for x in (q, k, v))
    return q, k, v, gradient


def _one_way(w, way, watch, tensors, expected, rows) -> dict[str, Any]:
    q, k, v, gradient = tensors
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            error = _error(_results(w, way, q, k, v, gradient, rows), expected)
            if not error <= AT_MOST[w.dtype]:  # a NaN is no small error
                return {"wrong": f"differs from float32 by {error:.2g} of the largest value", "error": error}
            times = watch.time(_call(w, way, q, k, v, gradient))
        except Exception as refusal:  # whatever a way raises, the others are still measured
            return {"cannot": _reason(refusal, told)}
    return {
        "milliseconds": times.median,
        "best": times.best,
        "n": times.n,
        "error": error,
        **counts.rates(w, times.median),
    }


def _call(w: Workload, way, q, k, v, gradient) -> Callable[[], object]:
    """What is timed: the forward pass, or the backward pass alone."""
    import torch

    if w.direction != "backward":
        return lambda: way(q, k, v)
    out = way(q, k, v)
    return lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)


def _results(w: Workload, way, q, k, v, gradient, rows):
    """Of batch item 0: the output's last rows, or dq's; where these are all of the rows, dk and dv too."""
    import torch

    if w.direction != "backward":
        return [way(q, k, v)[:1, :, -rows:].float()]
    out = way(q, k, v)
    given = gradient[: len(out), :, -out.shape[2] :].to(out.dtype)
    dq, dk, dv = torch.autograd.grad(out, (q, k, v), given)
    found = [dq[:1, :, -rows:].float()]
    return found + ([dk[:1].float(), dv[:1].float()] if rows == w.q_len else [])


def _error(found, expected) -> float:
    """The largest difference as a part of the largest value, of whichever tensor is worst."""
    return max(float((one - other).abs().max() / other.abs().max()) for one, other in zip(found, expected, strict=True))


def _reason(refusal: Exception, told) -> str:
    """One line; torch tells why a kernel cannot in warnings, and only that none can in the error."""
    lines = [str(refusal).strip().split("\n")[0] or type(refusal).__name__]
    lines += [str(w.message).split("\n")[0] for w in told if "kernel" in str(w.message).lower()]
    return "; ".join(dict.fromkeys(lines))[:400]
