"""The known mistakes of latent-decode-step that are made with what is cached."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _cached_latents_normed_again(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    key = reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    latents = reference.rms_norm(latents, norm)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _latents_normed_when_read(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = (
        reference.split_heads(reference.rms_norm(latents, norm) @ w_uk, heads),
        reference.split_heads(reference.rms_norm(latents, norm) @ w_uv, heads),
    )
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _unnormed_latent_cached(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    raw, key = latent, reference.apply_rotary(key, at)[:, 0]
    latent = reference.rms_norm(raw, norm)
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, np.concatenate([latent_cache, raw], axis=1), keys


def _not_normed(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    key = reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _normed_twice(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(reference.rms_norm(latent, norm), norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _weight_left_out(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, np.ones_like(norm)), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _cached_keys_turned_again(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), key[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    keys = reference.apply_rotary(keys[:, None], range(keys.shape[1]))[:, 0]
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _everything_again(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    turned = reference.apply_rotary(q[..., d:], at)
    latents = reference.rms_norm(np.concatenate([latent_cache, latent], axis=1), norm)
    keys = np.concatenate([key_cache, key[:, 0]], axis=1)
    keys = reference.apply_rotary(keys[:, None], range(keys.shape[1]))[:, 0]
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _everything_when_read(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    key = key[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    normed = reference.rms_norm(latents, norm)
    k, v = reference.split_heads(normed @ w_uk, heads), reference.split_heads(normed @ w_uv, heads)
    at_all = reference.apply_rotary(keys[:, None], range(keys.shape[1]))
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ at_all.swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _keys_turned_when_read(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), key[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    at_all = reference.apply_rotary(keys[:, None], range(keys.shape[1]))
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ at_all.swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _all_keys_at_the_new_position(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    latent, key = reference.rms_norm(latent, norm), key[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    keys = reference.apply_rotary(keys[:, None], at * keys.shape[1])[:, 0]
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, keys


def _unturned_key_cached(q, down, norm, w_uk, w_uv, latent_cache, key_cache):
    heads, d, rank, at = q.shape[1], w_uk.shape[1] // q.shape[1], len(norm), [latent_cache.shape[1]]
    latent, key = down[..., :rank], down[:, None, :, rank:]
    raw = key[:, 0]
    latent, key = reference.rms_norm(latent, norm), reference.apply_rotary(key, at)[:, 0]
    turned = reference.apply_rotary(q[..., d:], at)
    latents, keys = np.concatenate([latent_cache, latent], axis=1), np.concatenate([key_cache, key], axis=1)
    k, v = reference.split_heads(latents @ w_uk, heads), reference.split_heads(latents @ w_uv, heads)
    scores = q[..., :d] @ k.swapaxes(2, 3) + turned @ keys[:, None].swapaxes(2, 3)
    return reference.softmax(scores / q.shape[3] ** 0.5) @ v, latents, np.concatenate([key_cache, raw], axis=1)


_DECODE_STEP = "A decode step"

CACHES = (
    Mistake(
        "cached-latents-normed-again",
        _cached_latents_normed_again,
        "The latents that came from the cache were normed again, with the new one. They were normed when they "
        "entered: norm the new latent by itself, then append it.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "latents-normed-when-read",
        _latents_normed_when_read,
        "Your caches are right, but latents are normed again when they are read, for keys and values. They were "
        "normed when they entered the cache, and once is enough.",
        _DECODE_STEP,
    ),
    Mistake(
        "unnormed-latent-cached",
        _unnormed_latent_cached,
        "You attended to the normed latent and put the un-normed one into the cache. What is cached is what later "
        "tokens attend to: the normed one.",
        _DECODE_STEP,
    ),
    Mistake(
        "not-normed",
        _not_normed,
        "The new latent is not normed. Norm it once, before it enters the cache.",
        _DECODE_STEP,
    ),
    Mistake(
        "normed-twice",
        _normed_twice,
        "The new latent is normed twice, so that the weight counts twice as well. Once is enough.",
        _DECODE_STEP,
    ),
    Mistake(
        "weight-left-out",
        _weight_left_out,
        "The new latent is not weighed: norm is the weight of the RMSNorm.",
        _DECODE_STEP,
    ),
    Mistake(
        "cached-keys-turned-again",
        _cached_keys_turned_again,
        "The rotary keys from the cache were turned again, with the new one. They were turned when they entered, and"
        " a key's position does not change: turn the new key by itself, then append it.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "everything-again",
        _everything_again,
        "You appended first, and then normed all latents and turned all rotary keys. Those from the cache were "
        "normed and turned when they entered: norm and turn the new ones only, then append.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "everything-when-read",
        _everything_when_read,
        "Your caches hold latents that are not normed and keys that are not turned, and all of them are normed and "
        "turned when they are read. Here the caches hold what is ready to use: norm and turn the new ones before you"
        " append them, and nothing again.",
        _DECODE_STEP,
    ),
    Mistake(
        "keys-turned-when-read",
        _keys_turned_when_read,
        "You put the new key into the cache unturned and turned all keys when they were read. The keys in this cache"
        " are turned already: turn the new one before you append it, and none again.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "all-keys-at-the-new-position",
        _all_keys_at_the_new_position,
        "You turned all rotary keys by the new token's position. Those from the cache were turned when they entered:"
        " turn the new one only, then append it.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
    Mistake(
        "unturned-key-cached",
        _unturned_key_cached,
        "You attended to the turned key and put the unturned one into the cache. What is cached is what later tokens"
        " attend to: the turned one.",
        _DECODE_STEP,
        loses=("a step", "float32"),
    ),
)
