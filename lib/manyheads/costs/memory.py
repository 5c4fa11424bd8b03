"""Memory: what stays between tokens (the KV cache), and what a naive implementation holds in between (the scores)."""

from manyheads import _require
from manyheads.config import AttentionConfig
from manyheads.costs._layers import Layers, all_kinds, one_kind


def kv_cache_elements(config: AttentionConfig) -> int:
    """Elements that one layer keeps of one token, so that later tokens can attend to it.

    Parameters
    ----------
    config : AttentionConfig

    Returns
    -------
    int
        Elements a token and layer, whatever `n_layers` and `window` are.

    Raises
    ------
    TypeError
        If `config` is not an AttentionConfig.

    Notes
    -----
    ``k (d + v)`` for k key/value heads with keys of width d and values of width v: a key and a value for
    each (Shazeer 2019; Ainslie et al. 2023). MLA keeps ``r + e``: one latent of rank r and one rotary key of
    width e, which all heads share (DeepSeek-V2 2024, section 2.1.4). Queries are never needed again.

    Examples
    --------
    >>> kv_cache_elements(AttentionConfig(5120, 128, head_dim=128))
    32768
    >>> kv_cache_elements(AttentionConfig(5120, 128, head_dim=128, latent_rank=512, rope_head_dim=64))
    576
    """
    c = one_kind(config)
    if c.latent_rank is not None:
        return c.latent_rank + c.rope_head_dim
    return c.n_kv_heads * (c.head_dim + c.v_head_dim)


def kv_cache_bytes(config: Layers, tokens: int = 1, bytes_per_element: int = 2) -> int:
    """Size of the KV cache of one sequence, over all layers of `config`.

    Parameters
    ----------
    config : AttentionConfig, or a list of them
        A model with sliding-window layers beside full ones is a list, each config with its own `n_layers`.
    tokens : int
        Tokens in the sequence so far. A batch has one cache a sequence: multiply.
    bytes_per_element : int
        Bytes: 2 for float16 and bfloat16, 4 for float32, 1 for 8-bit caches (without their scales).

    Returns
    -------
    int
        Bytes, without padding to pages or to a longest length.

    Raises
    ------
    TypeError, ValueError
        If `config` is neither an AttentionConfig nor a list of them, or a number is not a whole one or too
        small.

    Notes
    -----
    The sum over layers of ``min(tokens, window) * kv_cache_elements * bytes_per_element``: a layer with a
    window never needs more than its last `window` tokens, so its cache stops growing (Jiang et al. 2023,
    the rolling buffer of Mistral 7B).

    Examples
    --------
    >>> kv_cache_bytes(AttentionConfig(8192, 64, 8, n_layers=80), tokens=32_768) / 2**30
    10.0

    Half of the layers with a window, as in Gemma 2 (9B):

    >>> full = AttentionConfig(3584, 16, 8, head_dim=256, n_layers=21)
    >>> local = AttentionConfig(3584, 16, 8, head_dim=256, n_layers=21, window=4096)
    >>> [kv_cache_bytes([full, local], tokens) // 2**20 for tokens in (4096, 8192)]
    [1344, 2016]
    """
    kinds = all_kinds(config)
    tokens = _require.count("tokens", tokens, 0)
    bytes_per_element = _require.count("bytes_per_element", bytes_per_element)
    kept = (tokens if kind.window is None else min(tokens, kind.window) for kind in kinds)
    return sum(
        kind.n_layers * n * kv_cache_elements(kind) * bytes_per_element for kind, n in zip(kinds, kept, strict=True)
    )


def score_bytes(
    config: AttentionConfig, batch: int, q_len: int, k_len: int | None = None, bytes_per_element: int = 4
) -> int:
    """Size of one layer's scores, where the whole matrix is held at once.

    Parameters
    ----------
    config : AttentionConfig
        Only its `n_heads` matters.
    batch : int
        Sequences.
    q_len, k_len : int
        Queries and keys, in tokens. Default of `k_len`: `q_len`.
    bytes_per_element : int
        Bytes; 4 for float32, in which scores are often kept whatever the inputs are.

    Returns
    -------
    int
        Bytes of one matrix. A naive implementation holds two (scores and weights), a blocked one none.

    Raises
    ------
    TypeError, ValueError
        If `config` is not an AttentionConfig, or a number is not a whole one or too small.

    Notes
    -----
    ``batch h n_q n_k bytes``. This grows with the number of heads, which the products' count
    ``2 n^2 D + 4 n D^2`` does not contain; masks and shared key/value heads save none of it. Dao et al. 2022
    (FlashAttention) is how not to hold it.

    Examples
    --------
    >>> [score_bytes(AttentionConfig(768, heads), batch=1, q_len=1024) // 2**20 for heads in (12, 24)]
    [48, 96]
    """
    heads = one_kind(config).n_heads
    batch = _require.count("batch", batch)
    q_len = _require.count("q_len", q_len, 0)
    k_len = q_len if k_len is None else _require.count("k_len", k_len, 0)
    return batch * heads * q_len * k_len * _require.count("bytes_per_element", bytes_per_element)
