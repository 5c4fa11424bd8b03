"""Products: the multiply-accumulates of a layer's matrix products."""

from manyheads import _require
from manyheads.config import AttentionConfig
from manyheads.costs._layers import one_kind
from manyheads.costs.pairs import attended_pairs
from manyheads.costs.weights import parameters_by_part


def multiply_accumulates(
    config: AttentionConfig, q_len: int, k_len: int | None = None, causal: bool = False, absorbed: bool = False
) -> dict[str, int]:
    """Multiply-accumulates of one layer's self-attention for one sequence, by part.

    Parameters
    ----------
    config : AttentionConfig
        Its `window` implies `causal`.
    q_len : int
        New tokens, each with a query.
    k_len : int, optional
        Tokens to attend to, the new ones included. Default `q_len` (prefill). With more, the older ones come
        from a cache, and their projections were paid for earlier (decoding).
    causal : bool
        Count only the pairs that a causal mask allows, as an implementation does that skips the rest. The
        default counts the whole rectangle: what computing all scores and masking them costs.
    absorbed : bool
        For MLA: multiply the query with the keys' up-projection, instead of every cached latent, and attend
        to the latents themselves. Another order of the same products, so the output is the same.

    Returns
    -------
    dict of str to int
        Multiply-accumulates, in the order of computation; their sum is the layer's, and double that its
        FLOPs. Softmax, norms and rotations are no matrix products: not counted.

    Raises
    ------
    TypeError, ValueError
        If `config` is not an AttentionConfig, a length is not a whole number or too small, `k_len` is less
        than `q_len`, or `absorbed` is asked of a layer without a latent.

    Notes
    -----
    With n new tokens, m tokens to attend to and P pairs (``n m``, or what the mask allows): each projection
    of the new tokens costs n times its matrix (see `parameters_by_part`), the scores ``h P d``, the weighted
    values ``h P v``. For MHA with ``D = h d = h v`` and ``m = n`` that is ``2 n^2 D + 4 n D^2``, without h.

    MLA (DeepSeek-V2 2024, sections 2.1.2 and 2.1.3) with latent rank r, rotary width e and queries of width
    d + e has to bring latents up to keys and values somewhere. The naive form does it for all m tokens,
    ``m r h (d + v)`` (with a window, for those that some query still sees), and then has scores of width d + e
    and values of width v. The absorbed form does it for the n new tokens only, ``n h d r`` at the query
    (W_UK) and ``n h r v`` at the output (W_UV), but has scores of width r + e and values of width r. Hence
    the absorbed form for decoding, where n is far below m, and the naive one for prefill, where they are equal.

    Examples
    --------
    >>> multiply_accumulates(AttentionConfig(768, 12, n_kv_heads=4), q_len=1, k_len=1000)
    {'W_Q': 589824, 'W_K': 196608, 'W_V': 196608, 'scores': 768000, 'weighted_values': 768000, 'W_O': 589824}
    >>> mla = AttentionConfig(2048, 16, head_dim=128, latent_rank=512, rope_head_dim=64)
    >>> naive = multiply_accumulates(mla, q_len=1, k_len=1000)
    >>> absorbed = multiply_accumulates(mla, q_len=1, k_len=1000, absorbed=True)
    >>> sum(naive.values()) // sum(absorbed.values())
    67
    """
    c = one_kind(config)
    new = _require.count("q_len", q_len, 0)
    seen = new if k_len is None else _require.count("k_len", k_len, 0)
    if seen < new:
        raise ValueError(f"k_len={seen} is less than q_len={new}; it counts the new tokens too")
    if type(absorbed).__name__ not in ("bool", "bool_"):
        raise TypeError(f"absorbed must be True or False, got {absorbed!r}")
    if absorbed and c.latent_rank is None:
        raise ValueError(f"absorbed=True is for latent attention, but this is {c.variant}: it has no latent_rank")
    pairs = attended_pairs(new, seen, causal or c.window is not None, c.window)
    projections = {part: new * weights for part, weights in parameters_by_part(c).items()}
    if c.latent_rank is None:
        return {
            "W_Q": projections["W_Q"],
            "W_K": projections["W_K"],
            "W_V": projections["W_V"],
            "scores": c.n_heads * pairs * c.head_dim,
            "weighted_values": c.n_heads * pairs * c.v_head_dim,
            "W_O": projections["W_O"],
        }
    if absorbed:
        return {
            "W_Q": projections["W_Q"],
            "W_down": projections["W_down"],
            "W_UK": new * c.n_heads * c.head_dim * c.latent_rank,
            "scores": c.n_heads * pairs * (c.latent_rank + c.rope_head_dim),
            "weighted_values": c.n_heads * pairs * c.latent_rank,
            "W_UV": new * c.n_heads * c.latent_rank * c.v_head_dim,
            "W_O": projections["W_O"],
        }
    in_reach = seen if c.window is None else min(seen, new + c.window - 1)
    if not new:
        in_reach = 0
    return {
        "W_Q": projections["W_Q"],
        "W_down": projections["W_down"],
        "W_up": in_reach * c.latent_rank * c.n_heads * (c.head_dim + c.v_head_dim),
        "scores": c.n_heads * pairs * (c.head_dim + c.rope_head_dim),
        "weighted_values": c.n_heads * pairs * c.v_head_dim,
        "W_O": projections["W_O"],
    }
