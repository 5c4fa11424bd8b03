"""Pairs: how much of the score matrix a mask leaves to compute."""

from manyheads import _arguments, _require

# As `attention` takes it: keys with causal=True, or (left, right).
Window = int | tuple[int | None, int | None] | None


def attended_pairs(q_len: int, k_len: int | None = None, causal: bool = False, window: Window = None) -> int:
    """How many (query, key) pairs a mask allows.

    Parameters
    ----------
    q_len, k_len : int
        Queries and keys, in tokens. Default of `k_len`: `q_len`.
    causal : bool
        Aligned at the bottom right: the last query sees every key.
    window : int or pair (left, right), optional
        With `causal`, W keys, the query's own position included. A pair counts neighbours on both sides, the
        position itself not included; None in it sets no limit on that side.

    Returns
    -------
    int
        The number of True entries in the mask.

    Raises
    ------
    TypeError, ValueError
        If a length or a window is not a whole number or too small, or a window of W comes without `causal`.

    Notes
    -----
    Query i stands at ``p = i + k_len - q_len`` and sees key j if ``p - left <= j <= p + right``, where
    causal means right = 0 and a window of W left = W - 1. What is forbidden is a triangle in two corners of
    the ``q_len x k_len`` rectangle, cut off where it reaches over the edge; neither is walked through.
    A square causal mask leaves ``n (n + 1) / 2``.

    Examples
    --------
    >>> attended_pairs(4, causal=True), attended_pairs(4)
    (10, 16)
    >>> attended_pairs(2, 5, causal=True)  # two new tokens behind three old ones: 4 keys and 5
    9
    >>> attended_pairs(4, window=(1, 0)) == attended_pairs(4, causal=True, window=2) == 7
    True
    """
    q_len = _require.count("q_len", q_len, 0)
    k_len = q_len if k_len is None else _require.count("k_len", k_len, 0)
    left, right = _arguments.band(causal, window)
    pairs = q_len * k_len
    if right is not None:  # upper right: the query m before the last may not see the last m - right keys
        pairs -= _staircase(q_len - 1 - right, k_len)
    if left is not None:  # lower left: the query at position p may not see the first p - left keys
        pairs -= _staircase(k_len - 1 - left, k_len) - _staircase(k_len - q_len - 1 - left, k_len)
    return pairs


def used_fraction(q_len: int, k_len: int | None = None, causal: bool = False, window: Window = None) -> float:
    """The part of the score matrix that a mask allows: what an implementation that skips the rest has left to do.

    Parameters
    ----------
    q_len, k_len, causal, window
        As for `attended_pairs`; the lengths at least 1.

    Returns
    -------
    float
        From 0 to 1, the nearest float to the exact fraction.

    Raises
    ------
    TypeError, ValueError
        As for `attended_pairs`; an empty score matrix has no fraction.

    Notes
    -----
    ``attended_pairs / (q_len k_len)``, which for a square causal mask is ``(n + 1) / (2 n)``: toward one half
    as n grows. Skipping whole blocks, as real implementations do, computes a little more.

    Examples
    --------
    >>> [f"{used_fraction(n, causal=True):.2%}" for n in (4, 128, 1024)]
    ['62.50%', '50.39%', '50.05%']
    """
    q_len = _require.count("q_len", q_len)
    k_len = q_len if k_len is None else _require.count("k_len", k_len)
    return attended_pairs(q_len, k_len, causal, window) / (q_len * k_len)


def _staircase(last: int, top: int) -> int:
    """``1 + 2 + 3 + … + last``, no term above `top`: steps that rise to the edge and go on along it."""
    rising = max(0, min(last, top))
    return rising * (rising + 1) // 2 + max(0, last - rising) * top
