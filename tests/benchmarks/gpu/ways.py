"""What computes a workload: the library's kernels, and the rivals that come with torch."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from .workloads import Workload

#: The first is what a ratio is taken against, the next where the first cannot do the workload.
RIVALS = ("SDPA flash", "SDPA cuDNN", "SDPA efficient")


def ways(w: Workload) -> dict[str, Callable[..., Any]]:
    """By name, a function of (q, k, v) that gives the output. A name that cannot do the workload raises when called."""
    if w.direction == "decode":
        ours: dict[str, Callable[..., Any]] = {"Triton decode": _decode, "Triton": _library(w, "triton")}
    else:
        ours = {"Triton": _library(w, "triton")}
    if w.dtype == "float32":
        ours["CUDA C++"] = _library(w, "cuda")
        return {**ours, "SDPA efficient": _sdpa(w, "EFFICIENT_ATTENTION")}
    return {**ours, "SDPA flash": _sdpa(w, "FLASH_ATTENTION"), "SDPA cuDNN": _sdpa(w, "CUDNN_ATTENTION")}


def exact(w: Workload, rows: int = 64) -> Callable[..., Any]:
    """The last `rows` queries of the first batch item, step by step in float32: what every way is held against."""
    from manyheads import torch_path

    def call(q, k, v):
        last = q[:1, :, -rows:].float()
        return torch_path.attention(last, k[:1].float(), v[:1].float(), causal=w.causal, backend="math")

    return call


def _library(w: Workload, backend: str) -> Callable[..., Any]:
    from manyheads import torch_path

    return lambda q, k, v: torch_path.attention(q, k, v, causal=w.causal, backend=backend)


def _decode(q, k, v):
    from manyheads.kernels.triton.decode import decode_attention

    return decode_attention(q, k, v)


def _sdpa(w: Workload, kernel: str) -> Callable[..., Any]:
    def call(q, k, v):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        # torch draws causal at the top left: the same as ours for as many queries as keys, and one query sees all.
        causal = w.causal and w.q_len > 1
        grouped = {"enable_gqa": True} if w.heads != w.kv_heads else {}
        with sdpa_kernel(getattr(SDPBackend, kernel)) if kernel else nullcontext():
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **grouped)

    return call
