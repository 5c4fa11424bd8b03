"""Latent attention (MLA): keys and values from one small latent a token, and a rotary key beside it."""

from collections.abc import Sequence

import numpy as np

from manyheads import _arguments, _require
from manyheads._latent_sizes import LatentSizes
from manyheads._layer_arguments import (
    check_cached_options,
    check_inputs,
    keys_seen,
)
from manyheads._shapes import AnyArray, Array, Float, Int
from manyheads.reference.attention import attention
from manyheads.reference.heads import combine_heads, split_heads
from manyheads.reference.latent_cache import LatentCache
from manyheads.reference.masks import combine_masks
from manyheads.reference.rms_norm import rms_norm
from manyheads.reference.rotary import apply_rotary, check_pairing


def mla(
    x: Float[Array, "batch q_len d_model"],
    w_q: Float[Array, "d_model q_width"],
    w_down: Float[Array, "d_context down_width"],
    norm: Float[Array, "latent_rank"],
    w_up: Float[Array, "latent_rank up_width"],
    w_o: Float[Array, "o_width d_out"],
    *,
    n_heads: int,
    absorbed: bool = False,
    context: Float[Array, "batch k_len d_context"] | None = None,
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
    x : float array (batch, q_len, d_model)
    w_q : float array (d_model, n_heads * (head_dim + rope_head_dim))
        In each head first the part without rotary position, then the rotary part.
    w_down : float array (d_model, latent_rank + rope_head_dim)
        To the latent, then to the rotary key that all heads share.
    norm : float array (latent_rank,)
        The weight of the latent's RMSNorm; its length is what tells latent_rank.
    w_up : float array (latent_rank, n_heads * (head_dim + v_head_dim))
        From the latent, in each head first the key, then the value.
    w_o : float array (n_heads * v_head_dim, d_out)
    n_heads : int
    absorbed : bool
        False: decompress every latent to keys and values. True: take W_up into the queries and the output
        instead, and attend to the latents themselves, as one K/V head. The result is the same.
    context : float array (batch, k_len, d_context), optional
        Where the latents come from in cross-attention; `w_down` must then have no rotary part.
    cache : LatentCache, optional
        `x` continues what the cache holds: causal, within the cache's window.
    lengths : ints (batch,), optional
        With a cache: real tokens of `x` in each sequence; the rest is padding.
    rotary : {"interleaved", "halves"}
        The pairing of the rotary part.
    rotary_base : float
    eps : float
        Of the RMSNorm.
    **options
        ``mask``, ``bias``, ``causal``, ``window``, ``scale``, ``softcap``, ``return_weights``: as in `attention`.

    Returns
    -------
    float array (batch, q_len, d_out), the dtype of `x`; with ``return_weights`` a pair with the weights
        (batch, n_heads, q_len, k_len)

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together; the message says which, what was got and what was expected.

    Notes
    -----
    With c the normalised latent: ``k = [c W_UK, rope(k_R)]``, ``v = c W_UV``; a score is
    ``(q_C . c W_UK + q_R . k_R) / sqrt(head_dim + rope_head_dim)``, and ``q_C . (c W_UK) = (q_C W_UK^T) . c`` is
    what the absorbed form uses (DeepSeek-V2, 2024, sections 2.1.2 and 2.1.3 and appendix C). The query is not
    compressed here.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((1, 5, 12))
    >>> w_q = rng.standard_normal((12, 3 * (4 + 2)))                   # 3 heads of 4, and 2 rotary
    >>> w_down, w_up = rng.standard_normal((12, 6 + 2)), rng.standard_normal((6, 3 * (4 + 5)))
    >>> weights = w_q, w_down, np.ones(6), w_up, rng.standard_normal((15, 12))
    >>> naive, absorbed = (mla(x, *weights, n_heads=3, absorbed=a, causal=True) for a in (False, True))
    >>> naive.shape, bool(np.allclose(naive, absorbed, atol=1e-10))
    ((1, 5, 12), True)
    """
    check_inputs(
        x,
        context,
        {"w_q": w_q, "w_down": w_down, "w_up": w_up, "w_o": w_o},
        {},
        _require.NUMPY,
    )
    sizes = LatentSizes.of(
        w_q, w_down, norm, w_up, w_o, n_heads, _require.NUMPY
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
    _arguments.layer_options(options, x, called, _require.NUMPY)

    first = (
        np.zeros((1, 1), int) if cache is None else cache.lengths[:, None]
    )
    positions = first + np.arange(x.shape[1])
    q = split_heads(x @ w_q, n_heads)
    q_content = q[..., : sizes.head_dim]
    q_rope = q[..., sizes.head_dim :]
    down = (x if context is None else context) @ w_down
    latent = rms_norm(down[..., : sizes.latent_rank], norm, eps)
    k_rope = down[..., sizes.latent_rank :]
    if turn:
        how = {"base": rotary_base, "pairing": rotary}
        q_rope = apply_rotary(q_rope, positions, **how)
        k_rope = apply_rotary(k_rope[:, None], positions, **how)[:, 0]
    if cache is None:
        entry = np.concatenate([latent, k_rope], axis=-1)[:, None]
    else:
        cached = cache.append(latent, k_rope, lengths)
        entry = cached.keys
        options["mask"] = combine_masks(options.get("mask"), cached.mask)
    # The width that the scores are scaled by is the same in both forms.
    if options.get("scale") is None:
        options["scale"] = (sizes.head_dim + sizes.rope_head_dim) ** -0.5
    attend = _absorbed if absorbed else _naive
    out = attend(q_content, q_rope, entry, w_up, sizes, options)
    out, *weights = out if isinstance(out, tuple) else (out,)
    mixed = combine_heads(out) @ w_o
    return (mixed, *weights) if weights else mixed


def _naive(q_content, q_rope, entry, w_up, sizes: LatentSizes, options):
    """Decompress: a key and a value for every head and token."""
    latent = entry[:, 0, :, : sizes.latent_rank]
    up = split_heads(latent @ w_up, sizes.n_heads)
    k_content, v = up[..., : sizes.head_dim], up[..., sizes.head_dim :]
    rope = entry[..., sizes.latent_rank :]
    shared = np.broadcast_to(
        rope, (*k_content.shape[:3], sizes.rope_head_dim)
    )
    q = np.concatenate([q_content, q_rope], axis=-1)
    k = np.concatenate([k_content, shared], axis=-1)
    return attention(q, k, v, **options)


def _absorbed(q_content, q_rope, entry, w_up, sizes: LatentSizes, options):
    """Attend to the latents themselves: MQA whose one key is [latent, rotary key] and whose value is the latent."""
    heads = w_up.reshape(sizes.latent_rank, sizes.n_heads, -1)
    w_uk = heads[..., : sizes.head_dim].transpose(1, 2, 0)
    w_uv = heads[..., sizes.head_dim :].transpose(1, 0, 2)
    q = np.concatenate([q_content @ w_uk, q_rope], axis=-1)
    latent = entry[..., : sizes.latent_rank]
    out = attention(q, entry, latent, **options)
    if isinstance(out, tuple):
        return out[0] @ w_uv, out[1]
    return out @ w_uv
