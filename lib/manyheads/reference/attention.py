"""Attention: each query's weighted average of the values."""

from manyheads._shapes import Array, Bool, Float
from manyheads.reference._call import checked
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.reference._visibility import drop_unread
from manyheads.reference.scores import scores_up_to


def attention(
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
    return_weights: bool = False,
) -> (
    Float[Array, "batch heads q_len v_head_dim"]
    | tuple[
        Float[Array, "batch heads q_len v_head_dim"],
        Float[Array, "batch heads q_len k_len"],
    ]
):
    """Scaled dot-product attention, for MHA, GQA and MQA alike.

    Parameters
    ----------
    q : float array (batch, heads, q_len, head_dim)
    k : float array (batch, kv_heads, k_len, head_dim)
        `kv_heads` divides `heads`: query head h reads K/V head ``h // (heads // kv_heads)``. Nothing is
        repeated in memory.
    v : float array (batch, kv_heads, k_len, v_head_dim)
    mask : bool array, optional
        True where a query may attend: (q_len, k_len), or four axes that broadcast to
        (batch, heads, q_len, k_len).
    bias : float array, optional
        Added to the scores; shapes as for `mask`. Minus infinity forbids.
    causal : bool
        A query sees the keys up to its own position; the last query sees every key.
    window : int or pair (left, right), optional
        With `causal`, a number W: the last W keys, the token itself included. A pair: neighbours on each side,
        not counting the token itself, None for no limit.
    scale : float, optional
        Factor on the scores. Default ``1 / sqrt(head_dim)``.
    softcap : float, optional
        Bound on the scores, before bias and mask.
    return_weights : bool
        Give the weights (batch, heads, q_len, k_len) as well.

    Returns
    -------
    float array (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_weights` a pair
        A query that may attend to nothing gets 0. A K/V slot that no query of its batch item may attend is
        not read: a NaN there does not come out.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together; the message says which, what was got and what was expected.

    Notes
    -----
    ``out = softmax(scale q k^T) v`` (Vaswani et al. 2017, section 3.2.1), with softcap, bias and mask between
    the two as `attention_scores` says. float16 and bfloat16 are computed in float32.

    Examples
    --------
    >>> import numpy as np
    >>> q = np.zeros((1, 2, 2, 4))                            # two heads, two queries that prefer nothing
    >>> k = np.ones((1, 1, 2, 4))                             # one K/V head for both
    >>> v = np.array([[[[10.0], [20.0]]]])
    >>> attention(q, k, v, causal=True)[0, 0, :, 0]           # the first sees one value, the second both
    array([10., 15.])
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
    allowed = call.allowed()
    weights = scores_up_to("weights", q, k, call, allowed)
    v = drop_unread(v.astype(weights.dtype, copy=False), call.read(allowed))
    stacked = stack_group(weights, call.sizes.kv_heads) @ v
    out = unstack_group(stacked, call.sizes.heads)
    out = out.astype(q.dtype, copy=False)
    if not return_weights:
        return out
    return out, weights.astype(q.dtype, copy=False)
