"""The known mistakes of sharing-cache."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _keys_only(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = n_layers * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _one_layer(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _two_bytes_assumed(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * 2
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _element_size_forgotten(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _in_bits(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element * 8
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _group_for_kv_heads(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    group = n_heads // n_kv_heads
    return n_heads * one, group * one, one, n_heads // group


def _group_in_gqa_only(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    group = n_heads // n_kv_heads
    return n_heads * one, group * one, one, group


def _mqa_first(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    return one, n_kv_heads * one, n_heads * one, n_heads // n_kv_heads


def _factor_three(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 3 * n_layers * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads


def _only_keys_shared(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = n_layers * head_dim * tokens * bytes_per_element
    mha, gqa, mqa = 2 * n_heads * one, (n_heads + n_kv_heads) * one, (n_heads + 1) * one
    return mha, gqa, mqa, mha // gqa


def _queries_kept(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = n_layers * head_dim * tokens * bytes_per_element
    mha, gqa, mqa = 3 * n_heads * one, (n_heads + 2 * n_kv_heads) * one, (n_heads + 2) * one
    return mha, gqa, mqa, mha // gqa


def _how_many_more(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_heads // n_kv_heads - 1


def _sequences_of_mqa(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_kv_heads


def _thirty_two_bits(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    kept = np.array([n_heads, n_kv_heads, 1], dtype=np.int32)
    sizes = kept * 2 * n_layers * head_dim * tokens * bytes_per_element
    return *sizes, n_heads // n_kv_heads


def _true_division(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    one = 2 * n_layers * head_dim * tokens * bytes_per_element
    return n_heads * one, n_kv_heads * one, one, n_heads / n_kv_heads


MISTAKES = (
    Mistake(
        "keys-only",
        _keys_only,
        "Your bytes are half of what they should be: a key and a value are kept for each token, layer and K/V head.",
        "A smaller cache",
    ),
    Mistake(
        "one-layer",
        _one_layer,
        "That is the cache of one layer. Every layer has keys and values of its own: multiply by n_layers.",
        "A smaller cache",
    ),
    Mistake(
        "two-bytes-assumed",
        _two_bytes_assumed,
        "You took two bytes for each element, whatever was asked. Multiply by bytes_per_element.",
        "A smaller cache",
        loses=("other widths",),
    ),
    Mistake(
        "element-size-forgotten",
        _element_size_forgotten,
        "You counted numbers and not their bytes. Each number takes bytes_per_element: multiply by it.",
        "A smaller cache",
    ),
    Mistake(
        "in-bits",
        _in_bits,
        "You counted bits. bytes_per_element is in bytes already, so there is no factor of 8.",
        "A smaller cache",
    ),
    Mistake(
        "group-for-kv-heads",
        _group_for_kv_heads,
        "You took the size of a group for the number of K/V heads. n_kv_heads heads are kept, and the group, "
        "n_heads // n_kv_heads, is how many times smaller the cache becomes.",
        "A smaller cache",
    ),
    Mistake(
        "group-in-gqa-only",
        _group_in_gqa_only,
        "Your bytes for n_kv_heads are those of as many K/V heads as a group has query heads. n_kv_heads heads are "
        "kept; the group, n_heads // n_kv_heads, is how many times smaller the cache becomes.",
        "A smaller cache",
    ),
    Mistake(
        "mqa-first",
        _mqa_first,
        "The bytes of MHA and of MQA have changed places. Return MHA first, with a K/V head for every query head; MQA "
        "has a single one and the smallest cache.",
        "A smaller cache",
    ),
    Mistake(
        "factor-three",
        _factor_three,
        "Your bytes are one and a half times what they should be, as if three vectors were kept for each token and K/V "
        "head. Two are: a key and a value. Queries are not kept.",
        "A smaller cache",
    ),
    Mistake(
        "only-keys-shared",
        _only_keys_shared,
        "You shared the keys and kept a value for every query head, or the other way round. A K/V head is a key "
        "and a value, and both are shared.",
        "A smaller cache",
    ),
    Mistake(
        "queries-kept",
        _queries_kept,
        "You counted queries too. A later token brings its own query and never needs an old one, so only keys and "
        "values are kept.",
        "A smaller cache",
    ),
    Mistake(
        "how-many-more",
        _how_many_more,
        "Your last number is one too small: you counted how many sequences more fit. Asked is how many fit.",
        "A smaller cache",
    ),
    Mistake(
        "sequences-of-mqa",
        _sequences_of_mqa,
        "Your last number is how many MQA caches go into the grouped one. Asked is how many grouped caches go "
        "into MHA's.",
        "A smaller cache",
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
        "true-division",
        _true_division,
        "A number of sequences is a whole number, and / makes a float. Use //.",
        "What goes wrong and does not crash",
    ),
)
