"""Weights: what an attention layer adds to a model's parameters."""

from manyheads.config import AttentionConfig
from manyheads.costs._layers import Layers, all_kinds, one_kind


def parameters_by_part(config: AttentionConfig) -> dict[str, int]:
    """Weights of one layer's attention, by projection; no biases.

    Parameters
    ----------
    config : AttentionConfig

    Returns
    -------
    dict of str to int
        Elements in each matrix, in the order in which they are used. For MLA: the down-projection to
        latent and rotary key, the latent's RMSNorm, and the up-projection; its query is not compressed.

    Raises
    ------
    TypeError
        If `config` is not an AttentionConfig.

    Notes
    -----
    With D = d_model, h query heads and k key/value heads of width d and values of width v, the matrices are
    ``W_Q (D, h d)``, ``W_K (D, k d)``, ``W_V (D, k v)``, ``W_O (h v, D)`` (Vaswani et al. 2017, section
    3.2.2; Ainslie et al. 2023 for k < h). For MLA with latent rank r and rotary width e they are
    ``W_Q (D, h (d + e))``, ``W_down (D, r + e)``, ``W_up (r, h (d + v))``, ``W_O (h v, D)`` (DeepSeek-V2
    2024, section 2.1). DeepSeek-V2-Lite projects its queries so; V2 and V3 project them through a rank of
    their own, and have fewer weights there than this says.

    Examples
    --------
    >>> parameters_by_part(AttentionConfig(d_model=768, n_heads=12, n_kv_heads=4))
    {'W_Q': 589824, 'W_K': 196608, 'W_V': 196608, 'W_O': 589824}
    """
    c = one_kind(config)
    query = c.d_model * c.n_heads * (c.head_dim + c.rope_head_dim)
    output = c.n_heads * c.v_head_dim * c.d_model
    if c.latent_rank is not None:
        return {
            "W_Q": query,
            "W_down": c.d_model * (c.latent_rank + c.rope_head_dim),
            "norm": c.latent_rank,
            "W_up": c.latent_rank * c.n_heads * (c.head_dim + c.v_head_dim),
            "W_O": output,
        }
    return {
        "W_Q": query,
        "W_K": c.d_model * c.n_kv_heads * c.head_dim,
        "W_V": c.d_model * c.n_kv_heads * c.v_head_dim,
        "W_O": output,
    }


def parameters(config: Layers) -> int:
    """Weights of the attention in all layers of `config`; no biases.

    Parameters
    ----------
    config : AttentionConfig, or a list of them
        A model whose layers differ is a list, each config with its own `n_layers`.

    Returns
    -------
    int
        Elements: the sum of `parameters_by_part`, times `n_layers`. For MHA with
        ``head_dim = d_model / n_heads`` it is ``4 d_model^2`` a layer, whatever the number of heads.

    Raises
    ------
    TypeError, ValueError
        If `config` is neither an AttentionConfig nor a list of them, or the list is empty.

    Notes
    -----
    ``n_layers * (W_Q + W_K + W_V + W_O)``, with the sizes and sources of `parameters_by_part`.

    Examples
    --------
    >>> parameters(AttentionConfig(d_model=768, n_heads=12))
    2359296
    >>> parameters(AttentionConfig(d_model=768, n_heads=12, n_layers=12))
    28311552
    """
    return sum(kind.n_layers * sum(parameters_by_part(kind).values()) for kind in all_kinds(config))
