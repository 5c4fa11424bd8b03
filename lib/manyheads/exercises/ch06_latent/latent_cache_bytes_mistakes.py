"""The known mistakes of latent-cache-bytes."""

from manyheads.exercises.ch06_latent.latent_cache_bytes_counts import COUNTS
from manyheads.exercises.definition import Mistake


def _two_latents(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = 2 * latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _everything_twice(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = 2 * (latent_rank + rope_head_dim), 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _a_rotary_key_for_each_head(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + n_heads * rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _a_latent_for_each_head(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = n_heads * (latent_rank + rope_head_dim), 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _rotary_key_left_out(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _keys_cached_too(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim + n_heads * (head_dim + v_head_dim), 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _mha_keys_only(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _mha_with_rotary_part(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * (head_dim + rope_head_dim)
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _mha_with_value_width(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, n_heads * (head_dim + v_head_dim)
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _rotary_part_nowhere(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _mha_with_latent_width(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * latent_rank
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _mha_for_expanded(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = 2 * n_heads * head_dim
    return each * latent, each * mha, each * expanded


def _expanded_without_rotary_part(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + v_head_dim)
    return each * latent, each * mha, each * expanded


def _expanded_with_one_rotary_key(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + v_head_dim) + rope_head_dim
    return each * latent, each * mha, each * expanded


def _expanded_values_with_rotary_part(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + v_head_dim + 2 * rope_head_dim)
    return each * latent, each * mha, each * expanded


def _expanded_values_as_wide_as_keys(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = 2 * n_heads * (head_dim + rope_head_dim)
    return each * latent, each * mha, each * expanded


def _expanded_keys_only(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    latent, mha = latent_rank + rope_head_dim, 2 * n_heads * head_dim
    expanded = n_heads * (head_dim + rope_head_dim)
    return each * latent, each * mha, each * expanded


_CACHE_WEIGHS = "What the cache weighs"

MISTAKES = (
    Mistake(
        "two-latents",
        _two_latents,
        "You counted two latents for each token. Keys and values are made of the same one.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "everything-twice",
        _everything_twice,
        "Your latent cache is twice what it should be, as if there were one for keys and one for values. One latent "
        "and one rotary key serve both.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "a-rotary-key-for-each-head",
        _a_rotary_key_for_each_head,
        "You counted a rotary key for every head. All heads share one.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "a-latent-for-each-head",
        _a_latent_for_each_head,
        "You counted a latent and a rotary key for every head. All heads share one of each.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "rotary-key-left-out",
        _rotary_key_left_out,
        "Your latent cache has no rotary keys. Positions are in them and nowhere else, so they are cached beside the"
        " latents.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "keys-cached-too",
        _keys_cached_too,
        "You counted keys and values beside the latents. They can be made from the latents whenever they are needed,"
        " so they are not kept.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "mha-keys-only",
        _mha_keys_only,
        "Your MHA cache is half of what it should be: each head keeps a key and a value.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "mha-with-rotary-part",
        _mha_with_rotary_part,
        "You gave MHA's keys and values the rotary part as well. This MHA has heads of head_dim; it turns its keys "
        "in place and needs no part of its own for that.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "mha-with-value-width",
        _mha_with_value_width,
        "Your MHA's values are v_head_dim wide. This MHA has keys and values of head_dim: 2 * n_heads * head_dim "
        "numbers.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "rotary-part-nowhere",
        _rotary_part_nowhere,
        "You left the rotary part out of both the latent cache and the expanded one. The rotary key is cached beside"
        " the latent; expanded, each head's key has a copy of it.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "mha-with-latent-width",
        _mha_with_latent_width,
        "Your MHA cache is two latents for each token. MHA has no latents: every head keeps a key and a value of "
        "head_dim.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "mha-for-expanded",
        _mha_for_expanded,
        "Your expanded cache is MHA's. The keys that latents stand for are head_dim + rope_head_dim wide, and the "
        "values v_head_dim.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "expanded-without-rotary-part",
        _expanded_without_rotary_part,
        "Your expanded keys have no rotary part. Expanded, every head keeps its whole key, head_dim + rope_head_dim "
        "wide.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "expanded-with-one-rotary-key",
        _expanded_with_one_rotary_key,
        "You counted one rotary key in the expanded cache. Expanded, every head keeps its whole key, with a copy of "
        "the rotary part.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "expanded-values-with-rotary-part",
        _expanded_values_with_rotary_part,
        "You gave the expanded values a rotary part. Positions are in the keys alone.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "expanded-values-as-wide-as-keys",
        _expanded_values_as_wide_as_keys,
        "Your expanded values are as wide as the keys. A value is v_head_dim wide.",
        _CACHE_WEIGHS,
    ),
    Mistake(
        "expanded-keys-only",
        _expanded_keys_only,
        "Your expanded cache has no values. Every head keeps a key and a value.",
        _CACHE_WEIGHS,
    ),
    *COUNTS,
)
