"""The known mistakes of latent-decode-step."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent.latent_decode_step_caches import CACHES
from manyheads.exercises.ch06_latent.latent_decode_step_parts import PARTS
from manyheads.exercises.definition import Mistake


def _appended_in_front(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent, latent_cache], axis=1), np.concatenate([key, key_cache], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _not_appended(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latent_cache, key_cache


def _oldest_dropped(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents[:, 1:], keys[:, 1:]


def _only_the_new_returned(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latent, key


def _one_position_on(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1] + 1]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _query_one_position_on(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    turned = reference.apply_rotary(q[..., d:], [latents.shape[1]])
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _position_of_the_last(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1] - 1]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _position_0(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [0]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _query_not_turned(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = q[..., d:]
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _key_not_turned(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), key[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _query_turned_whole(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    q = reference.apply_rotary(q, at)
    turned = q[..., d:]
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _other_pairing(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at, pairing="halves")[:, 0]
    turned = reference.apply_rotary(q[..., d:], at, pairing="halves")
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _turned_backwards(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, [-at[0]])[:, 0]
    turned = reference.apply_rotary(q[..., d:], [-at[0]])
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _new_token_not_seen(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latent_cache @ w_uk, heads), reference.split_heads(latent_cache @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ key_cache[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


_DECODE_STEP = "A decode step"

MISTAKES = (
    Mistake(
        "appended-in-front",
        _appended_in_front,
        "You put the new token in front of the others. The newest comes last. (The result does not tell: with the "
        "positions in the keys, the order of a cache makes no difference to it.)",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "not-appended",
        _not_appended,
        "You attended to the new token but returned the caches as they were. The next token would never see this "
        "one: return them longer by one.",
        _DECODE_STEP,
    ),
    Mistake(
        "oldest-dropped",
        _oldest_dropped,
        "You returned the caches as long as they were, without their oldest token. Nothing is dropped here: they "
        "grow by one.",
        _DECODE_STEP,
    ),
    Mistake(
        "only-the-new-returned",
        _only_the_new_returned,
        "You returned the new latent and the new key alone. Return the whole caches, longer by one.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "one-position-on",
        _one_position_on,
        "Query and key are turned one position too far. The tokens in the cache are at positions 0 to past - 1, so "
        "the new one is at position past.",
        _DECODE_STEP,
    ),
    Mistake(
        "query-one-position-on",
        _query_one_position_on,
        "Your caches are right, but the query is turned one position too far, by the length of the caches after the "
        "new token was appended. Query and key of a token turn by the same position: past.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "position-of-the-last",
        _position_of_the_last,
        "Query and key are turned by past - 1, the position of the last token that is in the cache. The new one "
        "stands behind it, at position past.",
        _DECODE_STEP,
    ),
    Mistake(
        "position-0",
        _position_0,
        "Query and key are turned as if the new token stood at position 0, which is not at all. Its position is "
        "past, the number of tokens in the cache.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "query-not-turned",
        _query_not_turned,
        "Your caches are right, but the query is not turned. Its rotary part turns by the same position as the new "
        "key.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "key-not-turned",
        _key_not_turned,
        "The new key is not turned: its position is past. It enters the cache turned.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "query-turned-whole",
        _query_turned_whole,
        "You turned the whole query. Only its rotary part, the last rope_head_dim numbers, is turned: the content "
        "part meets keys that are not turned. (And where the whole is odd, it has no pairs.)",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "other-pairing",
        _other_pairing,
        'You turned the pairs of "halves". The pairing is "interleaved" here, for the keys in the cache too.',
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "turned-backwards",
        _turned_backwards,
        "Query and key are turned the other way, by minus their position.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "new-token-not-seen",
        _new_token_not_seen,
        "The new token does not see itself: you attended to the caches as they came. Append first, then attend to "
        "all past + 1 tokens.",
        _DECODE_STEP,
    ),
    *CACHES,
    *PARTS,
)
