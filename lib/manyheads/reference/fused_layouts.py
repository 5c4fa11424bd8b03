"""Q, K and V from one product: the three orders in which published models lay them side by side."""

from manyheads import _arrays, _require
from manyheads._shapes import AnyArray, Shaped
from manyheads.reference.heads import combine_heads, split_heads

FUSED_LAYOUTS = ("concatenated", "per_head", "per_group")


def split_qkv(
    qkv: Shaped[AnyArray, "batch seq width"],
    n_heads: int,
    n_kv_heads: int | None = None,
    layout: str = "concatenated",
) -> tuple[
    Shaped[AnyArray, "batch n_heads seq dim"],
    Shaped[AnyArray, "batch kv_heads seq dim"],
    Shaped[AnyArray, "batch kv_heads seq dim"],
]:
    """Take queries, keys and values out of one fused projection.

    Parameters
    ----------
    qkv : array (batch, seq, (n_heads + 2 * n_kv_heads) * head_dim), any dtype
    n_heads : int
    n_kv_heads : int, optional
        Default `n_heads`.
    layout : {"concatenated", "per_head", "per_group"}
        How the last axis is laid out, in blocks of head_dim columns:

        - ``"concatenated"``: all q, then all k, then all v (GPT-2, Phi-3);
        - ``"per_head"``: q, k, v of head 0, then q, k, v of head 1, … (GPT-NeoX, BLOOM);
        - ``"per_group"``: all q of group 0, its k, its v, then group 1, … (Falcon-40B, Megatron).

    Returns
    -------
    q : array (batch, n_heads, seq, head_dim)
    k, v : arrays (batch, n_kv_heads, seq, head_dim)
        The dtype of `qkv`. Query head h reads K/V head ``h // (n_heads // n_kv_heads)``.

    Raises
    ------
    TypeError, ValueError
        For other axes, numbers that do not divide, an unknown layout, or ``"per_head"`` with fewer K/V heads
        than query heads, which that layout cannot express.

    Notes
    -----
    With ``g = n_heads // n_kv_heads``, block ``i`` of group ``j`` in ``"per_group"`` is query head
    ``j g + i`` for ``i < g``, then the group's key, then its value. Where every head has its own key and value
    (``g = 1``) this is ``"per_head"``; where all heads share one, it is ``"concatenated"``. Source: the
    attention modules of these models in Hugging Face's transformers and NVIDIA's Megatron-LM.

    Examples
    --------
    >>> import numpy as np
    >>> qkv = np.arange(6).reshape(1, 1, 6)       # one token, two heads of width 1
    >>> [part[0, :, 0, 0].tolist() for part in split_qkv(qkv, 2)]
    [[0, 1], [2, 3], [4, 5]]
    >>> [part[0, :, 0, 0].tolist() for part in split_qkv(qkv, 2, layout="per_head")]
    [[0, 3], [1, 4], [2, 5]]
    """
    n_kv_heads, head_dim = _checked(qkv, n_heads, n_kv_heads, layout)
    batch, seq, _ = qkv.shape
    group = n_heads // n_kv_heads
    if layout == "concatenated":
        q_end = n_heads * head_dim
        k_end = q_end + n_kv_heads * head_dim
        return (
            split_heads(qkv[..., :q_end], n_heads),
            split_heads(qkv[..., q_end:k_end], n_kv_heads),
            split_heads(qkv[..., k_end:], n_kv_heads),
        )
    # A group is its query blocks, a key block and a value block;
    # "per_head" has groups of one.
    blocks = qkv.reshape(batch, seq, n_kv_heads, group + 2, head_dim)
    q = blocks[..., :group, :].reshape(batch, seq, n_heads, head_dim)
    k = blocks[..., group, :]
    v = blocks[..., group + 1, :]
    return q.swapaxes(1, 2), k.swapaxes(1, 2), v.swapaxes(1, 2)


def merge_qkv(
    q: Shaped[AnyArray, "batch n_heads seq dim"],
    k: Shaped[AnyArray, "batch kv_heads seq dim"],
    v: Shaped[AnyArray, "batch kv_heads seq dim"],
    layout: str = "concatenated",
) -> Shaped[AnyArray, "batch seq width"]:
    """Lay queries, keys and values side by side as a fused projection does: the inverse of `split_qkv`.

    Parameters
    ----------
    q : array (batch, n_heads, seq, head_dim), any dtype
    k, v : arrays (batch, n_kv_heads, seq, head_dim)
    layout : {"concatenated", "per_head", "per_group"}
        As in `split_qkv`.

    Returns
    -------
    array (batch, seq, (n_heads + 2 * n_kv_heads) * head_dim)

    Raises
    ------
    TypeError, ValueError
        If the three do not fit together, or as in `split_qkv`.

    Notes
    -----
    The order of the blocks is that of `split_qkv`, with its sources.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = (np.full((1, 2, 1, 1), i) + np.array([0, 1]).reshape(1, 2, 1, 1) for i in (10, 20, 30))
    >>> merge_qkv(q, k, v, "per_head").ravel().tolist()
    [10, 20, 30, 11, 21, 31]
    """
    axes = ("batch", "heads", "seq", "head_dim")
    shapes = {
        name: _require.axes(name, x, *axes, kind=_require.EITHER)
        for name, x in (("q", q), ("k", k), ("v", v))
    }
    _require.devices(q=q, k=k, v=v)
    batch, n_heads, seq, head_dim = shapes["q"]
    n_kv_heads = _require.count("heads of k", shapes["k"][1])
    if shapes["k"] != (batch, n_kv_heads, seq, head_dim):
        raise ValueError(
            f"k has shape {shapes['k']}, but q {shapes['q']}; "
            "batch, seq and head_dim must be equal"
        )
    if shapes["v"] != shapes["k"]:
        raise ValueError(
            f"k has shape {shapes['k']}, but v {shapes['v']}; they must be equal"
        )
    group = _require.divides(
        "heads of k", n_kv_heads, "heads of q", n_heads
    )
    _fits(layout, n_heads, n_kv_heads)
    if layout == "concatenated":
        return _arrays.concatenate(
            [combine_heads(x) for x in (q, k, v)], -1
        )
    grouped = q.reshape(batch, n_kv_heads, group, seq, head_dim)
    blocks = _arrays.concatenate([grouped, k[:, :, None], v[:, :, None]], 2)
    stacked = blocks.reshape(batch, n_kv_heads * (group + 2), seq, head_dim)
    return combine_heads(stacked)


def _checked(
    qkv, n_heads: int, n_kv_heads: int | None, layout: str
) -> tuple[int, int]:
    """The key/value heads and head_dim, where all arguments fit together."""
    _, _, width = _require.axes(
        "qkv",
        qkv,
        "batch",
        "seq",
        "(n_heads + 2 * n_kv_heads) * head_dim",
        kind=_require.EITHER,
    )
    n_heads = _require.count("n_heads", n_heads)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
    _require.divides("n_kv_heads", n_kv_heads, "n_heads", n_heads)
    head_dim = _require.divides(
        "n_heads + 2 * n_kv_heads", n_heads + 2 * n_kv_heads, "width", width
    )
    _fits(layout, n_heads, n_kv_heads)
    return n_kv_heads, head_dim


def _fits(layout: str, n_heads: int, n_kv_heads: int) -> None:
    _require.one_of("layout", layout, FUSED_LAYOUTS)
    if layout == "per_head" and n_heads != n_kv_heads:
        raise ValueError(
            "layout 'per_head' has one key and one value for each query head; "
            f"got n_heads={n_heads} and n_kv_heads={n_kv_heads}: use 'per_group'"
        )
