"""The known mistakes of absorbed-latent-attention."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent.absorbed_latent_attention_heads import HEADS
from manyheads.exercises.ch06_latent.absorbed_latent_attention_scores import SCORES
from manyheads.exercises.ch06_latent.latent_attention_mistakes import MISTAKES as OF_THE_NAIVE_FORM
from manyheads.exercises.definition import Mistake

_NAIVE = {mistake.name: mistake for mistake in OF_THE_NAIVE_FORM}


def _too_much_is_held(q, latent, rotary_key, w_uk, w_uv):
    heads, d = q.shape[1], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ v


def _one_query_for_all_heads(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = (q[..., :d] @ to_latent).sum(axis=1, keepdims=True) @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _latents_returned(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None]


def _rotary_part_left_out(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _rotary_part_not_scaled(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5 + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _rotary_part_first(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., -d:] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., :-d] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _added_stand_in(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = scores + np.where(reference.causal_mask(*scores.shape[2:]), 0, -1e9).astype(q.dtype)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _own_key_hidden(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    q_len, k_len = scores.shape[2:]
    scores = np.where(np.tri(q_len, k_len, k_len - q_len - 1, dtype=bool), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _scaled_apart(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = scores / rank**0.5 + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3) / (q.shape[3] - d) ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _scaled_apart_by_head_widths(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = scores / d**0.5 + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3) / (q.shape[3] - d) ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


_ABSORBING_WEIGHTS = "Absorbing the weights"
_SCALE_MASK_SOFTMAX = "Scale, mask and softmax"

MISTAKES = (
    Mistake(
        "too-much-is-held",
        _too_much_is_held,
        "The numbers are right, but too much is held at once. The likely cause is that keys or values are made for "
        "many heads: a product of the latents with all of w_uk or w_uv, or latents that are copied for every head. "
        "Take each head's part of w_uk into its queries instead, and its part of w_uv into what comes out.",
        _ABSORBING_WEIGHTS,
        loses=("memory",),
    ),
    Mistake(
        "one-query-for-all-heads",
        _one_query_for_all_heads,
        "You added up the heads when you took w_uk into the queries, as an einsum does in which h is not in the "
        "result. Every head keeps a query of its own, latent_rank wide.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "latents-returned",
        _latents_returned,
        "You returned the mixed latents, latent_rank wide. Each head's part of w_uv still has to make a value of "
        "them, v_head_dim wide.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "rotary-part-left-out",
        _rotary_part_left_out,
        "The rotary parts take no part in your scores. Only the content part is absorbed; the product of the rotary "
        "parts is added to it.",
        _ABSORBING_WEIGHTS,
    ),
    replace(_NAIVE["rotary-part-not-scaled"], answer=_rotary_part_not_scaled),
    Mistake(
        "rotary-part-first",
        _rotary_part_first,
        "You took the first numbers of a query for its rotary part. The content part comes first.",
        _ABSORBING_WEIGHTS,
    ),
    replace(_NAIVE["added-stand-in"], answer=_added_stand_in),
    replace(_NAIVE["own-key-hidden"], answer=_own_key_hidden),
    Mistake(
        "scaled-apart",
        _scaled_apart,
        "You scaled each part by the root of its own width. A score is one sum: scale all of it by the root of "
        "head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "scaled-apart-by-head-widths",
        _scaled_apart_by_head_widths,
        "You scaled the content part by the root of head_dim and the rotary part by that of rope_head_dim. A score "
        "is one sum: scale all of it by the root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
    ),
    *HEADS,
    *SCORES,
)
