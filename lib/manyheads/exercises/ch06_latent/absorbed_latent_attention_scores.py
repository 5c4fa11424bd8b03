"""The known mistakes of absorbed-latent-attention that are made in scale, mask and softmax."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent.latent_attention_mistakes import MISTAKES as OF_THE_NAIVE_FORM
from manyheads.exercises.definition import Mistake

_NAIVE = {mistake.name: mistake for mistake in OF_THE_NAIVE_FORM}


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
    replace(_NAIVE["scaled-by-the-content-part"], answer=_scaled_by_the_content_part),
    replace(_NAIVE["not-scaled"], answer=_not_scaled),
    replace(_NAIVE["scaled-without-the-root"], answer=_scaled_without_the_root),
    replace(_NAIVE["not-causal"], answer=_not_causal),
    replace(_NAIVE["top-left"], answer=_top_left),
    replace(_NAIVE["mask-inverted"], answer=_mask_inverted),
    replace(_NAIVE["masked-scores-zero"], answer=_masked_scores_zero),
    replace(_NAIVE["masked-after-softmax"], answer=_masked_after_softmax),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that may see no key gets the mean of what it may not see: where all scores are the same large "
        "negative number, softmax makes equal weights of them. With minus infinity the given softmax gives 0, as is "
        "wanted.",
        _SCALE_MASK_SOFTMAX,
        loses=("empty rows",),
    ),
    replace(_NAIVE["nan-in-empty-rows"], answer=_nan_in_empty_rows),
    replace(_NAIVE["softmax-over-queries"], answer=_softmax_over_queries),
    replace(_NAIVE["softmax-over-heads"], answer=_softmax_over_heads),
    replace(_NAIVE["float64-scale"], answer=_float64_scale),
)
