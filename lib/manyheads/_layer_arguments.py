"""The arguments of a whole layer (`gqa`, `mla`), checked once for NumPy and torch."""

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


def check_cached_options(cache, context, lengths, rotary, options: dict) -> dict:
    """What a cache and rotary embedding go with; the options for `attention`, the cache's own left out."""
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
        if window is not None and window != cache.window:
            raise ValueError(
                f"window={window}, but the cache has window={cache.window}; a cache's window is set where it is made"
            )
        if options.pop("causal", True) not in (True, False):
            raise TypeError("causal must be True or False")
    return options
