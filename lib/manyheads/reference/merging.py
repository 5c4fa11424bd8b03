"""Putting attention over parts of the keys together: what splits a long decode, or a sequence over machines."""

from collections.abc import Sequence

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Float
from manyheads.reference._precision import working


def merge_attention(
    parts: Sequence[
        tuple[
            Float[Array, "batch heads q_len v_head_dim"],
            Float[Array, "batch heads q_len"],
        ]
    ],
) -> tuple[
    Float[Array, "batch heads q_len v_head_dim"],
    Float[Array, "batch heads q_len"],
]:
    """Merge the results of the same queries over disjoint parts of the keys.

    Parameters
    ----------
    parts : sequence of pairs (out, lse)
        As `blocked_attention` gives them with ``return_lse=True``: out (batch, heads, q_len, v_head_dim), and
        lse (batch, heads, q_len), natural logarithms. A part in which a query may attend to nothing has minus
        infinity there and weighs nothing.

    Returns
    -------
    out : float array (batch, heads, q_len, v_head_dim), the dtype of the parts' out
    lse : float array (batch, heads, q_len)
        As if attention had seen all the keys at once.

    Raises
    ------
    TypeError, ValueError
        If there is no part, or the parts differ in shape or dtype.

    Notes
    -----
    ``lse = log sum_i e^(lse_i)``, ``out = sum_i e^(lse_i - lse) out_i`` (Dao et al. 2023, "Flash-Decoding").

    Examples
    --------
    >>> import numpy as np
    >>> from manyheads.reference import attention, blocked_attention
    >>> rng = np.random.default_rng(0)
    >>> q, k, v = (rng.standard_normal((1, 2, 6, 4)) for _ in "qkv")
    >>> halves = (slice(0, 2), slice(2, 6))
    >>> parts = [blocked_attention(q, k[:, :, s], v[:, :, s], return_lse=True) for s in halves]
    >>> bool(np.allclose(merge_attention(parts)[0], attention(q, k, v), atol=1e-12))
    True
    """
    outs, lses = check_parts(parts, _require.NUMPY)
    dtype = outs[0].dtype
    wide = working(dtype)
    lse = np.stack([one.astype(wide, copy=False) for one in lses])
    largest = lse.max(axis=0)
    largest = np.where(np.isneginf(largest), 0, largest)
    weights = np.exp(lse - largest)
    total = weights.sum(axis=0)
    some = total > 0
    total = np.where(some, total, 1)
    outs = np.stack([one.astype(wide, copy=False) for one in outs])
    out = ((weights / total)[..., None] * outs).sum(axis=0)
    merged = np.where(some, largest + np.log(total), -np.inf)
    return out.astype(dtype, copy=False), merged


def check_parts(parts, kind: str) -> tuple[list, list]:
    """The parts' out and lse, where they fit together. For NumPy and torch."""
    parts = list(parts)
    if not parts:
        raise ValueError("there is no part to merge; give pairs (out, lse)")
    for i, part in enumerate(parts):
        if not isinstance(part, tuple | list) or len(part) != 2:
            raise TypeError(
                f"part {i} must be a pair (out, lse), as blocked_attention gives it with return_lse=True; "
                f"got {type(part).__name__}"
            )
    outs, lses = zip(*parts, strict=True)
    axes = ("batch", "heads", "q_len", "v_head_dim")
    for i, (out, lse) in enumerate(parts):
        shape = _require.axes(f"out of part {i}", out, *axes, kind=kind)
        rows = _require.axes(f"lse of part {i}", lse, *axes[:3], kind=kind)
        wanted = tuple(outs[0].shape)
        if shape != wanted or rows != shape[:3]:
            raise ValueError(
                f"part {i} has out {shape} and lse {rows}; with part 0's out {wanted} "
                f"they must be {wanted} and {wanted[:3]}"
            )
        _require.floats(
            **{"out of part 0": outs[0], f"out of part {i}": out}
        )
        _require.floats(
            **{"lse of part 0": lses[0], f"lse of part {i}": lse}
        )
        _require.devices(
            **{f"out of part {i}": out, f"lse of part {i}": lse}
        )
    return list(outs), list(lses)
