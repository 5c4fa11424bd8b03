"""The known mistakes of latent-decode-step that latent attention knows too: its parts, its scale, its dtype."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _first_key_only(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    hidden = ~np.tri(1, k.shape[2], dtype=bool)
    scores = np.where(hidden, -np.inf, scores)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _key_in_front(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, at = q.shape[1], w_uk.shape[1] // q.shape[1], [latent_cache.shape[1]]
    rope = key_cache.shape[2]
    latent, key = down[..., rope:], down[:, None, :, :rope]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _norm_of_both(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    down = reference.rms_norm(down, np.append(norm, np.ones_like(down[0, 0, rank:])))
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = latent, reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _key_normed_too(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = (
        reference.rms_norm(latent, norm),
        reference.apply_rotary(reference.rms_norm(key, np.ones_like(key[0, 0, 0])), at)[:, 0],
    )
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _eps_left_out(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm, eps=0.0), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _scaled_by_the_content_part(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / d**0.5) @ v, latents, keys


def _scaled_by_the_entry(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / (rank + key.shape[2]) ** 0.5) @ v, latents, keys


def _scaled_without_the_root(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3]) @ v, latents, keys


def _not_scaled(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores) @ v, latents, keys


def _rotary_part_left_out(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _float64_scale(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / np.sqrt(q.shape[3])) @ v, latents, keys


_SCALE_MASK_SOFTMAX = "Scale, mask and softmax"
_ONE_LATENT_ONE_ROTARY_KE = "One latent, one rotary key"

PARTS = (
    Mistake(
        "first-key-only",
        _first_key_only,
        "Your query sees the first key only: your causal mask begins at the top left, where query 0 is token 0. This"
        " query is the newest token, and sees every token.",
        _SCALE_MASK_SOFTMAX,
        loses=("a step", "float32"),
    ),
    Mistake(
        "key-in-front",
        _key_in_front,
        "You took the first numbers of down for the key. The latent comes first.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "norm-of-both",
        _norm_of_both,
        "Latent and key went through one norm together. Take down apart first: the norm is that of the latent's "
        "numbers, and the key is not normed.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "key-normed-too",
        _key_normed_too,
        "Your rotary key was normed too. Only the latent is.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "eps-left-out",
        _eps_left_out,
        "You left out the 1e-6 that is added to the mean square before the root.",
        "Root mean square",
        loses=("a step", "first token"),
    ),
    Mistake(
        "scaled-by-the-content-part",
        _scaled_by_the_content_part,
        "You scaled by the root of head_dim, the width of the content part. Queries and keys are head_dim + "
        "rope_head_dim wide, and all of it goes into a score.",
        _SCALE_MASK_SOFTMAX,
        loses=("a step", "float32"),
    ),
    Mistake(
        "scaled-by-the-entry",
        _scaled_by_the_entry,
        "You scaled by the root of latent_rank + rope_head_dim, the width of what is cached. The scale is that of a "
        "query with a key: the root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
        loses=("a step", "float32"),
    ),
    Mistake(
        "scaled-without-the-root",
        _scaled_without_the_root,
        "You divided the scores by head_dim + rope_head_dim itself. It is its square root.",
        _SCALE_MASK_SOFTMAX,
        loses=("a step", "float32"),
    ),
    Mistake(
        "not-scaled",
        _not_scaled,
        "The scores are not scaled. Divide them by the root of head_dim + rope_head_dim.",
        _SCALE_MASK_SOFTMAX,
        loses=("a step", "float32"),
    ),
    Mistake(
        "rotary-part-left-out",
        _rotary_part_left_out,
        "Your caches are right, but the rotary parts take no part in your scores. Add their product to that of the "
        "content parts.",
        "Keys and values from a latent",
        loses=("a step", "float32"),
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64 where float32 came in. Since NumPy 2, np.sqrt of a whole number is a float64 that "
        "makes float32 arrays float64; a Python float, such as width ** 0.5, does not.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
