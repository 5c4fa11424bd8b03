"""The known mistakes of grouped-attention that are made in mask, scale and softmax."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises.ch05_sharing_heads.multi_query_mistakes import MISTAKES as OF_MQA
from manyheads.exercises.definition import Mistake

_MQA = {mistake.name: mistake for mistake in OF_MQA}


def _not_causal(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _top_left(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(np.tril(np.ones((q_len, k.shape[2]), bool)), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _mask_inverted(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), -np.inf, scores)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _masked_scores_zero(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, 0)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _masked_after_softmax(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    weights = reference.softmax(scores) * reference.causal_mask(q_len, k.shape[2])
    return (weights @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _finite_fill(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -1e9)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _nan_in_empty_rows(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
    return (weights @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _not_scaled(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4)
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _scaled_without_the_root(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _scaled_by_the_width(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / (heads * d) ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _scaled_by_the_value_width(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / v.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _softmax_over_the_group(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores, axis=2) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _softmax_over_queries(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores, axis=3) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


SCORES = (
    Mistake(
        "not-causal",
        _not_causal,
        "No mask is applied: a query sees keys that come after it. Forbid them before the softmax.",
        "The mask of a group",
    ),
    Mistake(
        "top-left",
        _top_left,
        "Your causal mask starts at the top left, as if the first query stood at the first key. With q_len and k_len "
        "different, the last query is the newest token and sees every key: align the mask at the bottom right.",
        "The mask of a group",
    ),
    Mistake(
        "mask-inverted",
        _mask_inverted,
        "Your mask is the wrong way round: the queries see only what they should not. It is True where a query may "
        "attend, and there the score stays.",
        "The mask of a group",
    ),
    Mistake(
        "masked-scores-zero",
        _masked_scores_zero,
        "What may not be seen got the score 0, and 0 is a score like any other: its exponential is 1, so the key gets"
        " weight. Minus infinity gives weight 0.",
        "The mask of a group",
    ),
    Mistake(
        "masked-after-softmax",
        _masked_after_softmax,
        "You took the weights of forbidden keys away after the softmax, so what is left sums to less than 1. Forbid "
        "them in the scores, before the softmax.",
        "The mask of a group",
    ),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that may see no key gets the mean of the values: where all scores are the same large "
        "negative number, softmax makes equal weights of them. With minus infinity the given softmax gives 0, as is "
        "wanted.",
        "The mask of a group",
        loses=("empty rows",),
    ),
    Mistake(
        "nan-in-empty-rows",
        _nan_in_empty_rows,
        "A query that may see no key gives NaN, as from a softmax of your own: it takes minus infinity from minus "
        "infinity, or divides 0 by 0. The result of such a query is 0; the given softmax sees to that.",
        "The mask of a group",
        loses=("empty rows",),
    ),
    replace(_MQA["not-scaled"], answer=_not_scaled),
    replace(_MQA["scaled-without-the-root"], answer=_scaled_without_the_root),
    replace(_MQA["scaled-by-the-width"], answer=_scaled_by_the_width),
    replace(_MQA["scaled-by-the-value-width"], answer=_scaled_by_the_value_width),
    Mistake(
        "softmax-over-the-group",
        _softmax_over_the_group,
        "Your softmax runs over the heads of a group, so they compete for each key. Weights sum to 1 over the keys, "
        "the last axis of the scores.",
        "Scores, scale and softmax",
    ),
    replace(_MQA["softmax-over-queries"], answer=_softmax_over_queries),
)
