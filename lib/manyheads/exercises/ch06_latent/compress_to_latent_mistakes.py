"""The known mistakes of compress-to-latent."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _not_normed(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent, key


def _normed_twice(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return reference.rms_norm(reference.rms_norm(latent, norm), norm), key


def _weight_left_out(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return reference.rms_norm(latent, np.ones_like(norm)), key


def _only_weighed(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent * norm, key


def _layer_norm(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    latent = latent - latent.mean(axis=-1, keepdims=True)
    return reference.rms_norm(latent, norm), key


def _normed_before_the_product(x, w_down, norm, rope_head_dim):
    down = reference.rms_norm(x, np.ones_like(x[0, 0])) @ w_down
    return down[..., : len(norm)] * norm, down[..., len(norm) :]


def _normed_before_and_after(x, w_down, norm, rope_head_dim):
    down = reference.rms_norm(x, np.ones_like(x[0, 0])) @ w_down
    return reference.rms_norm(down[..., : len(norm)], norm), down[..., len(norm) :]


def _norm_of_both(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    weight = np.concatenate([norm, np.ones(rope_head_dim, norm.dtype)])
    down = reference.rms_norm(down, weight)
    return down[..., : len(norm)], down[..., len(norm) :]


def _size_of_both(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    size = np.sqrt((down**2).mean(axis=-1, keepdims=True) + 1e-6)
    return latent / size * norm, key


def _key_normed_too(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return reference.rms_norm(latent, norm), reference.rms_norm(key, np.ones_like(w_down[0, len(norm) :]))


def _key_turned(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    turned, rates = key.copy(), 10_000.0 ** (-np.arange(0, rope_head_dim, 2) / rope_head_dim)
    angles = (np.arange(x.shape[1])[:, None] * rates).astype(x.dtype)
    turned[..., 0::2] = key[..., 0::2] * np.cos(angles) - key[..., 1::2] * np.sin(angles)
    turned[..., 1::2] = key[..., 0::2] * np.sin(angles) + key[..., 1::2] * np.cos(angles)
    return reference.rms_norm(latent, norm), turned


def _key_in_front(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., rope_head_dim:], down[..., :rope_head_dim]
    return reference.rms_norm(latent, norm), key


def _key_from_the_latent(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., :rope_head_dim]
    return reference.rms_norm(latent, norm), key


def _other_order(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return key, reference.rms_norm(latent, norm)


def _eps_left_out(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent / np.sqrt((latent**2).mean(axis=-1, keepdims=True)) * norm, key


def _eps_outside(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent / (np.sqrt((latent**2).mean(axis=-1, keepdims=True)) + 1e-6) * norm, key


def _eps_of_others(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return reference.rms_norm(latent, norm, eps=1e-5), key


def _norm_over_the_tokens(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent / np.sqrt((latent**2).mean(axis=1, keepdims=True) + 1e-6) * norm, key


def _norm_over_everything(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    size = x.dtype.type(np.sqrt((latent**2).mean() + 1e-6))
    return latent / size * norm, key


def _sum_for_mean(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent / np.sqrt((latent**2).sum(axis=-1, keepdims=True) + 1e-6) * norm, key


def _no_root(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return latent / ((latent**2).mean(axis=-1, keepdims=True) + 1e-6) * norm, key


def _float64(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    latent, key = down[..., : len(norm)], down[..., len(norm) :]
    return reference.rms_norm(latent, norm) + np.zeros(latent.shape), key + np.zeros(key.shape)


_ONE_LATENT_ONE_ROTARY_KE = "One latent, one rotary key"
_ROOT_MEAN_SQUARE = "Root mean square"

MISTAKES = (
    Mistake(
        "not-normed",
        _not_normed,
        "Your latent is not normed: RMSNorm with the weight norm comes after the product.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "normed-twice",
        _normed_twice,
        "Your latent is normed twice, so that the weight counts twice as well. Once is enough.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "weight-left-out",
        _weight_left_out,
        "Your latent has a root mean square of 1 and is not weighed: norm is the weight of the RMSNorm.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "only-weighed",
        _only_weighed,
        "Your latent is multiplied by norm, but not divided by its root mean square.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "layer-norm",
        _layer_norm,
        "You took the mean of the latent away, as LayerNorm does. RMSNorm divides the numbers as they are.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "normed-before-the-product",
        _normed_before_the_product,
        "You normed the tokens before the product. It is the latent, after the product, that is normed; the rotary "
        "key is not normed at all.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "normed-before-and-after",
        _normed_before_and_after,
        "Your latent is right, or nearly, and your rotary key is too small or too large by a factor of its own for "
        "each token: the tokens were normed before the product. Norm the latent only, after it.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "norm-of-both",
        _norm_of_both,
        "Latent and key went through one norm together. Split first: the root mean square is that of the latent's "
        "numbers, and the key is left as it is.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "size-of-both",
        _size_of_both,
        "Your key is right, but the latent is divided by the root mean square of latent and key together. Split "
        "first, and take the mean over the latent only.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "key-normed-too",
        _key_normed_too,
        "Your rotary key has a root mean square of 1: it was normed too. Only the latent is.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "key-turned",
        _key_turned,
        "You turned the rotary key by its position already. That is right for what a cache holds, but not asked "
        "here: return the key as it comes out of the product.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "key-in-front",
        _key_in_front,
        "You took the first columns for the key and the last for the latent. In w_down the latent comes first.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "key-from-the-latent",
        _key_from_the_latent,
        "Your latent is right, and your rotary key is made of the latent's first numbers. It has columns of its own "
        "in w_down, behind those of the latent.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "other-order",
        _other_order,
        "You returned the key first. Asked is the latent, then the rotary key.",
        _ONE_LATENT_ONE_ROTARY_KE,
    ),
    Mistake(
        "eps-left-out",
        _eps_left_out,
        "You left out the 1e-6 that is added to the mean square before the root.",
        _ROOT_MEAN_SQUARE,
        loses=("small latents",),
    ),
    Mistake(
        "eps-outside",
        _eps_outside,
        "You added the 1e-6 to the root. Add it to the mean square, before the root is taken.",
        _ROOT_MEAN_SQUARE,
        loses=("small latents",),
    ),
    Mistake(
        "eps-of-others",
        _eps_of_others,
        "You added 1e-5 to the mean square, as other models do. Here it is 1e-6.",
        _ROOT_MEAN_SQUARE,
        loses=("small latents",),
    ),
    Mistake(
        "norm-over-the-tokens",
        _norm_over_the_tokens,
        "Your mean of the squares runs over the tokens. Each token's latent is normed by itself, over its last axis.",
        _ROOT_MEAN_SQUARE,
    ),
    Mistake(
        "norm-over-everything",
        _norm_over_everything,
        "You divided all latents by one number, the root mean square of all of them. Each token's latent is normed "
        "by itself.",
        _ROOT_MEAN_SQUARE,
    ),
    Mistake(
        "sum-for-mean",
        _sum_for_mean,
        "You divided by the root of the sum of the squares. Divide by the root of their mean.",
        _ROOT_MEAN_SQUARE,
    ),
    Mistake(
        "no-root",
        _no_root,
        "You divided the latent by its mean square. Take the square root of that first.",
        _ROOT_MEAN_SQUARE,
    ),
    Mistake(
        "float64",
        _float64,
        "Your results are float64 where float32 came in. np.zeros and np.empty make float64 unless told otherwise, "
        "and after a step in float64 astype(x.dtype) leads back.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
