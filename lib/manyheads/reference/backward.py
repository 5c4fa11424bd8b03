"""The gradients of attention, by hand."""

from typing import NamedTuple

import numpy as np

from manyheads import _arguments, _require
from manyheads._shapes import AnyArray, Array, Bool, Float
from manyheads.reference._call import checked
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.reference._visibility import drop_unread
from manyheads.reference.scores import scores_up_to
from manyheads.reference.softmax import softmax


class AttentionGradients(NamedTuple):
    """Gradients of a scalar loss, as `attention_backward` gives them.

    Parameters
    ----------
    q, k, v : float arrays, or tensors on the torch path
        Each with the shape and dtype of what it belongs to.
    bias : float array or tensor, or None
        None where attention had no bias.

    Examples
    --------
    >>> import numpy as np
    >>> q = k = v = np.ones((1, 1, 2, 4))
    >>> attention_backward(np.ones((1, 1, 2, 4)), q, k, v).bias is None
    True
    """

    q: AnyArray
    k: AnyArray
    v: AnyArray
    bias: AnyArray | None


def softmax_backward(
    weights: Float[Array, "*axes"],
    d_weights: Float[Array, "*axes"],
    axis: int = -1,
) -> Float[Array, "*axes"]:
    """The gradient of a loss with respect to the scores, from that with respect to the weights.

    Parameters
    ----------
    weights : float array of any shape
        What `softmax` gave.
    d_weights : float array of the same shape
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    float array, the shape and dtype of `weights`
        0 where a weight is 0, so also in a row with nothing in it.

    Raises
    ------
    TypeError, ValueError
        If the two are not arrays of floats of one shape and dtype.

    Notes
    -----
    ``dS = P * (dP - sum_j P_j dP_j)``: a score gains by how much its weight's gradient exceeds the row's average
    (Dao et al. 2022, "FlashAttention", appendix B).

    Examples
    --------
    >>> import numpy as np
    >>> softmax_backward(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    _require.array("weights", weights)
    _require.array("d_weights", d_weights)
    _require.floats(weights=weights, d_weights=d_weights)
    _require.axis("weights", weights, axis)
    if weights.shape != d_weights.shape:
        raise ValueError(
            f"weights have shape {weights.shape}, "
            f"but d_weights {d_weights.shape}; they must be equal"
        )
    average = (weights * d_weights).sum(axis, keepdims=True)
    return weights * (d_weights - average)


def attention_backward(
    d_out: Float[Array, "batch heads q_len v_head_dim"],
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
) -> AttentionGradients:
    """The gradients of a loss with respect to what `attention` was given.

    Parameters
    ----------
    d_out : float array (batch, heads, q_len, v_head_dim)
        The gradient with respect to the output of `attention`.
    q, k, v, mask, bias, causal, window, scale, softcap
        As given to `attention`.

    Returns
    -------
    AttentionGradients
        ``.q``, ``.k``, ``.v`` and ``.bias`` (None without a bias), each with the shape and dtype of its array.
        A query that may attend to nothing, and a slot that is not read, get 0.

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and if `d_out` does not have the output's shape and dtype.

    Notes
    -----
    With P the weights and S the scores: ``dV = P^T dO``, ``dP = dO V^T``, ``dS`` as in `softmax_backward`, then
    ``dQ = scale dS K`` and ``dK = scale dS^T Q``, with dK and dV summed over the query heads that share a K/V
    head; a softcap multiplies dS by ``1 - (capped / softcap)^2`` (Dao et al. 2022, appendix B).

    Examples
    --------
    >>> import numpy as np
    >>> q = k = np.zeros((1, 1, 2, 4))
    >>> v = np.array([[[[10.0], [20.0]]]])
    >>> attention_backward(np.ones((1, 1, 2, 1)), q, k, v).v[0, 0, :, 0]     # every query gave each half a weight
    array([1., 1.])
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
    _arguments.gradient(d_out, q, v, _require.NUMPY)

    allowed = call.allowed()
    masked = scores_up_to("masked", q, k, call, allowed)
    weights = softmax(masked)
    wide = weights.dtype
    read = call.read(allowed)
    keys = drop_unread(k.astype(wide, copy=False), read)
    values = drop_unread(v.astype(wide, copy=False), read)
    heads, kv_heads = call.sizes.heads, call.sizes.kv_heads
    # Stacked, a product over the group's queries is the sum over its heads.
    queries = stack_group(q.astype(wide, copy=False), kv_heads)
    d_stacked = stack_group(d_out.astype(wide, copy=False), kv_heads)

    d_v = stack_group(weights, kv_heads).swapaxes(-1, -2) @ d_stacked
    d_weights = unstack_group(d_stacked @ values.swapaxes(-1, -2), heads)
    d_scores = softmax_backward(weights, d_weights)
    d_bias = _summed_to(d_scores, bias)
    if call.softcap is not None:
        capped = scores_up_to("capped", q, k, call, allowed)
        d_scores = d_scores * (1 - (capped / call.softcap) ** 2)
    d_products = call.scale * stack_group(d_scores, kv_heads)
    d_q = unstack_group(d_products @ keys, heads)
    d_k = d_products.swapaxes(-1, -2) @ queries
    return AttentionGradients(
        d_q.astype(q.dtype, copy=False),
        d_k.astype(k.dtype, copy=False),
        d_v.astype(v.dtype, copy=False),
        d_bias,
    )


def _summed_to(d_scores: np.ndarray, bias: np.ndarray | None):
    """A bias that was broadcast gets the sum over where it went."""
    if bias is None:
        return None
    shape = (1,) * (4 - bias.ndim) + bias.shape
    axes = tuple(
        i
        for i, size in enumerate(shape)
        if size == 1 and d_scores.shape[i] != 1
    )
    summed = d_scores.sum(axes, keepdims=True).reshape(bias.shape)
    return summed.astype(bias.dtype, copy=False)
