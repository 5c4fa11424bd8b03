"""The whole layer: projections, attention over all heads at once, W_O. MHA, MQA and GQA are one function."""

from collections.abc import Sequence

import numpy as np

from manyheads import _arguments, _require
from manyheads._layer_arguments import (
    HeadSizes,
    check_cached_options,
    check_inputs,
    keys_seen,
)
from manyheads._require import NUMPY
from manyheads._shapes import AnyArray, Array, Float, Int
from manyheads.reference.attention import attention
from manyheads.reference.cache import KVCache
from manyheads.reference.heads import combine_heads
from manyheads.reference.masks import combine_masks
from manyheads.reference.projections import fused_projection
from manyheads.reference.rotary import apply_rotary, check_pairing


def gqa(
    x: Float[Array, "batch q_len d_model"],
    w_q: Float[Array, "d_model q_width"],
    w_k: Float[Array, "d_context k_width"],
    w_v: Float[Array, "d_context v_width"],
    w_o: Float[Array, "o_width d_out"],
    *,
    n_heads: int,
    n_kv_heads: int,
    b_q: Float[Array, "q_width"] | None = None,
    b_k: Float[Array, "k_width"] | None = None,
    b_v: Float[Array, "v_width"] | None = None,
    b_o: Float[Array, "d_out"] | None = None,
    context: Float[Array, "batch k_len d_context"] | None = None,
    cache: KVCache | None = None,
    lengths: Int[AnyArray, "batch"] | Sequence[int] | None = None,
    rotary: str | None = None,
    rotary_base: float = 10_000.0,
    **options,
):
    """Grouped-query attention: several query heads share a key and a value head.

    Parameters
    ----------
    x : float array (batch, q_len, d_model)
    w_q : float array (d_model, n_heads * head_dim)
    w_k : float array (d_model, n_kv_heads * head_dim)
    w_v : float array (d_model, n_kv_heads * v_head_dim)
    w_o : float array (n_heads * v_head_dim, d_out)
        `d_out` is d_model as a rule.
    n_heads, n_kv_heads : int
        Query head h reads K/V head ``h // (n_heads // n_kv_heads)``.
    b_q, b_k, b_v, b_o : float arrays, optional
        Biases of the four projections.
    context : float array (batch, k_len, d_context), optional
        Where keys and values come from in cross-attention. Default `x`.
    cache : KVCache, optional
        `x` continues what the cache holds: causal, within the cache's window.
    lengths : ints (batch,), optional
        With a cache: real tokens of `x` in each sequence; the rest is padding.
    rotary : {"interleaved", "halves"}, optional
        Rotate queries and keys by position, with this pairing. Default: no rotation.
    rotary_base : float
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
    ``concat(attention(x W_Q, x W_K, x W_V)) W_O`` (Ainslie et al. 2023, "GQA"). No key or value is repeated.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((2, 5, 12))
    >>> w_q, w_o = rng.standard_normal((2, 12, 12))                    # 6 query heads of width 2
    >>> w_k, w_v = rng.standard_normal((2, 12, 4))                     # 2 K/V heads
    >>> gqa(x, w_q, w_k, w_v, w_o, n_heads=6, n_kv_heads=2, causal=True).shape
    (2, 5, 12)
    """
    weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    biases = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
    check_inputs(x, context, weights, biases, NUMPY)
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
    _arguments.layer_options(options, x, sizes, NUMPY)
    source = x if context is None else context
    q = fused_projection(x, w_q, n_heads, b_q)
    k = fused_projection(source, w_k, n_kv_heads, b_k)
    v = fused_projection(source, w_v, n_kv_heads, b_v)
    if rotary is not None:
        seen = 0 if cache is None else cache.lengths[:, None]
        positions = seen + np.arange(x.shape[1])
        turn = {"base": rotary_base, "pairing": rotary}
        q = apply_rotary(q, positions, **turn)
        k = apply_rotary(k, positions, **turn)
    if cache is not None:
        cached = cache.append(k, v, lengths)
        k, v = cached.keys, cached.values
        options["mask"] = combine_masks(options.get("mask"), cached.mask)
    out = attention(q, k, v, **options)
    out, *weights = out if isinstance(out, tuple) else (out,)
    mixed = combine_heads(out) @ w_o
    if b_o is not None:
        mixed = mixed + b_o
    return (mixed, *weights) if weights else mixed


def mha(
    x: Float[Array, "batch q_len d_model"],
    w_q: Float[Array, "d_model q_width"],
    w_k: Float[Array, "d_context k_width"],
    w_v: Float[Array, "d_context v_width"],
    w_o: Float[Array, "o_width d_out"],
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
    ``concat(head_1 … head_h) W_O`` with ``head_i = attention(x W_Q^i, x W_K^i, x W_V^i)`` (Vaswani et al. 2017,
    section 3.2.2).

    Examples
    --------
    >>> import numpy as np
    >>> eye = np.eye(4)
    >>> x = np.array([[[1.0, 2.0, 3.0, 4.0]]])                         # one token sees only itself
    >>> mha(x, eye, eye, eye, eye, n_heads=2)
    array([[[1., 2., 3., 4.]]])
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
    x: Float[Array, "batch q_len d_model"],
    w_q: Float[Array, "d_model q_width"],
    w_k: Float[Array, "d_context k_width"],
    w_v: Float[Array, "d_context v_width"],
    w_o: Float[Array, "o_width d_out"],
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
    As `gqa`, with W_K (d_model, head_dim) and W_V (d_model, v_head_dim) (Shazeer 2019, "Fast Transformer Decoding").

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((1, 3, 4))
    >>> w_kv = np.ones((4, 2))
    >>> mqa(x, np.eye(4), w_kv, w_kv, np.eye(4), n_heads=2)[0, 0]
    array([4., 4., 4., 4.])
    """
    return gqa(
        x, w_q, w_k, w_v, w_o, n_heads=n_heads, n_kv_heads=1, **options
    )
