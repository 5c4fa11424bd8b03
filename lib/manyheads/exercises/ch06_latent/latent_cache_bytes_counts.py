"""The known mistakes of latent-cache-bytes that are made with all three counts, and two with one."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _one_layer(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _one_token(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _two_bytes_assumed(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * 2
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _element_size_forgotten(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _in_bits(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = 8 * n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _latent_last(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * mha, each * expanded, each * latent


def _last_two_exchanged(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * expanded, each * mha


def _thirty_two_bits(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    counts = np.array([latent, mha, expanded], dtype=np.int32)
    return tuple(counts * n_layers * tokens * bytes_per_element)


def _in_kibibytes(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent / 1024, each * mha / 1024, each * expanded / 1024


def _rotary_part_in_the_keys_of_mha(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, n_heads * (2 * head_dim + rope_head_dim)
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _brackets_left_out(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * head_dim + rope_head_dim + v_head_dim
    return each * latent, each * mha, each * expanded


_CACHE_WEIGHS = "What the cache weighs"

COUNTS = (
    Mistake(
        "one-layer",
        _one_layer,
        "That is the cache of one layer. Every layer has latents, or keys and values, of its own: multiply by "
        "n_layers.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "one-token",
        _one_token,
        "That is the cache of one token. Multiply by tokens.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "two-bytes-assumed",
        _two_bytes_assumed,
        "You took two bytes for each element, whatever was asked. Multiply by bytes_per_element.",
        _CACHE_WEIGHS,
        loses=("other widths",),
    ),
    Mistake(
        "element-size-forgotten",
        _element_size_forgotten,
        "You counted numbers and not their bytes. Each number takes bytes_per_element: multiply by it.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "in-bits",
        _in_bits,
        "You counted bits. bytes_per_element is in bytes already, so there is no factor of 8.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "latent-last",
        _latent_last,
        "The three counts are right and stand in another order. Return the latent cache first, then MHA's, then the "
        "expanded one.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "last-two-exchanged",
        _last_two_exchanged,
        "The bytes of MHA and of the expanded cache have changed places. Return the latent cache first, then MHA's, "
        "then the expanded one.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "thirty-two-bits",
        _thirty_two_bits,
        "The bytes went beyond what 32 bits hold and wrapped around, without an error. Use Python's own integers, "
        "which have no limit, or dtype=np.int64.",
        "What goes wrong and does not crash",
        loses=("a long context",),
    ),
    Mistake(
        "in-kibibytes",
        _in_kibibytes,
        "You divided by 1024. Asked are bytes, as whole numbers.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "rotary-part-in-the-keys-of-mha",
        _rotary_part_in_the_keys_of_mha,
        "You gave MHA's keys the rotary part as well. This MHA has heads of head_dim; it turns its keys in place and "
        "needs no part of its own for that.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "brackets-left-out",
        _brackets_left_out,
        "In your expanded cache only the content parts are there for each head: n_heads multiplies all three widths, "
        "so their sum needs brackets.",
        _CACHE_WEIGHS,
    ),
)
