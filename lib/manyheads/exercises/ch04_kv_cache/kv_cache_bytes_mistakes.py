"""The known mistakes of kv-cache-bytes."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _keys_only(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return n_layers * n_kv_heads * head_dim * tokens * batch * bytes_per_element


def _query_heads(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * n_heads * head_dim * tokens * batch * bytes_per_element


def _queries_too(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return n_layers * (n_heads + 2 * n_kv_heads) * head_dim * tokens * batch * bytes_per_element


def _one_layer_only(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_kv_heads * head_dim * tokens * batch * bytes_per_element


def _one_sequence(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * n_kv_heads * head_dim * tokens * bytes_per_element


def _elements(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * n_kv_heads * head_dim * tokens * batch


def _bits(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 8 * 2 * n_layers * n_kv_heads * head_dim * tokens * batch * bytes_per_element


def _tokens_squared(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * n_kv_heads * head_dim * tokens**2 * batch * bytes_per_element


def _one_head(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * head_dim * tokens * batch * bytes_per_element


def _group_of_queries(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return 2 * n_layers * (n_heads // n_kv_heads) * head_dim * tokens * batch * bytes_per_element


def _divided_by_the_group(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    group = n_heads // n_kv_heads
    return 2 * n_layers * n_kv_heads * head_dim * tokens * batch * bytes_per_element // group


def _through_floats(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    return int(2.0 * n_layers * n_kv_heads * head_dim * tokens * batch * bytes_per_element)


def _32_bits(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    sizes = [2, n_layers, n_kv_heads, head_dim, tokens, batch, bytes_per_element]
    return np.array(sizes, np.int32).prod(dtype=np.int32)


def _true_division(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    group = n_heads / n_kv_heads
    return 2 * n_layers * (n_heads / group) * head_dim * tokens * batch * bytes_per_element


_SECTION = "What it costs"

MISTAKES = (
    Mistake(
        "keys-only",
        _keys_only,
        "You counted half of it. Keys and values are both kept, and are of the same size.",
        _SECTION,
    ),
    Mistake(
        "query-heads",
        _query_heads,
        "You counted a key and a value for every query head. Kept are n_kv_heads of each. In Falcon-7B 71 query "
        "heads share a single one, so that this overstates its cache 71 times.",
        _SECTION,
        loses=("published models",),
    ),
    Mistake(
        "queries-too",
        _queries_too,
        "You counted the queries as well. No later token asks for an earlier token's query, so none is kept.",
        _SECTION,
    ),
    Mistake(
        "one-layer-only",
        _one_layer_only,
        "That is one layer. Each layer has keys and values of its own, so multiply by n_layers.",
        _SECTION,
        loses=("layers", "published models"),
    ),
    Mistake(
        "one-sequence",
        _one_sequence,
        "That is one sequence. Each sequence has a cache of its own.",
        _SECTION,
        loses=("layers", "published models"),
    ),
    Mistake(
        "elements",
        _elements,
        "You counted numbers, not bytes. Each number takes bytes_per_element.",
        _SECTION,
    ),
    Mistake(
        "bits",
        _bits,
        "You counted bits. bytes_per_element is in bytes already, so there is no factor 8.",
        _SECTION,
    ),
    Mistake(
        "tokens-squared",
        _tokens_squared,
        "You counted the square of the tokens. That is the number of scores; a cache holds one key and one value "
        "for each token, and grows in proportion.",
        _SECTION,
    ),
    Mistake(
        "one-head",
        _one_head,
        "That is one key/value head. Each of the n_kv_heads has its own keys and values of width head_dim.",
        _SECTION,
    ),
    Mistake(
        "group-of-queries",
        _group_of_queries,
        "You counted n_heads // n_kv_heads heads. So many query heads share one key/value head; kept are the "
        "n_kv_heads that they share.",
        _SECTION,
    ),
    Mistake(
        "divided-by-the-group",
        _divided_by_the_group,
        "You divided by the number of query heads that share a key/value head, but n_kv_heads counts the shared "
        "heads already: so they are divided twice.",
        _SECTION,
        loses=("published models",),
    ),
    Mistake(
        "through-floats",
        _through_floats,
        "The last digits of your largest count are lost: somewhere it was a float, which holds whole numbers exactly "
        "up to 2**53 only. Multiply whole numbers.",
        _SECTION,
        loses=("published models",),
    ),
    Mistake(
        "32-bits",
        _32_bits,
        "Your product does not fit into 32 bits and came out wrapped around, without a word. Multiply Python's own "
        "integers, which grow as needed, and no NumPy integers.",
        _SECTION,
        loses=("published models",),
    ),
    Mistake(
        "true-division",
        _true_division,
        "Your count is a float. A number of bytes is a whole number: multiply whole numbers, and if you divide, use "
        "// and not /.",
        _SECTION,
    ),
)
