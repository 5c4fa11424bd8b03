"""Attention tile by tile: the online softmax. Memory grows with the length, not with its square."""

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Bool, Float
from manyheads.reference._call import Call, checked
from manyheads.reference._precision import working
from manyheads.reference._visibility import drop_unread


def blocked_attention(
    q: Float[Array, "batch heads q_len head_dim"],
    k: Float[Array, "batch kv_heads k_len head_dim"],
    v: Float[Array, "batch kv_heads k_len v_head_dim"],
    *,
    mask: Bool[Array, "..."] | None = None,
    bias: Float[Array, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    block: tuple[int, int] = (128, 2048),
    return_lse: bool = False,
) -> (
    Float[Array, "batch heads q_len v_head_dim"]
    | tuple[
        Float[Array, "batch heads q_len v_head_dim"],
        Float[Array, "batch heads q_len"],
    ]
):
    """`attention` without ever holding the score matrix.

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap
        As in `attention`.
    block : pair of int
        Queries and keys in a tile. A tile that `causal` or `window` forbids whole is never computed.
    return_lse : bool
        Give the log-sum-exp of each query's scores as well, for `merge_attention` or a backward pass.

    Returns
    -------
    float array (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_lse` a pair
        The second is (batch, heads, q_len), float32 or wider: ``log sum_j exp(masked_j)``, natural
        logarithm, minus infinity for a query that may attend to nothing.

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and if `block` is not a pair of whole numbers of at least 1.

    Notes
    -----
    Over tiles, with the largest score so far m, the sum l and the unnormalised output o:
    ``m' = max(m, max s)``, ``l' = l e^(m - m') + sum e^(s - m')``, ``o' = o e^(m - m') + e^(s - m') v``; at the end
    ``out = o / l`` and ``lse = m + log l`` (Milakov and Gimelshein 2018; Dao et al. 2022, "FlashAttention",
    algorithm 1).

    Examples
    --------
    >>> import numpy as np
    >>> from manyheads.reference import attention
    >>> rng = np.random.default_rng(0)
    >>> q, k, v = (rng.standard_normal((1, 2, 300, 8)) for _ in "qkv")
    >>> out = blocked_attention(q, k, v, causal=True, block=(64, 64))
    >>> bool(np.allclose(out, attention(q, k, v, causal=True), atol=1e-12))
    True
    """
    call = checked(
        q,
        k,
        v,
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )
    rows, columns = tile_sizes(block)
    batch, heads, q_len = (
        call.sizes.batch,
        call.sizes.heads,
        call.sizes.q_len,
    )
    wide = working(q.dtype)
    out = np.empty((batch, heads, q_len, v.shape[-1]), q.dtype)
    lse = np.empty((batch, heads, q_len), wide)
    read = _read(call, rows)
    group = heads // call.sizes.kv_heads
    for b, j in np.ndindex(batch, call.sizes.kv_heads):
        keys, values = (_of_head(x, wide, read, b, j) for x in (k, v))
        keys = np.ascontiguousarray(keys.T)  # products run faster so
        for h in range(j * group, (j + 1) * group):
            for start in range(0, q_len, rows):
                span = slice(start, min(start + rows, q_len))
                queries = q[b, h, span].astype(wide, copy=False)
                out[b, h, span], lse[b, h, span] = _rows(
                    queries * call.scale,
                    keys,
                    values,
                    call,
                    (b, h),
                    span,
                    columns,
                )
    return (out, lse) if return_lse else out


def _rows(
    queries, keys, values, call: Call, head, span: slice, columns: int
):
    """A block of queries against all the keys that it may see, tile by tile."""
    count = len(queries)
    largest = np.full((count, 1), -np.inf, queries.dtype)
    total = np.zeros((count, 1), queries.dtype)
    out = np.zeros((count, values.shape[-1]), queries.dtype)
    ones = np.ones((min(columns, len(values)), 1), queries.dtype)
    first, last = visible_keys(call, span)
    for start in range(first, last, columns):
        tile = slice(start, min(start + columns, last))
        scores = queries @ keys[:, tile]
        _cap_and_mask(scores, call, head, span, tile)
        now = np.maximum(largest, scores.max(-1, keepdims=True))
        # Where nothing was allowed yet, any finite number will do.
        shift = np.where(np.isneginf(now), 0, now)
        scores -= shift
        np.exp(scores, out=scores)
        faded = np.exp(largest - shift)
        # A product with ones sums the rows, faster than sum does.
        total = total * faded + scores @ ones[: tile.stop - start]
        out = out * faded + scores @ values[tile]
        largest = now
    some = total > 0
    out /= np.where(some, total, 1)
    lse = largest + np.log(np.where(some, total, 1))
    return out, lse[:, 0]


def _of_head(x, wide, read, b: int, j: int) -> np.ndarray:
    """One head's keys or values, in the dtype in which they are used, nothing in slots that nobody reads."""
    one = x[b, j].astype(wide, copy=False)
    if read is None:
        return one
    batch, heads, _, _ = read.shape
    seen = read[b if batch > 1 else 0, j if heads > 1 else 0]
    return drop_unread(one, seen)


def visible_keys(call, span: slice) -> tuple[int, int]:
    """The keys from the first to the last that the band lets some query of the block see."""
    q_len, k_len = call.sizes.q_len, call.sizes.k_len
    shift = k_len - q_len
    first, last = 0, k_len
    if call.band.left is not None:
        first = max(first, span.start + shift - call.band.left)
    if call.band.right is not None:
        last = min(last, span.stop + shift + call.band.right)
    return first, last


def _cap_and_mask(
    scores, call: Call, head, span: slice, tile: slice
) -> None:
    """Softcap, bias and mask, in place, on one tile."""
    if call.softcap is not None:
        scores /= call.softcap
        np.tanh(scores, out=scores)
        scores *= call.softcap
    if call.bias is not None:
        scores += _part(call.bias, head, span, tile)
    if call.mask is not None:
        mask = _part(call.mask, head, span, tile)
        np.copyto(scores, -np.inf, where=~mask)
    band, shift = call.band, call.sizes.k_len - call.sizes.q_len
    position = np.arange(span.start + shift, span.stop + shift)[:, None]
    # Only the columns through which the band's edge runs.
    if band.right is not None:
        edge = max(tile.start, span.start + shift + band.right + 1)
        key = np.arange(edge, tile.stop)
        beyond = key > position + band.right
        np.copyto(scores[:, edge - tile.start :], -np.inf, where=beyond)
    if band.left is not None:
        edge = min(tile.stop, span.stop - 1 + shift - band.left)
        key = np.arange(tile.start, max(edge, tile.start))
        beyond = key < position - band.left
        np.copyto(scores[:, : len(key)], -np.inf, where=beyond)


def _part(x: np.ndarray, head, span: slice, tile: slice) -> np.ndarray:
    """The tile's part of a mask or bias that broadcasts."""
    if x.ndim == 4:
        b, h = head
        x = x[b if x.shape[0] > 1 else 0, h if x.shape[1] > 1 else 0]
    rows = span if x.shape[0] > 1 else slice(None)
    columns = tile if x.shape[1] > 1 else slice(None)
    return x[rows, columns]


def _read(call: Call, rows: int) -> np.ndarray | None:
    """Which K/V slots are read at all: seen by blocks of rows, for the whole mask is never held."""
    if call.mask is None and call.bias is None:
        return None  # a band leaves out whole ends, and no tile goes there
    seen = np.zeros((1, 1, 1, 1), bool)
    for start in range(0, call.sizes.q_len, rows):
        part = call.rows(start, min(start + rows, call.sizes.q_len))
        of_part = part.read(part.allowed())
        if of_part is None:
            return None
        seen = seen | of_part
    return seen


def tile_sizes(block) -> tuple[int, int]:
    """Queries and keys in a tile."""
    if not isinstance(block, tuple | list) or len(block) != 2:
        raise TypeError(
            f"block must be a pair (queries, keys), got {block!r}"
        )
    rows, columns = block
    return _require.count("block's queries", rows), _require.count(
        "block's keys", columns
    )
