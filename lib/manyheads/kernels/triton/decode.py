"""Attention of a few new tokens to a long cache, with the keys split over the programs."""

import torch
from torch import Tensor

from manyheads import _arguments, _require
from manyheads._require import TORCH
from manyheads.kernels.launching import NotHere
from manyheads.kernels.triton.support import cannot, not_here

#: Queries that one call may have: a few tokens at once, as speculative decoding proposes them.
MOST_QUERIES = 16


def decode_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    lengths: Tensor | None = None,
    causal: bool = True,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    splits: int | None = None,
) -> Tensor:
    """Scaled dot-product attention for 1 to 16 queries and many keys. No gradients.

    Parameters
    ----------
    q : tensor (batch, heads, q_len, head_dim)
        float16, bfloat16 or float32, on a GPU; float16, float32 or float64 on the CPU, where Triton interprets.
    k : tensor (batch, kv_heads, k_len, head_dim)
        Any strides: a slice of a cache is read where it lies. `kv_heads` divides `heads`.
    v : tensor (batch, kv_heads, k_len, v_head_dim)
    lengths : int tensor (batch,), optional
        Slots that each item fills, from 0 to k_len; the others are not read. The queries are an item's *last*
        tokens: query i sees key j where ``j <= i + length - q_len``. Default: k_len for all.
    causal : bool
        A query sees the keys up to its own position. For one query there is no difference.
    window : int or pair (left, right), optional
        As `manyheads.torch_path.attention` has it: with `causal`, a number W is the last W keys, itself included.
    scale, softcap : float, optional
        Factor on the scores, default ``1 / sqrt(head_dim)``; bound on them.
    splits : int, optional
        Parts that the keys are read in, at the same time. Default: as many as keep the GPU busy.

    Returns
    -------
    tensor (batch, heads, q_len, v_head_dim), the dtype of `q`, contiguous
        A query that sees no key gives 0. The same bits every time, for the same number of splits.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or one asks for gradients.
    NotHere
        Without Triton, or on the CPU without its interpreter.

    Notes
    -----
    Each part p of the keys gives its own output and ``l_p = log sum_j exp(score_j)``; together
    ``out = sum_p exp(l_p) out_p / sum_p exp(l_p)`` (Flash-Decoding, Dao et al. 2023).
    """
    sizes = _arguments.queries_and_keys(q, k, TORCH)
    _arguments.keys_and_values(k, v, TORCH)
    if not 1 <= sizes.q_len <= MOST_QUERIES:
        raise ValueError(
            f"q has q_len={sizes.q_len}; decode_attention takes 1 to {MOST_QUERIES} queries: "
            "use manyheads.torch_path.attention"
        )
    if torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v)):
        raise ValueError(
            "decode_attention gives no gradients, and q, k or v asks for them: call it under torch.no_grad(), or "
            "use manyheads.torch_path.attention"
        )
    left, right = _arguments.band(causal, window)
    if splits is not None:
        _require.count("splits", splits)
    lacks = not_here(q.device)
    if lacks:
        raise NotHere(lacks)
    why_not = cannot(q, k, v)
    if why_not:
        raise ValueError(f"decode_attention cannot do {why_not}; use manyheads.torch_path.attention")
    from manyheads.kernels.triton.decode_op import decode

    return decode(
        q,
        k,
        v,
        _checked_lengths(lengths, q, sizes),
        left,
        right,
        _arguments.scale(scale, sizes.head_dim),
        _arguments.softcap(softcap),
        splits,
    )


def _checked_lengths(lengths, q: Tensor, sizes: _arguments.Sizes) -> Tensor | None:
    """int32 where the queries are. Their values are looked at on the CPU only: a GPU would have to be waited for."""
    if lengths is None:
        return None
    _require.axes("lengths", lengths, "batch", kind=TORCH)
    if lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths must be whole numbers, got {_require.dtype_name(lengths)}")
    _require.devices(q=q, lengths=lengths)
    _require.same("batch of q", sizes.batch, "length of lengths", lengths.shape[0])
    if not lengths.is_cuda and not torch.compiler.is_compiling() and lengths.numel():
        least, most = int(lengths.min()), int(lengths.max())
        if least < 0 or most > sizes.k_len:
            raise ValueError(f"lengths must be from 0 to k_len={sizes.k_len}, got {least} to {most}")
    return lengths.to(torch.int32)
