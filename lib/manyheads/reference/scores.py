"""From queries and keys to weights, stage by stage."""

import numpy as np

from manyheads import _require
from manyheads._shapes import Array, Bool, Float
from manyheads.reference._call import Call, checked
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.reference._precision import working
from manyheads.reference._visibility import drop_unread
from manyheads.reference.softmax import softmax

STAGES = ("scaled", "capped", "masked", "weights")


def attention_scores(
    q: Float[Array, "batch heads q_len head_dim"],
    k: Float[Array, "batch kv_heads k_len head_dim"],
    *,
    mask: Bool[Array, "..."] | None = None,
    bias: Float[Array, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    stage: str = "masked",
) -> Float[Array, "batch heads q_len k_len"]:
    """What `attention` computes on its way to the weights, up to a stage.

    Parameters
    ----------
    q, k, mask, bias, causal, window, scale, softcap
        As in `attention`.
    stage : {"scaled", "capped", "masked", "weights"}
        The last step that is taken, in this order: scale; softcap; bias and mask; softmax.

    Returns
    -------
    float array (batch, heads, q_len, k_len), the dtype of `q`
        After ``"masked"`` a forbidden pair has minus infinity; after ``"weights"`` it has 0.

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and for an unknown stage.

    Notes
    -----
    ``scaled = scale q k^T``, ``capped = softcap tanh(scaled / softcap)``, ``masked = capped + bias`` where
    allowed and minus infinity elsewhere, ``weights = softmax(masked)``. The cap comes before the mask, or it
    would lift minus infinity to ``-softcap`` (Gemma 2, 2024, section 2).

    Examples
    --------
    >>> import numpy as np
    >>> q = k = np.ones((1, 1, 2, 4))
    >>> attention_scores(q, k, causal=True)[0, 0]
    array([[  2., -inf],
           [  2.,   2.]])
    >>> attention_scores(q, k, causal=True, stage="weights")[0, 0]
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    _require.one_of("stage", stage, STAGES)
    call = checked(
        q,
        k,
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )
    scores = scores_up_to(stage, q, k, call, call.allowed())
    return scores.astype(q.dtype, copy=False)


def scores_up_to(
    stage: str, q, k, call: Call, allowed: np.ndarray | None
) -> np.ndarray:
    """The scores after a stage, in the dtype in which they are computed."""
    wide = working(q.dtype)
    k = drop_unread(k.astype(wide, copy=False), call.read(allowed))
    # One product for each K/V head and all the queries that share it.
    queries = stack_group(q.astype(wide, copy=False), call.sizes.kv_heads)
    products = (call.scale * queries) @ k.swapaxes(-1, -2)
    scores = unstack_group(products, call.sizes.heads)
    if stage == "scaled":
        return scores
    if call.softcap is not None:
        scores = call.softcap * np.tanh(scores / call.softcap)
    if stage == "capped":
        return scores
    if call.bias is not None:
        scores = scores + call.bias.astype(wide, copy=False)
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    return scores if stage == "masked" else softmax(scores)
