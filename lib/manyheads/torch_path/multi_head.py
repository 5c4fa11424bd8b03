"""The whole layer on tensors: projections, attention over all heads at once, W_O."""

from collections.abc import Sequence

import torch
from torch.nn.functional import linear

from manyheads import _arguments, _require
from manyheads._layer_arguments import (
    HeadSizes,
    check_cached_options,
    check_inputs,
    keys_seen,
)
from manyheads._require import TORCH
from manyheads.reference.heads import combine_heads, split_heads
from manyheads.reference.rotary import check_pairing
from manyheads.torch_path._shapes import AnyArray, Float, Int, Tensor
from manyheads.torch_path.attention import attention, check_backend
from manyheads.torch_path.cache import KVCache
from manyheads.torch_path.masks import combine_masks
from manyheads.torch_path.rotary import apply_rotary


def gqa(
    x: Float[Tensor, "batch q_len d_model"],
    w_q: Float[Tensor, "d_model q_width"],
    w_k: Float[Tensor, "d_context k_width"],
    w_v: Float[Tensor, "d_context v_width"],
    w_o: Float[Tensor, "o_width d_out"],
    *,
    n_heads: int,
    n_kv_heads: int,
    b_q: Float[Tensor, "q_width"] | None = None,
    b_k: Float[Tensor, "k_width"] | None = None,
    b_v: Float[Tensor, "v_width"] | None = None,
    b_o: Float[Tensor, "d_out"] | None = None,
    context: Float[Tensor, "batch k_len d_context"] | None = None,
    cache: KVCache | None = None,
    lengths: Int[AnyArray, "batch"] | Sequence[int] | None = None,
    rotary: str | None = None,
    rotary_base: float = 10_000.0,
    **options,
):
    """Grouped-query attention: several query heads share a key and a value head.

    Parameters
    ----------
    x, w_q, w_k, w_v, w_o, n_heads, n_kv_heads, b_q, b_k, b_v, b_o, context, cache, lengths, rotary, rotary_base
        As in `manyheads.reference.gqa`, on tensors of one device.
    **options
        ``mask``, ``bias``, ``causal``, ``window``, ``scale``, ``softcap``, ``return_weights``, ``backend``: as in
        `attention`.

    Returns
    -------
    float tensor (batch, q_len, d_out), the dtype of `x`; with ``return_weights`` a pair with the weights
        Under autocast the products, and so the result, have autocast's dtype, as with `nn.Linear`.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together; the message says which, what was got and what was expected.

    Notes
    -----
    As `manyheads.reference.gqa`, with its source.

    Examples
    --------
    >>> import torch
    >>> x, w, w_kv = torch.ones(2, 5, 12), torch.ones(12, 12), torch.ones(12, 4)
    >>> gqa(x, w, w_kv, w_kv, w, n_heads=6, n_kv_heads=2, causal=True).shape
    torch.Size([2, 5, 12])
    """
    weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    biases = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
    check_inputs(x, context, weights, biases, TORCH)
    dims = HeadSizes.of(w_q, w_k, w_v, w_o, n_heads, n_kv_heads)
    if rotary is not None:
        check_pairing("rotary", rotary, "head_dim", dims.head_dim)
        _require.positive("rotary_base", rotary_base)
    options = check_cached_options(
        cache, KVCache, context, lengths, rotary, options
    )
    k_len = keys_seen(cache, x, context, lengths)
    sizes = _arguments.Sizes(
        len(x), n_heads, n_kv_heads, x.shape[1], k_len, dims.head_dim
    )
    _arguments.layer_options(options, x, sizes, TORCH, "backend")
    check_backend(**options, like=x)
    source = x if context is None else context
    q = split_heads(project(x, w_q, b_q), n_heads)
    k = split_heads(project(source, w_k, b_k), n_kv_heads)
    v = split_heads(project(source, w_v, b_v), n_kv_heads)
    if rotary is not None:
        positions = next_positions(cache, x.shape[1])
        turn = {"base": rotary_base, "pairing": rotary}
        q = apply_rotary(q, positions, **turn)
        k = apply_rotary(k, positions, **turn)
    if cache is not None:
        cached = cache.append(k, v, lengths)
        k, v = cached.keys, cached.values
        options["mask"] = combine_masks(options.get("mask"), cached.mask)
    out = attention(q, k, v, **options)
    out, *shown = out if isinstance(out, tuple) else (out,)
    mixed = project(combine_heads(out), w_o, b_o)
    return (mixed, *shown) if shown else mixed


def mha(
    x: Float[Tensor, "batch q_len d_model"],
    w_q: Float[Tensor, "d_model q_width"],
    w_k: Float[Tensor, "d_context k_width"],
    w_v: Float[Tensor, "d_context v_width"],
    w_o: Float[Tensor, "o_width d_out"],
    *,
    n_heads: int,
    **options,
):
    """Multi-head attention: every query head has a key and a value head of its own.

    Parameters
    ----------
    x, w_q, w_k, w_v, w_o, n_heads, **options
        As in `gqa`, with ``n_kv_heads = n_heads``.

    Returns
    -------
    As `gqa`.

    Notes
    -----
    As `manyheads.reference.mha`, with its source.

    Examples
    --------
    >>> import torch
    >>> eye = torch.eye(4)
    >>> mha(torch.tensor([[[1.0, 2.0, 3.0, 4.0]]]), eye, eye, eye, eye, n_heads=2)
    tensor([[[1., 2., 3., 4.]]])
    """
    return gqa(
        x,
        w_q,
        w_k,
        w_v,
        w_o,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        **options,
    )


def mqa(
    x: Float[Tensor, "batch q_len d_model"],
    w_q: Float[Tensor, "d_model q_width"],
    w_k: Float[Tensor, "d_context k_width"],
    w_v: Float[Tensor, "d_context v_width"],
    w_o: Float[Tensor, "o_width d_out"],
    *,
    n_heads: int,
    **options,
):
    """Multi-query attention: one key and one value head for all query heads.

    Parameters
    ----------
    x, w_q, w_k, w_v, w_o, n_heads, **options
        As in `gqa`, with ``n_kv_heads = 1``.

    Returns
    -------
    As `gqa`.

    Notes
    -----
    As `manyheads.reference.mqa`, with its source.

    Examples
    --------
    >>> import torch
    >>> w_kv = torch.ones(4, 2)
    >>> mqa(torch.ones(1, 3, 4), torch.eye(4), w_kv, w_kv, torch.eye(4), n_heads=2)[0, 0]
    tensor([4., 4., 4., 4.])
    """
    return gqa(
        x, w_q, w_k, w_v, w_o, n_heads=n_heads, n_kv_heads=1, **options
    )


def project(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """``x @ w + b`` in one call, which autocast knows as a whole."""
    return linear(x, w.swapaxes(0, 1), b)


def next_positions(cache, new: int) -> Tensor:
    """The positions of new tokens, (1 or batch, new), after what the cache has seen."""
    index = torch.arange(new)
    if cache is None:
        return index[None]
    return torch.from_numpy(cache.lengths)[:, None] + index
