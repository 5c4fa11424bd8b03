"""The known mistakes of latent-attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent.latent_attention_scores import SCORES
from manyheads.exercises.definition import Mistake


def _rotary_part_left_out(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _content_part_left_out(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _own_key_hidden(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    seen = np.tri(q_len, k.shape[2], k.shape[2] - q_len - 1, dtype=bool)
    return reference.softmax(np.where(seen, scores, -np.inf)) @ v


def _rotary_part_first(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len = q.shape[1], q.shape[2]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    rope = rotary_key.shape[2]
    scores = q[..., rope:] @ k.swapaxes(2, 3) + q[..., :rope] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _heads_in_the_last_place(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k = (latent @ w_uk).reshape(*latent.shape[:2], d, heads).transpose(0, 3, 1, 2)
    v = (latent @ w_uv).reshape(*latent.shape[:2], -1, heads).transpose(0, 3, 1, 2)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _heads_in_the_last_place_of_values(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k = reference.split_heads(latent @ w_uk, heads)
    v = (latent @ w_uv).reshape(*latent.shape[:2], -1, heads).transpose(0, 3, 1, 2)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _not_split_but_reshaped(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k = (latent @ w_uk).reshape(len(q), heads, -1, d)
    v = (latent @ w_uv).reshape(len(q), heads, k.shape[2], -1)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _values_reshaped(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k = reference.split_heads(latent @ w_uk, heads)
    v = (latent @ w_uv).reshape(len(q), heads, k.shape[2], -1)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _first_head_for_all(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    k, v = k[:, :1], v[:, :1]
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _keys_of_the_first_head(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    k = k[:, :1]
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _scaled_apart(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    content, turned = q[..., :d] / d**0.5, q[..., d:] / (q.shape[3] - d) ** 0.5
    scores = content @ k.swapaxes(2, 3) + turned @ rotary_key[:, None].swapaxes(2, 3)
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _rotary_part_not_scaled(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., :d] / q.shape[3] ** 0.5 @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _softmax_of_each_part(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    mask, size = reference.causal_mask(q_len, k.shape[2]), q.shape[3] ** 0.5
    content = np.where(mask, q[..., :d] @ k.swapaxes(2, 3) / size, -np.inf)
    turned = np.where(mask, q[..., d:] @ rotary_key[:, None].swapaxes(2, 3) / size, -np.inf)
    return (reference.softmax(content) + reference.softmax(turned)) / 2 @ v


def _added_stand_in(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, d = q.shape[1], q.shape[2], w_uk.shape[1] // q.shape[1]
    k, v = reference.split_heads(latent @ w_uk, heads), reference.split_heads(latent @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)
    scores = scores / q.shape[3] ** 0.5
    scores = scores + np.where(reference.causal_mask(q_len, k.shape[2]), 0, -1e9).astype(q.dtype)
    return reference.softmax(scores) @ v


_KEYS_VALUES_LATENT = "Keys and values from a latent"
_SCALE_MASK_SOFTMAX = "Scale, mask and softmax"

MISTAKES = (
    Mistake(
        "rotary-part-left-out",
        _rotary_part_left_out,
        "The rotary parts take no part in your scores. Queries and keys would then not know where they stand: add "
        "the product of the rotary parts to that of the content parts.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "content-part-left-out",
        _content_part_left_out,
        "Your scores are those of the rotary parts alone. Add the product of the content parts, queries with keys "
        "made from the latents.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "own-key-hidden",
        _own_key_hidden,
        "Your mask is one key too strict: it hides the key at the query's own position. That one is seen, so the last "
        "query sees every key.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "rotary-part-first",
        _rotary_part_first,
        "You took the first numbers of a query for its rotary part. The content part comes first.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "heads-in-the-last-place",
        _heads_in_the_last_place,
        "Your heads own every so many columns of w_uk and w_uv. A head owns neighbouring columns, so in the reshape "
        "heads comes before head_dim.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "heads-in-the-last-place-of-values",
        _heads_in_the_last_place_of_values,
        "Your keys are right, and the heads of the values own every so many columns of w_uv. A head owns "
        "neighbouring columns of both matrices.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "not-split-but-reshaped",
        _not_split_but_reshaped,
        "You reshaped keys and values straight to (batch, heads, k_len, ...), so that a head reads parts of a few "
        "tokens. First split the width into heads, then bring the axis of the heads in front of the tokens.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "values-reshaped",
        _values_reshaped,
        "Your keys are right, but the values were reshaped straight to (batch, heads, k_len, v_head_dim), so that a "
        "head reads parts of a few tokens. First split their width into heads, then exchange two axes.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "first-head-for-all",
        _first_head_for_all,
        "Every head reads the keys and values of head 0. The latent is shared; what is made of it is not: each head "
        "has columns of its own in w_uk and w_uv.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "keys-of-the-first-head",
        _keys_of_the_first_head,
        "Every head reads the keys of head 0. The latent and the rotary key are shared; the content part of the keys"
        " is not: each head has columns of its own in w_uk.",
        _KEYS_VALUES_LATENT,
    ),
    Mistake(
        "scaled-apart",
        _scaled_apart,
        "You scaled each part by the root of its own width. A score is one sum over head_dim + rope_head_dim "
        "products: scale all of it by the root of that.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "rotary-part-not-scaled",
        _rotary_part_not_scaled,
        "You added the rotary part after the scaling. Both parts are scaled.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "softmax-of-each-part",
        _softmax_of_each_part,
        "You took a softmax of each part and averaged the weights. The two products are added first: they are one "
        "score.",
        _SCALE_MASK_SOFTMAX,
    ),
    Mistake(
        "added-stand-in",
        _added_stand_in,
        "A query that may see no key attends to all keys, as if nothing were masked: the same large negative number "
        "was added to all of its scores, and softmax takes no notice of what is added to all. Put minus infinity in "
        "the place of a score that is forbidden.",
        _SCALE_MASK_SOFTMAX,
        loses=("empty rows",),
    ),
    *SCORES,
)
