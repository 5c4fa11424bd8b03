"""The known mistakes of absorbed-latent-attention that are made in scale, mask and softmax."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _scaled_by_the_entry(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / (rank + q.shape[3] - d) ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _scaled_by_the_latent(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / rank**0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _scaled_by_the_content_part(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / d**0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _not_scaled(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _scaled_without_the_root(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3]
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _not_causal(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _top_left(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(np.tril(np.ones(scores.shape[2:], bool)), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _mask_inverted(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), -np.inf, scores)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _masked_scores_zero(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, 0)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _masked_after_softmax(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    weights = reference.softmax(scores) * reference.causal_mask(*scores.shape[2:])
    return weights @ latent[:, None] @ to_value


def _finite_fill(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -1e9)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _nan_in_empty_rows(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
    return weights @ latent[:, None] @ to_value


def _softmax_over_queries(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores, axis=2) @ latent[:, None] @ to_value


def _softmax_over_heads(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores, axis=1) @ latent[:, None] @ to_value


def _float64_scale(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / np.sqrt(q.shape[3])
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


_SCALE_MASK_SOFTMAX = "Scale, mask and softmax"

SCORES = (
    Mistake(
        "scaled-by-the-entry",
        _scaled_by_the_entry,
        "You scaled by the root of latent_rank + rope_head_dim, the width of the queries after w_uk went into them. "
        "The score is the same number as before, so its scale is too: the root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "scaled-by-the-latent",
        _scaled_by_the_latent,
        "You scaled by the root of latent_rank. The score is the same number as with keys, so its scale is too: the "
        "root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "scaled-by-the-content-part",
        _scaled_by_the_content_part,
        "You scaled by the root of head_dim, the width of the content part. Queries and keys are head_dim + "
        "rope_head_dim wide, and all of it goes into a score.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "The scores are not scaled. Divide them by the root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "scaled-without-the-root",
        _scaled_without_the_root,
        "You divided the scores by head_dim + rope_head_dim itself. It is its square root.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "not-causal",
        _not_causal,
        "No mask is applied: a query sees keys that come after it. Forbid them before the softmax.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "top-left",
        _top_left,
        "Your causal mask starts at the top left, as if the first query stood at the first key. The last query is "
        "the newest token and sees every key: align the mask at the bottom right.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "mask-inverted",
        _mask_inverted,
        "Your mask is the wrong way round: the queries see only what they should not. It is True where a query may "
        "attend, and there the score stays.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "masked-scores-zero",
        _masked_scores_zero,
        "What may not be seen got the score 0, and 0 is a score like any other: its exponential is 1, so the key "
        "gets weight. Minus infinity gives weight 0.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "masked-after-softmax",
        _masked_after_softmax,
        "You took the weights of forbidden keys away after the softmax, so what is left sums to less than 1. Forbid "
        "them in the scores, before the softmax.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that may see no key gets the mean of what it may not see: where all scores are the same large "
        "negative number, softmax makes equal weights of them. With minus infinity the given softmax gives 0, as is "
        "wanted.",
        _SCALE_MASK_SOFTMAX,
        loses=("empty rows",),
    ),
    Mistake(
        "nan-in-empty-rows",
        _nan_in_empty_rows,
        "A query that may see no key gives NaN, as from a softmax of your own: it takes minus infinity from minus "
        "infinity, or divides 0 by 0. The result of such a query is 0; the given softmax sees to that.",
        _SCALE_MASK_SOFTMAX,
        loses=("empty rows",),
    ),
    Mistake(
        "softmax-over-queries",
        _softmax_over_queries,
        "Your softmax runs over the queries. A query spreads its attention over the keys, so its weights sum to 1 "
        "along the last axis of the scores.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "softmax-over-heads",
        _softmax_over_heads,
        "Your softmax runs over the heads, so they compete for each key. Weights sum to 1 over the keys, the last "
        "axis of the scores.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64 where float32 came in. Since NumPy 2, np.sqrt of a whole number is a float64 that "
        "makes float32 arrays float64, and np.zeros makes float64 too; a Python float, such as width ** 0.5, does "
        "not.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
