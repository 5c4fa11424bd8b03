"""From tensors to launches: grids, strides and blocks."""

from typing import Any

import torch
from torch import Tensor

from manyheads.kernels.triton.backward_delta import delta_kernel
from manyheads.kernels.triton.backward_keys import key_gradients_kernel
from manyheads.kernels.triton.backward_queries import query_gradients_kernel
from manyheads.kernels.triton.configs import Config, choose, columns
from manyheads.kernels.triton.forward import forward_kernel


def forward(q, k, v, mask, bias, lengths, left, right, scale, softcap) -> tuple[Tensor, Tensor]:
    """Output (batch, heads, q_len, v_head_dim), and log-sum-exp (batch, heads, q_len) in float32."""
    batch, heads, q_len, _ = q.shape
    out, lse = forward_buffers(q, v)
    config = _config("forward", q, v, mask, bias, left, softcap)
    grid = (blocks_of(q_len, config.block_q), heads, batch)
    inputs, numbers = _inputs(q, k, v, mask, bias, lengths), _numbers(q, k, left, right, scale, softcap)
    _run(forward_kernel, grid, q, (*inputs, out, out.stride(), lse, *numbers), _constants(q, v, config))
    return out, lse


def backward(d_out, q, k, v, out, lse, mask, bias, lengths, left, right, scale, softcap) -> tuple[Tensor, ...]:
    """Gradients of q, k and v, each contiguous."""
    batch, heads, q_len, _ = q.shape
    kv_heads, k_len = k.shape[1:3]
    d_q, d_k, d_v = (torch.empty_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))
    delta = torch.empty_like(lse)
    d_out = _within_32_bits(d_out)
    inputs, numbers = _inputs(q, k, v, mask, bias, lengths), _numbers(q, k, left, right, scale, softcap)
    incoming = (d_out, d_out.stride())

    width = {"V_HEAD_DIM": v.shape[3], "V_COLUMNS": columns(v.shape[3]), "BLOCK_Q": 64}
    grid = (blocks_of(q_len, 64), heads, batch)
    _run(delta_kernel, grid, q, (out, out.stride(), *incoming, delta, q_len), width)

    config = _config("queries", q, v, mask, bias, left, softcap)
    grid = (blocks_of(q_len, config.block_q), heads, batch)
    given = (*inputs, *incoming, lse, delta, d_q, d_q.stride(), *numbers)
    _run(query_gradients_kernel, grid, q, given, _constants(q, v, config))

    config = _config("keys", q, v, mask, bias, left, softcap)
    grid = (blocks_of(k_len, config.block_k), kv_heads, batch)
    given = (*inputs, *incoming, lse, delta, d_k, d_k.stride(), d_v, d_v.stride(), *numbers)
    _run(key_gradients_kernel, grid, q, given, _constants(q, v, config))
    return d_q, d_k, d_v


def _run(kernel: Any, grid: tuple[int, int, int], like: Tensor, arguments: tuple, constants: dict) -> None:
    """A launch on the device of `like`, which need not be the current one; none where there is nothing to fill."""
    if 0 not in grid:
        with torch.cuda.device_of(like):
            kernel[grid](*arguments, **constants)


def forward_buffers(q: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """What forward fills: contiguous, whatever the inputs are; the log-sum-exp never in 16 bits."""
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    return q.new_empty((*q.shape[:3], v.shape[3])), q.new_empty(q.shape[:3], dtype=wide)


def blocks_of(length: int, block: int) -> int:
    return -(-length // block)


def _inputs(q, k, v, mask, bias, lengths) -> list:
    """Tensors and their strides; a mask or bias broadcasts by strides of 0, so that nothing is copied."""
    full = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    given = []
    for x in (q, k, v):
        x = _within_32_bits(x)
        given += [x, x.stride()]
    for x in (mask, bias):
        x = None if x is None else x.expand(full)
        given += [x, None if x is None else x.stride()]
    return [*given, lengths]


def _within_32_bits(x: Tensor) -> Tensor:
    """Inside a tile offsets have 32 bits: a tensor whose neighbouring rows lie 2**31 / 256 apart is copied."""
    return x.contiguous() if max(x.stride()[2:]) >= 2**31 // 256 else x


def _numbers(q, k, left, right, scale, softcap) -> tuple:
    return left, right, scale, softcap, q.shape[1] // k.shape[1], q.shape[2], k.shape[2]


def _config(kernel: str, q: Tensor, v: Tensor, *demands) -> Config:
    demanding = any(demand is not None for demand in demands)
    return choose(kernel, max(q.shape[3], v.shape[3]), q.element_size(), demanding)


def _constants(q: Tensor, v: Tensor, config: Config) -> dict:
    return {
        "HEAD_DIM": q.shape[3],
        "V_HEAD_DIM": v.shape[3],
        "COLUMNS": columns(q.shape[3]),
        "V_COLUMNS": columns(v.shape[3]),
        "BLOCK_Q": config.block_q,
        "BLOCK_K": config.block_k,
        **({"num_warps": config.num_warps, "num_stages": config.num_stages} if q.is_cuda else {}),
    }
