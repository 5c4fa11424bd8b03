"""The arguments of a whole layer (`gqa`, `mla`), checked once for NumPy and torch."""

from typing import NamedTuple

from manyheads import _require


def check_inputs(x, context, weights: dict, biases: dict, kind: str) -> None:
    """Tokens, projections and biases whose widths, dtypes and devices fit. Each bias ``b_q`` belongs to ``w_q``."""
    batch, _, d_model = _require.axes("x", x, "batch", "q_len", "d_model", kind=kind)
    arrays = {"x": x}
    d_context, of = d_model, "d_model of x"
    if context is not None:
        c_batch, _, d_context = _require.axes("context", context, "batch", "k_len", "d_context", kind=kind)
        _require.same("batch of x", batch, "batch of context", c_batch)
        arrays["context"] = context
        of = "d_context of context"
    for name, w in weights.items():
        rows, _ = _require.axes(name, w, "d_in", "d_out", kind=kind)
        if name == "w_q":
            _require.same("d_model of x", d_model, f"rows of {name}", rows)
        elif name in ("w_k", "w_v", "w_down"):
            _require.same(of, d_context, f"rows of {name}", rows)
        arrays[name] = w
    for name, b in biases.items():
        if b is not None:
            w = "w" + name[1:]
            (width,) = _require.axes(name, b, "d_out", kind=kind)
            _require.same(f"columns of {w}", weights[w].shape[1], f"width of {name}", width)
            arrays[name] = b
    _require.floats(**arrays)


class HeadSizes(NamedTuple):
    """What the weights of `gqa` say about its heads."""

    head_dim: int
    v_head_dim: int

    @classmethod
    def of(cls, w_q, w_k, w_v, w_o, n_heads: int, n_kv_heads: int) -> "HeadSizes":
        """Read them, and refuse weights that do not fit each other."""
        n_heads = _require.count("n_heads", n_heads)
        n_kv_heads = _require.count("n_kv_heads", n_kv_heads)
        _require.divides("n_kv_heads", n_kv_heads, "n_heads", n_heads)
        head_dim = _require.divides("n_heads", n_heads, "columns of w_q", w_q.shape[1])
        k_dim = _require.divides("n_kv_heads", n_kv_heads, "columns of w_k", w_k.shape[1])
        v_dim = _require.divides("n_kv_heads", n_kv_heads, "columns of w_v", w_v.shape[1])
        _require.count("head_dim", head_dim)
        _require.same("head_dim of w_q", head_dim, "head_dim of w_k", k_dim)
        _require.same("n_heads * v_head_dim of w_v", n_heads * v_dim, "rows of w_o", w_o.shape[0])
        return cls(head_dim, v_dim)


def keys_seen(cache, x, context, lengths) -> int:
    """The keys that attention will meet; a chunk that does not fit the cache is refused, and nothing has changed."""
    if cache is not None:
        return cache._keys_after(*x.shape[:2], lengths)
    return (x if context is None else context).shape[1]


def check_cached_options(cache, wanted: type, context, lengths, rotary, options: dict) -> dict:
    """What a cache and rotary embedding go with; the options for `attention`, the cache's own left out."""
    if cache is not None and _serves(type(cache)) != _serves(wanted):
        one, other = (f"{cls.__name__} ({cls.__module__})" for cls in (wanted, type(cache)))
        raise TypeError(f"cache must be a {one}, got {other}")
    if context is not None and cache is not None:
        raise ValueError(
            "a cache grows with its own sequence: with context there is nothing to append, leave cache out"
        )
    if context is not None and rotary is not None:
        raise ValueError("rotary needs queries and keys of one sequence; with context leave it out")
    if lengths is not None and cache is None:
        raise ValueError("lengths go with a cache; without one, give mask=padding_mask(lengths, k_len)")
    options = dict(options)
    if cache is not None:
        window = options.pop("window", None)
        if window is not None and (_require.kind_of(window) or window != cache.window):
            raise ValueError(
                f"window={window}, but the cache has window={cache.window}; a cache's window is set where it is made"
            )
        causal = options.pop("causal", True)
        _require.flag("causal", causal)
        if not causal:
            raise ValueError("a cache is read causally: leave causal out, or give causal=True")
    return options


def _serves(cache: type) -> tuple:
    """Which layer, and on which path: every cache is a subclass of NumPy's `KVCache`."""
    return getattr(cache, "_layer", None), getattr(cache, "_kind", None)
