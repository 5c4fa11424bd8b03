"""Scores that say what a head does, from its weights alone."""

import numpy as np

from manyheads import _require
from manyheads._shapes import AnyArray, Float, Int


def previous_token_score(weights: Float[AnyArray, "batch heads seq seq"]) -> Float[np.ndarray, "heads"]:
    """How much each head looks at the token before.

    Parameters
    ----------
    weights : float array or tensor (batch, heads, seq, seq)
        Queries by keys.

    Returns
    -------
    float64 array (heads,)
        From 0 to 1: the mean over the batch and all queries but the first. With one token there is none, and it is 0.

    Raises
    ------
    TypeError, ValueError
        If `weights` is no float array of four axes, or has not as many keys as queries.

    Notes
    -----
    ``mean over b and i >= 1 of weights[b, h, i, i - 1]``. Such heads are a part of induction (Olsson et al. 2022).

    Examples
    --------
    >>> import numpy as np
    >>> previous_token_score(np.eye(3, k=-1)[None, None])
    array([1.])
    """
    weights = _square(weights)
    return _mean(np.diagonal(weights, -1, axis1=2, axis2=3))


def first_token_score(weights: Float[AnyArray, "batch heads seq seq"]) -> Float[np.ndarray, "heads"]:
    """How much each head looks at the first token.

    Parameters
    ----------
    weights : float array or tensor (batch, heads, seq, seq)
        Queries by keys.

    Returns
    -------
    float64 array (heads,)
        From 0 to 1: the mean over the batch and all queries but the first. With one token there is none, and it is 0.

    Raises
    ------
    TypeError, ValueError
        As in `previous_token_score`.

    Notes
    -----
    ``mean over b and i >= 1 of weights[b, h, i, 0]``. Many heads of trained models rest there: an attention sink (Xiao
    et al. 2023).

    Examples
    --------
    >>> import numpy as np
    >>> first_token_score(np.array([[[[1.0, 0.0], [0.25, 0.75]]]]))
    array([0.25])
    """
    weights = _square(weights)
    return _mean(weights[:, :, 1:, 0])


def induction_score(
    weights: Float[AnyArray, "batch heads seq seq"], tokens: Int[AnyArray, "batch seq"]
) -> Float[np.ndarray, "heads"]:
    """How much each head looks at what came after the same token, the last time that it was there.

    Parameters
    ----------
    weights : float array or tensor (batch, heads, seq, seq)
        Queries by keys.
    tokens : int array or tensor (batch, seq)
        What the model read.

    Returns
    -------
    float64 array (heads,)
        From 0 to 1: the mean over all queries of the batch whose token was there before. 0 where there is none.

    Raises
    ------
    TypeError, ValueError
        As in `previous_token_score`; and if `tokens` are no integers of shape (batch, seq).

    Notes
    -----
    ``mean over (b, i) of weights[b, h, i, p + 1]``, with p the largest ``p < i`` that has ``tokens[p] = tokens[i]``
    (Olsson et al. 2022).

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.zeros((1, 1, 4, 4))
    >>> weights[0, 0, 2, 1], weights[0, 0, 3, 2] = 1.0, 0.5
    >>> induction_score(weights, np.array([[7, 8, 7, 8]]))
    array([0.75])
    """
    weights = _square(weights)
    tokens = _numpy("tokens", tokens)
    batch, _, seq, _ = weights.shape
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"tokens must be integers, got {tokens.dtype}")
    if tokens.shape != (batch, seq):
        raise ValueError(f"tokens must be (batch, seq), here {(batch, seq)}, got shape {tokens.shape}")
    same = np.tril(tokens[:, :, None] == tokens[:, None, :], -1)
    item, query = np.nonzero(same.any(axis=2))
    latest = seq - 1 - same[item, query, ::-1].argmax(axis=1)
    found = weights[item, :, query, latest + 1]
    return found.mean(axis=0) if len(found) else np.zeros(weights.shape[1])


def _mean(found: np.ndarray) -> np.ndarray:
    """(batch, heads, queries) to (heads,)."""
    return found.mean(axis=(0, 2)) if found.size else np.zeros(found.shape[1])


def _square(weights) -> np.ndarray:
    """Weights as float64, as many keys as queries."""
    weights = _numpy("weights", weights)
    _require.axes("weights", weights, "batch", "heads", "seq", "seq")
    _require.floats(weights=weights)
    q_len, k_len = weights.shape[2:]
    if q_len != k_len:
        raise ValueError(f"weights have q_len={q_len} and k_len={k_len}; this score is for as many keys as queries")
    return weights.astype(np.float64)


def _numpy(name: str, value) -> np.ndarray:
    _require.array(name, value, _require.EITHER)
    if _require.kind_of(value) == _require.NUMPY:
        return value
    value = value.detach().cpu()
    return (value.double() if value.is_floating_point() else value).numpy()
