"""Attention tile by tile on tensors: the online softmax, all heads of a block of queries at once."""

import torch

from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.reference.blocked import tile_sizes, visible_keys
from manyheads.torch_path._call import Call, checked, drop_unread
from manyheads.torch_path._precision import own_precision, working
from manyheads.torch_path._shapes import Bool, Float, Tensor
from manyheads.torch_path.attention import attention
from manyheads.torch_path.masks import combine_masks


def blocked_attention(
    q: Float[Tensor, "batch heads q_len head_dim"],
    k: Float[Tensor, "batch kv_heads k_len head_dim"],
    v: Float[Tensor, "batch kv_heads k_len v_head_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    block: tuple[int, int] = (128, 2048),
    return_lse: bool = False,
) -> (
    Float[Tensor, "batch heads q_len v_head_dim"]
    | tuple[
        Float[Tensor, "batch heads q_len v_head_dim"],
        Float[Tensor, "batch heads q_len"],
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
        Give the log-sum-exp of each query's scores as well, for `merge_attention`.

    Returns
    -------
    float tensor (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_lse` a pair
        The second is (batch, heads, q_len), float32 or wider, minus infinity for a query that may attend to
        nothing.

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and if `block` is not a pair of whole numbers of at least 1.

    Notes
    -----
    As `manyheads.reference.blocked_attention`, with its formulas and source. Under autograd torch keeps every tile
    for the backward pass, so the memory is saved in inference only.

    Examples
    --------
    >>> import torch
    >>> from manyheads.torch_path import attention
    >>> q, k, v = torch.randn(3, 1, 2, 300, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    >>> out = blocked_attention(q, k, v, causal=True, block=(64, 64))
    >>> torch.allclose(out, attention(q, k, v, causal=True), atol=1e-12)
    True
    """
    options = {
        "mask": mask,
        "bias": bias,
        "causal": causal,
        "window": window,
        "scale": scale,
        "softcap": softcap,
    }
    call = checked(q, k, v, **options)
    rows, columns = tile_sizes(block)
    wide = working(q.dtype)
    if 0 in call.sizes:  # no tile, through which autograd could find back
        out = attention(q, k, v, **options)
        assert isinstance(out, Tensor)  # no weights were asked for
        lse = q.new_full(q.shape[:3], -torch.inf, dtype=wide)
        return (out, lse) if return_lse else out
    spans = [
        slice(start, min(start + rows, call.sizes.q_len))
        for start in range(0, call.sizes.q_len, rows)
    ]
    with own_precision(q):
        read = _read(call, spans)
        keys = drop_unread(k.to(wide), read)
        values = drop_unread(v.to(wide), read)
        blocks = [
            _rows(q[:, :, span].to(wide), keys, values, call, span, columns)
            for span in spans
        ]
    out = torch.cat([out for out, _ in blocks], dim=2).to(q.dtype)
    lse = torch.cat([lse for _, lse in blocks], dim=2)
    return (out, lse) if return_lse else out


def _rows(queries, keys, values, call: Call, span: slice, columns: int):
    """A block of queries, of all heads, against all the keys that they may see, tile by tile."""
    heads, kv_heads = call.sizes.heads, call.sizes.kv_heads
    shape = (*queries.shape[:3], 1)
    largest = queries.new_full(shape, -torch.inf)
    total = queries.new_zeros(shape)
    out = queries.new_zeros((*queries.shape[:3], values.shape[-1]))
    queries = stack_group(queries * call.scale, kv_heads)
    first, last = visible_keys(call, span)
    for start in range(first, last, columns):
        tile = slice(start, min(start + columns, last))
        products = queries @ keys[:, :, tile].swapaxes(-1, -2)
        scores = _capped_and_masked(
            unstack_group(products, heads), call, span, tile
        )
        now = torch.maximum(largest, scores.detach().amax(-1, keepdim=True))
        # Where nothing was allowed yet, any finite number will do.
        shift = torch.where(torch.isneginf(now), 0.0, now)
        weights = torch.exp(scores - shift)
        faded = torch.exp(largest - shift)
        total = total * faded + weights.sum(-1, keepdim=True)
        part = stack_group(weights, kv_heads) @ values[:, :, tile]
        out = out * faded + unstack_group(part, heads)
        largest = now
    some = total > 0
    safe = torch.where(some, total, 1.0)
    return out / safe, (largest + torch.log(safe))[..., 0]


def _capped_and_masked(scores, call: Call, span: slice, tile: slice):
    """Softcap, bias and mask on one tile."""
    if call.softcap is not None:
        scores = call.softcap * torch.tanh(scores / call.softcap)
    if call.bias is not None:
        scores = scores + _part(call.bias, span, tile).to(scores.dtype)
    allowed = _allowed(call, span, tile, scores.device)
    if allowed is None:
        return scores
    return torch.where(allowed, scores, -torch.inf)


def _allowed(call: Call, span: slice, tile: slice, device):
    """Which pairs of a tile count; None for all."""
    masks = []
    if call.mask is not None:
        masks.append(_part(call.mask, span, tile))
    if call.bias is not None:
        masks.append(~torch.isneginf(_part(call.bias, span, tile)))
    shift = call.sizes.k_len - call.sizes.q_len
    position = torch.arange(span.start, span.stop, device=device)[:, None]
    position = position + shift
    key = torch.arange(tile.start, tile.stop, device=device)
    if call.band.right is not None:
        masks.append(key <= position + call.band.right)
    if call.band.left is not None:
        masks.append(key >= position - call.band.left)
    return combine_masks(*masks)


def _part(x: Tensor, span: slice, tile: slice) -> Tensor:
    """The tile's part of a mask or bias that broadcasts."""
    rows = span if x.shape[-2] > 1 else slice(None)
    columns = tile if x.shape[-1] > 1 else slice(None)
    return x[..., rows, columns]


def _read(call: Call, spans) -> Tensor | None:
    """Which K/V slots are read at all: seen by blocks of rows, for the whole mask is never held."""
    if call.mask is None and call.bias is None:
        return None  # a band leaves out whole ends, and no tile goes there
    keys = slice(0, call.sizes.k_len)
    seen = None
    for span in spans:
        allowed = _allowed(call, span, keys, call.device)
        if allowed is None:
            return None
        four = allowed if allowed.ndim == 4 else allowed[None, None]
        of_part = call.read(four)
        assert of_part is not None  # there is a mask
        seen = of_part if seen is None else seen | of_part
    return seen
