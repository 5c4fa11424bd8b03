"""The arguments of `attention`, checked once for every path: NumPy, torch and kernels."""

import math
from typing import NamedTuple

from manyheads import _require


class Sizes(NamedTuple):
    """The sizes of one attention call."""

    batch: int
    heads: int
    kv_heads: int
    q_len: int
    k_len: int
    head_dim: int


class Band(NamedTuple):
    """Which keys lie near enough: a query at position p sees keys from p - left to p + right; None is no limit."""

    left: int | None
    right: int | None

    @property
    def limits(self) -> bool:
        return self.left is not None or self.right is not None


def queries_and_keys(q, k, kind: str) -> Sizes:
    """The sizes of queries and keys that fit together."""
    batch, heads, q_len, head_dim = _require.axes("q", q, "batch", "heads", "q_len", "head_dim", kind=kind)
    k_batch, kv_heads, k_len, k_dim = _require.axes("k", k, "batch", "kv_heads", "k_len", "head_dim", kind=kind)
    _require.floats(q=q, k=k)
    _require.same("batch of q", batch, "batch of k", k_batch)
    _require.same("head_dim of q", head_dim, "head_dim of k", k_dim)
    _require.count("head_dim", head_dim)
    _require.count("heads", heads)
    _require.count("kv_heads", kv_heads)
    _require.divides("heads of k", kv_heads, "heads of q", heads)
    return Sizes(batch, heads, kv_heads, q_len, k_len, head_dim)


def keys_and_values(k, v, kind: str) -> None:
    """Keys and values that fit together; their widths may differ."""
    batch, kv_heads, k_len, _ = _require.axes("v", v, "batch", "kv_heads", "k_len", "v_head_dim", kind=kind)
    _require.floats(k=k, v=v)
    _require.same("batch of k", k.shape[0], "batch of v", batch)
    _require.same("heads of k", k.shape[1], "heads of v", kv_heads)
    _require.same("k_len of k", k.shape[2], "k_len of v", k_len)


def mask(value, sizes: Sizes, kind: str) -> None:
    """A boolean mask that fits the scores."""
    if value is None:
        return
    _require.array("mask", value, kind)
    if not _require.is_bool(value):
        raise TypeError(
            f"mask must be boolean, True where a query may attend, got {_require.dtype_name(value)}; "
            "numbers that are added to the scores go to bias="
        )
    _fits("mask", value, sizes)


def bias(value, sizes: Sizes, kind: str) -> None:
    """A float bias that fits the scores."""
    if value is None:
        return
    _require.array("bias", value, kind)
    if not _require.is_float(value):
        advice = "a boolean goes to mask=" if _require.is_bool(value) else "convert it to a float dtype"
        raise TypeError(f"bias must be floating point, got {_require.dtype_name(value)}; {advice}")
    _fits("bias", value, sizes)


def _fits(name: str, value, sizes: Sizes) -> None:
    full = (sizes.batch, sizes.heads, sizes.q_len, sizes.k_len)
    got = tuple(value.shape)
    if got == full[2:]:
        return
    if len(got) == 4 and all(size in (1, wanted) for size, wanted in zip(got, full, strict=True)):
        return
    advice = ""
    if len(got) == 3:
        advice = f"; give the missing axis: {name}[:, None] for heads, {name}[None] for the batch"
    elif name == "mask" and got == (sizes.batch, sizes.k_len):
        advice = "; padding comes as (batch, 1, 1, k_len), which padding_mask makes"
    raise ValueError(
        f"{name} must be (q_len, k_len) = {full[2:]}, or four axes that broadcast to "
        f"(batch, heads, q_len, k_len) = {full}; got shape {got}{advice}"
    )


def masks_fit(masks, kind: str) -> None:
    """Boolean masks of 2 or 4 axes that broadcast against each other, in one place."""
    for mask in masks:
        _require.array("a mask", mask, kind)
        if not _require.is_bool(mask):
            raise TypeError(f"a mask must be boolean, True where a query may attend, got {_require.dtype_name(mask)}")
        if mask.ndim not in (2, 4):
            raise ValueError(f"a mask must be (q_len, k_len) or have four axes, got shape {tuple(mask.shape)}")
    _require.devices(**{f"mask {i}": mask for i, mask in enumerate(masks)})
    for i, one in enumerate(masks):
        for other in masks[:i]:
            pairs = zip(reversed(one.shape), reversed(other.shape), strict=False)
            if not all(a == b or 1 in (a, b) for a, b in pairs):
                shapes = ", ".join(str(tuple(mask.shape)) for mask in masks)
                raise ValueError(f"these masks do not fit together: {shapes}")


def band(causal, window) -> Band:
    """What `causal` and `window` say together."""
    _require.flag("causal", causal)
    if window is None:
        return Band(None, 0 if causal else None)
    if isinstance(window, tuple | list):
        left, right = side_by_side(window)
        return Band(left, 0 if causal else right)
    window = causal_window(window)
    if not causal:
        raise ValueError(
            f"window={window} alone does not say which side it means; give causal=True ({window} keys, itself "
            "included) or a pair (left, right)"
        )
    return Band(window - 1, 0)


def causal_window(window) -> int:
    """A window that counts keys, the token itself among them."""
    _require.whole("window", window)
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}: it counts the token itself; leave it out for none")
    return int(window)


def side_by_side(window) -> Band:
    """A two-sided window: neighbours to the left and to the right, None for no limit."""
    if len(window) != 2:
        raise ValueError(f"a window with two sides is a pair (left, right), got {window!r}")
    sides = zip(("left", "right"), window, strict=True)
    return Band(*(n if n is None else _require.count(f"window's {side}", n, 0) for side, n in sides))


def scale(value, head_dim: int) -> float:
    """The factor on the scores: 1 / sqrt(head_dim) unless given."""
    return 1 / math.sqrt(head_dim) if value is None else _require.number("scale", value)


def softcap(value) -> float | None:
    return None if value is None else _require.positive("softcap", value, "; leave it out for none")


def gradient(d_out, q, v, kind: str) -> None:
    """A gradient with respect to attention's output."""
    axes = _require.axes("d_out", d_out, "batch", "heads", "q_len", "v_head_dim", kind=kind)
    expected = (*q.shape[:3], v.shape[3])
    if axes != expected:
        raise ValueError(f"d_out must have the output's shape {expected}, got {axes}")
    _require.floats(q=q, d_out=d_out)


def layer_options(options: dict, x, sizes: Sizes, kind: str, *more: str) -> None:
    """What a layer hands on to `attention`, refused before the layer computes anything or its cache changes."""
    known = ("mask", "bias", "causal", "window", "scale", "softcap", "return_weights", *more)
    _require.keywords(options, known, ("context", "cache", "lengths", "rotary", "rotary_base"))
    mask(options.get("mask"), sizes, kind)
    bias(options.get("bias"), sizes, kind)
    _require.devices(x=x, mask=options.get("mask"), bias=options.get("bias"))
    band(options.get("causal", False), options.get("window"))
    scale(options.get("scale"), sizes.head_dim)
    softcap(options.get("softcap"))
