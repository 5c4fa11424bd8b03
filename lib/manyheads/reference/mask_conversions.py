"""Masks and windows as other libraries mean them, to this course's and back."""

import numpy as np

from manyheads import _arguments, _require
from manyheads._shapes import AnyArray, Array, Bool, Float


def flip_mask(
    mask: Bool[AnyArray, "*axes"],
) -> Bool[AnyArray, "*axes"]:
    """From "True must not attend" to "True may attend", or back.

    Parameters
    ----------
    mask : bool array of any shape
        As `nn.MultiheadAttention` has it (`attn_mask`, `key_padding_mask`), or as this course has it.

    Returns
    -------
    bool array of the same shape

    Raises
    ------
    TypeError
        If `mask` is not boolean: ``~`` on integers would not do what it says.

    Notes
    -----
    ``flipped = not mask``. torch's own `scaled_dot_product_attention` already means "may attend".

    Examples
    --------
    >>> flip_mask(np.array([[False, True]]))                # torch's nn.MultiheadAttention: the second is forbidden
    array([[ True, False]])
    """
    _require.array("mask", mask, _require.EITHER)
    if not _require.is_bool(mask):
        raise TypeError(
            f"mask must be boolean, got {_require.dtype_name(mask)}"
        )
    return ~mask


def mask_to_bias(
    mask: Bool[Array, "*axes"], dtype: type | np.dtype | str = np.float32
) -> Float[Array, "*axes"]:
    """From a boolean mask to one that is added.

    Parameters
    ----------
    mask : bool array of any shape
        True where a query may attend.
    dtype : NumPy float dtype

    Returns
    -------
    float array of the same shape
        0 where allowed, minus infinity elsewhere.

    Raises
    ------
    TypeError
        If `mask` is not boolean.

    Notes
    -----
    ``bias = 0 where mask, else -inf`` (as torch's `scaled_dot_product_attention` documents it). Minus infinity and no
    finite stand-in: -1e9 does not fit float16, and gives a row with no allowed key the mean
    of all values.

    Examples
    --------
    >>> mask_to_bias(np.array([[True, False]]))
    array([[  0., -inf]], dtype=float32)
    """
    allowed = ~flip_mask(mask)
    zero = np.zeros((), dtype)
    _require.floats(dtype=zero)
    return np.where(allowed, zero, -np.inf).astype(dtype, copy=False)


def bias_to_mask(bias: Float[Array, "*axes"]) -> Bool[Array, "*axes"]:
    """From a mask that is added to a boolean one.

    Parameters
    ----------
    bias : float array of any shape
        0 where allowed; minus infinity, or a large negative stand-in (-10,000 or less), where not.

    Returns
    -------
    bool array of the same shape
        True where a query may attend.

    Raises
    ------
    TypeError
        If `bias` is not floating point.
    ValueError
        If it holds other numbers: then it is more than a mask.

    Notes
    -----
    ``mask = bias == 0``. Stand-ins in use: -1e4, -1e9, and the smallest number of the dtype.

    Examples
    --------
    >>> bias_to_mask(np.array([[0.0, -np.inf, -1e9]]))
    array([[ True, False, False]])
    """
    _require.array("bias", bias)
    _require.floats(bias=bias)
    allowed, forbidden = bias == 0, bias <= -1e4
    if not (allowed | forbidden).all():
        other = bias[~(allowed | forbidden)].flat[0]
        raise ValueError(
            f"bias holds {other:g}, so it is more than a mask; give it to bias="
        )
    return allowed


def top_left_causal_mask(
    q_len: int, k_len: int
) -> Bool[Array, "q_len k_len"]:
    """The causal mask of libraries that align it at the top left: query i sees keys 0 to i.

    Parameters
    ----------
    q_len, k_len : int

    Returns
    -------
    bool array (q_len, k_len)
        Give it to ``mask=`` to get what torch's ``is_causal=True`` and jax's give. The other way round, give
        those libraries `causal_mask` as a mask and leave their flag off.

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number of at least 0.

    Notes
    -----
    ``mask[i, j] = j <= i`` (the documentation of torch's `scaled_dot_product_attention`, and of jax's). The two corners agree where ``q_len == k_len``, and in decoding one token they differ
    most: the top left lets the last token see the first key only.

    Examples
    --------
    >>> top_left_causal_mask(2, 4).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0]])
    """
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    return np.arange(k_len) <= np.arange(q_len)[:, None]


def window_from_neighbours(
    left: int | None, right: int | None
) -> dict[str, bool | int | tuple[int | None, int | None] | None]:
    """From a window that counts neighbours to this course's ``causal=`` and ``window=``.

    Parameters
    ----------
    left, right : int or None
        Neighbours on each side, the token itself not counted: FlashAttention's `window_size`, jax's
        `local_window_size`, ONNX's `left_window_size` and `right_window_size`. -1 or None for no limit.

    Returns
    -------
    dict
        ``causal`` and ``window``, for ``attention(q, k, v, **window_from_neighbours(3, 0))``.

    Raises
    ------
    TypeError, ValueError
        If a side is neither None nor a whole number of at least -1.

    Notes
    -----
    Together with the token itself, L neighbours on the left are ``W = L + 1`` keys (the README of FlashAttention 2.3;
    the Attention operator of ONNX 25; jax's `dot_product_attention`).

    Examples
    --------
    >>> window_from_neighbours(4095, 0)                                # Mistral 7B v0.1
    {'causal': True, 'window': 4096}
    >>> window_from_neighbours(2, 1)
    {'causal': False, 'window': (2, 1)}
    """
    sides = {"left": left, "right": right}
    left, right = (
        None if n is None or _require.count(side, n, -1) == -1 else int(n)
        for side, n in sides.items()
    )
    if right == 0:
        window = None if left is None else left + 1
        return {"causal": True, "window": window}
    window = None if left is None and right is None else (left, right)
    return {"causal": False, "window": window}


def window_to_neighbours(
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
) -> tuple[int, int]:
    """From this course's ``causal=`` and ``window=`` to neighbours on each side.

    Parameters
    ----------
    causal : bool
    window : int or pair (left, right), optional
        As in `attention`.

    Returns
    -------
    tuple of two int
        Neighbours to the left and to the right, without the token itself; -1 for no limit, as FlashAttention
        and ONNX write it.

    Raises
    ------
    TypeError, ValueError
        As in `attention`.

    Notes
    -----
    ``left = W - 1``, ``right = 0`` for a causal window of W keys: the inverse of `window_from_neighbours`.

    Examples
    --------
    >>> window_to_neighbours(causal=True, window=4096)
    (4095, 0)
    """
    left, right = _arguments.band(causal, window)
    return -1 if left is None else left, -1 if right is None else right
