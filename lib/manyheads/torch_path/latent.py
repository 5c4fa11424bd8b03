"""Latent attention (MLA) on tensors: keys and values from one small latent a token, and a rotary key beside it."""

from collections.abc import Sequence

import torch
from torch import Tensor

from manyheads import _arguments, _require
from manyheads._latent_sizes import LatentSizes
from manyheads._layer_arguments import (
    check_cached_options,
    check_inputs,
    keys_seen,
)
from manyheads.reference.heads import combine_heads, split_heads
from manyheads.reference.rotary import check_pairing
from manyheads.torch_path._shapes import AnyArray, Float, Int
from manyheads.torch_path.attention import attention, check_backend
from manyheads.torch_path.cache import LatentCache
from manyheads.torch_path.masks import combine_masks
from manyheads.torch_path.multi_head import next_positions, project
from manyheads.torch_path.rms_norm import rms_norm
from manyheads.torch_path.rotary import apply_rotary


def mla(
    x: Float[Tensor, "batch q_len d_model"],
    w_q: Float[Tensor, "d_model q_width"],
    w_down: Float[Tensor, "d_context down_width"],
    norm: Float[Tensor, "latent_rank"],
    w_up: Float[Tensor, "latent_rank up_width"],
    w_o: Float[Tensor, "o_width d_out"],
    *,
    n_heads: int,
    absorbed: bool = False,
    context: Float[Tensor, "batch k_len d_context"] | None = None,
    cache: LatentCache | None = None,
    lengths: Int[AnyArray, "batch"] | Sequence[int] | None = None,
    rotary: str = "interleaved",
    rotary_base: float = 10_000.0,
    eps: float = 1e-6,
    **options,
):
    """Multi-head latent attention.

    Parameters
    ----------
    x, w_q, w_down, norm, w_up, w_o, n_heads, absorbed, context, cache, lengths, rotary, rotary_base, eps
        As in `manyheads.reference.mla`, on tensors of one device.
    **options
        ``mask``, ``bias``, ``causal``, ``window``, ``scale``, ``softcap``, ``return_weights``, ``backend``: as in
        `attention`.

    Returns
    -------
    float tensor (batch, q_len, d_out), the dtype of `x`; with ``return_weights`` a pair with the weights

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together; the message says which, what was got and what was expected.

    Notes
    -----
    As `manyheads.reference.mla`, with its formulas and source.

    Examples
    --------
    >>> import torch
    >>> x, w_q = torch.ones(1, 5, 12), torch.ones(12, 3 * (4 + 2))     # 3 heads of 4, and 2 rotary
    >>> w_down, w_up, w_o = torch.ones(12, 6 + 2), torch.ones(6, 3 * (4 + 5)), torch.ones(15, 12)
    >>> mla(x, w_q, w_down, torch.ones(6), w_up, w_o, n_heads=3, causal=True).shape
    torch.Size([1, 5, 12])
    """
    check_inputs(
        x,
        context,
        {"w_q": w_q, "w_down": w_down, "w_up": w_up, "w_o": w_o},
        {},
        _require.TORCH,
    )
    sizes = LatentSizes.of(
        w_q, w_down, norm, w_up, w_o, n_heads, _require.TORCH
    )
    rope = sizes.rope_head_dim
    check_pairing("rotary", rotary, "rope_head_dim", rope)
    _require.positive("rotary_base", rotary_base)
    sizes.check_context(context)
    turn = rotary if rope else None
    options = check_cached_options(
        cache, LatentCache, context, lengths, turn, options
    )
    k_len = keys_seen(cache, x, context, lengths)
    called = _arguments.Sizes(
        len(x), n_heads, n_heads, x.shape[1], k_len, sizes.head_dim + rope
    )
    _arguments.layer_options(options, x, called, _require.TORCH, "backend")
    check_backend(**options, like=x)

    q = split_heads(project(x, w_q), n_heads)
    q_content = q[..., : sizes.head_dim]
    q_rope = q[..., sizes.head_dim :]
    down = project(x if context is None else context, w_down)
    latent = rms_norm(down[..., : sizes.latent_rank], norm, eps)
    k_rope = down[..., sizes.latent_rank :]
    if turn:
        positions = next_positions(cache, x.shape[1])
        how = {"base": rotary_base, "pairing": rotary}
        q_rope = apply_rotary(q_rope, positions, **how)
        k_rope = apply_rotary(k_rope[:, None], positions, **how)[:, 0]
    if cache is None:
        entry = torch.cat([latent, k_rope], dim=-1)[:, None]
    else:
        cached = cache.append(latent, k_rope, lengths)
        entry = cached.keys
        options["mask"] = combine_masks(options.get("mask"), cached.mask)
    # The width that the scores are scaled by is the same in both forms.
    if options.get("scale") is None:
        options["scale"] = (sizes.head_dim + sizes.rope_head_dim) ** -0.5
    attend = _absorbed if absorbed else _naive
    out = attend(q_content, q_rope, entry, w_up, sizes, options)
    out, *shown = out if isinstance(out, tuple) else (out,)
    mixed = project(combine_heads(out), w_o)
    return (mixed, *shown) if shown else mixed


def _naive(q_content, q_rope, entry, w_up, sizes: LatentSizes, options):
    """Decompress: a key and a value for every head and token."""
    latent = entry[:, 0, :, : sizes.latent_rank]
    up = split_heads(project(latent, w_up), sizes.n_heads)
    k_content, v = up[..., : sizes.head_dim], up[..., sizes.head_dim :]
    rope = entry[..., sizes.latent_rank :]
    shared = rope.expand(*k_content.shape[:3], sizes.rope_head_dim)
    q = torch.cat([q_content, q_rope], dim=-1)
    k = torch.cat([k_content, shared], dim=-1)
    return attention(q, k, v, **options)


def _absorbed(q_content, q_rope, entry, w_up, sizes: LatentSizes, options):
    """Attend to the latents themselves: MQA whose one key is [latent, rotary key] and whose value is the latent."""
    heads = w_up.reshape(sizes.latent_rank, sizes.n_heads, -1)
    w_uk = heads[..., : sizes.head_dim].permute(1, 2, 0)
    w_uv = heads[..., sizes.head_dim :].permute(1, 0, 2)
    q = torch.cat([q_content @ w_uk, q_rope], dim=-1)
    latent = entry[..., : sizes.latent_rank]
    out = attention(q, entry, latent, **options)
    if isinstance(out, tuple):
        return out[0] @ w_uv, out[1]
    return out @ w_uv
