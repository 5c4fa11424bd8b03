"""Rotary position embedding: a position as an angle, in both ways of pairing the elements."""

from collections.abc import Sequence

import numpy as np

from manyheads import _require
from manyheads._shapes import AnyArray, Array, Float, Int
from manyheads.reference._precision import working

PAIRINGS = ("interleaved", "halves")


def apply_rotary(
    x: Float[Array, "batch heads seq dim"],
    positions: Int[AnyArray, "..."] | Sequence[int] | None = None,
    *,
    base: float = 10_000.0,
    pairing: str = "interleaved",
) -> Float[Array, "batch heads seq dim"]:
    """Turn each pair of elements by an angle that grows with the token's position.

    Parameters
    ----------
    x : float array (batch, heads, seq, dim)
        Queries or keys; `dim` is even.
    positions : ints (seq,) or (batch, seq), optional
        Default ``0 … seq - 1``.
    base : float
        The longest wavelength is near ``2 pi base`` tokens.
    pairing : {"interleaved", "halves"}
        Which elements make a pair: 2i and 2i + 1 (RoFormer, GPT-J, DeepSeek), or i and i + dim / 2 (GPT-NeoX,
        and Llama in Hugging Face's transformers).

    Returns
    -------
    float array, the shape and dtype of `x`

    Raises
    ------
    TypeError, ValueError
        If `dim` is odd, the positions do not fit, or the pairing is unknown.

    Notes
    -----
    Pair i at position p turns by ``p base^(-2i / dim)``: ``(a cos - b sin, a sin + b cos)`` (Su et al. 2021,
    "RoFormer", section 3.4.2). A score then depends on the distance of the two positions only. The pairings
    differ by a fixed order of the elements: see `convert_rotary_pairing`.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[[1.0, 0.0, 1.0, 0.0]]]])
    >>> apply_rotary(x, [1]).round(3)[0, 0, 0]                        # 1 rad, and 1 / 100 rad
    array([0.54 , 0.841, 1.   , 0.01 ])
    """
    batch, _, seq, dim = _require.axes(
        "x", x, "batch", "heads", "seq", "dim"
    )
    _require.floats(x=x)
    check_pairing("pairing", pairing, "dim", dim)
    angles = rotary_angles(batch, seq, dim, positions, base)
    wide = working(x.dtype)
    cos, sin = np.cos(angles).astype(wide), np.sin(angles).astype(wide)
    if pairing == "interleaved":
        a, b = x[..., 0::2].astype(wide), x[..., 1::2].astype(wide)
    else:
        a, b = (part.astype(wide) for part in np.split(x, 2, axis=-1))
    turned = np.stack([a * cos - b * sin, a * sin + b * cos])
    if pairing == "interleaved":
        turned = np.moveaxis(turned, 0, -1)
    else:
        turned = np.moveaxis(turned, 0, -2)
    return turned.reshape(x.shape).astype(x.dtype, copy=False)


def check_pairing(name: str, pairing, width_name: str, width: int) -> None:
    """A known pairing, of elements that come in pairs. For NumPy and torch."""
    _require.one_of(name, pairing, PAIRINGS)
    if width % 2:
        raise ValueError(
            f"{width_name} must be even, for rotary turns pairs of elements; got {width}"
        )


def check_positions(at, batch: int, seq: int) -> None:
    """Integers, one for each token, or for each token of each sequence. For NumPy and torch."""
    got = tuple(at.shape)
    if got not in ((seq,), (batch, seq), (1, seq)):
        raise ValueError(
            f"positions must be (seq,) = ({seq},) or (batch, seq) = ({batch}, {seq}), got shape {got}"
        )
    if "int" not in (name := _require.dtype_name(at)):
        raise TypeError(f"positions must be integers, got {name}")


def rotary_angles(
    batch: int, seq: int, dim: int, positions, base: float
) -> Float[Array, "... seq half"]:
    """Angles in radians, (1 or batch, 1, seq, dim / 2), in float64."""
    base = _require.positive("base", base)
    at = np.arange(seq)
    if positions is not None:
        at = _require.integers("positions", positions, np.asarray)
    check_positions(at, batch, seq)
    frequency = base ** (-np.arange(0, dim, 2) / dim)
    return np.atleast_2d(at)[:, None, :, None] * frequency


def convert_rotary_pairing(
    w: Float[AnyArray, "d_in width"], n_heads: int, source: str, target: str
) -> Float[AnyArray, "d_in width"]:
    """Reorder a query or key projection, so that a model which pairs otherwise gets the same scores.

    Parameters
    ----------
    w : float array (d_in, n_heads * head_dim)
        W_Q or W_K; both must be converted.
    n_heads : int
    source, target : {"interleaved", "halves"}
        The pairing for which `w` was trained, and the one that it shall serve.

    Returns
    -------
    float array, the shape and dtype of `w`

    Raises
    ------
    TypeError, ValueError
        If the shape does not fit, head_dim is odd, or a pairing is unknown.

    Notes
    -----
    Within a head, ``halves[i] = interleaved[2 i]`` and ``halves[i + head_dim / 2] = interleaved[2 i + 1]`` (as in Hugging Face's
    conversion of the Llama checkpoints, 2023). The
    order of the elements does not change a dot product.

    Examples
    --------
    >>> import numpy as np
    >>> convert_rotary_pairing(np.array([[0.0, 1.0, 2.0, 3.0]]), 1, "interleaved", "halves")
    array([[0., 2., 1., 3.]])
    """
    d_in, width = _require.axes(
        "w", w, "d_in", "n_heads * head_dim", kind=_require.EITHER
    )
    n_heads = _require.count("n_heads", n_heads)
    head_dim = _require.divides("n_heads", n_heads, "width", width)
    check_pairing("source", source, "head_dim", head_dim)
    check_pairing("target", target, "head_dim", head_dim)
    half = head_dim // 2
    if source == target:
        return w
    pairs = (half, 2) if source == "interleaved" else (2, half)
    heads = w.reshape(d_in, n_heads, *pairs)
    return heads.swapaxes(2, 3).reshape(d_in, width)
