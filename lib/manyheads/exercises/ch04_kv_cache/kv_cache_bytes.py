"""kv-cache-bytes: what a model's cache takes."""

import numpy as np

from manyheads import AttentionConfig, costs, models
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter

#: Published models with K/V heads, by name, and what is told of them.
_PUBLISHED = {
    "llama-2-7b": "Llama-2-7B",
    "llama-3-8b": "Llama-3-8B",
    "llama-3-70b": "Llama-3-70B",
    "llama-3.1-405b": "Llama-3.1-405B",
    "falcon-40b": "Falcon-40B",
    "qwen3-4b": "Qwen3-4B",
}


def _reference(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    config = AttentionConfig(n_heads * head_dim, n_heads, n_kv_heads, head_dim, n_layers=n_layers)
    return batch * costs.kv_cache_bytes(config, tokens, bytes_per_element)


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _model(name, tokens, batch, bytes_per_element=2, probe=False):
    c = models.get(name)
    told = f"{_PUBLISHED.get(name, name)}, {batch} x {tokens:,} tokens, {bytes_per_element} bytes an element"
    sizes = c.n_layers, c.n_heads, c.n_kv_heads, c.head_dim
    return _case(told, *sizes, tokens, batch, bytes_per_element, probe=probe)


def _one_layer(rng):
    n_heads, head_dim, tokens = rng.permutation([3, 5, 6, 7, 11])[:3]
    return [
        _case("one layer, one sequence, a K/V head for every query head", 1, n_heads, n_heads, head_dim, tokens, 1, 2),
        _case("the same in float32", 1, n_heads, n_heads, head_dim, tokens + 1, 1, 4),
        # Tells a factor 2 that is missing from the bytes from one that is missing for K and V.
        _case("one byte an element", 1, n_heads, n_heads, head_dim, tokens, 1, 1, probe=True),
    ]


def _layers(rng):
    n_layers, n_heads, head_dim, tokens, batch = rng.permutation([3, 4, 5, 6, 7, 11])[:5]
    return [
        _case("layers, sequences", n_layers, n_heads, n_heads, head_dim, tokens, batch, 2),
        _case("layers, sequences, 8 bits an element", n_layers, n_heads, n_heads, head_dim + 1, tokens, batch, 1),
        _case("one layer", 1, n_heads, n_heads, head_dim, tokens, batch, 4, probe=True),
    ]


def _published(rng):
    name = list(_PUBLISHED)[int(rng.integers(len(_PUBLISHED)))]
    tokens, batch = int(rng.integers(9, 40)) * 1000, int(rng.integers(3, 9))
    return [
        _model("llama-3-70b", 32_768, 1),
        _model("falcon-7b", tokens, batch),
        _model(name, tokens + 1, batch, 4),
        _model("llama-3.2-1b", tokens + 2, batch, 1),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _token_first(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    one_token = 2 * n_kv_heads * head_dim * bytes_per_element * n_layers
    return one_token * tokens * batch


def _from_the_width(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    width = n_kv_heads * head_dim
    keys = bytes_per_element * width * tokens * n_layers
    return batch * keys + batch * keys


def _layer_by_layer(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    total = 0
    for _ in range(n_layers):
        for _ in range(n_kv_heads):
            keys = batch * tokens * head_dim
            values = batch * tokens * head_dim
            total += (keys + values) * bytes_per_element
    return total


def _by_the_share_of_heads(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    without_sharing = n_heads * head_dim * tokens * batch * bytes_per_element * n_layers * 2
    return without_sharing * n_kv_heads // n_heads


# -- known mistakes ------------------------------------------------------------------------------------


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


def _32_bits(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    sizes = [2, n_layers, n_kv_heads, head_dim, tokens, batch, bytes_per_element]
    return np.array(sizes, np.int32).prod(dtype=np.int32)


def _true_division(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    group = n_heads / n_kv_heads
    return 2 * n_layers * (n_heads / group) * head_dim * tokens * batch * bytes_per_element


_PARAMETERS = (
    Parameter("n_layers", "whole number: layers, each with a cache of its own"),
    Parameter("n_heads", "whole number: query heads"),
    Parameter("n_kv_heads", "whole number: key/value heads"),
    Parameter("head_dim", "whole number: width of one key, and of one value"),
    Parameter("tokens", "whole number: tokens in each sequence"),
    Parameter("batch", "whole number: sequences that are cached at once"),
    Parameter("bytes_per_element", "whole number: 2 for float16, 4 for float32, 1 for 8 bits"),
)
_SECTION = "What it costs"

EXERCISE = Exercise(
    name="kv-cache-bytes",
    title="What the cache costs",
    chapter="04-kv-cache",
    version=1,
    parameters=_PARAMETERS,
    returns=(Output("result", None, "int"),),
    reference=_reference,
    tolerance=EXACT,
    example="""\
>>> kv_cache_bytes(1, 4, 2, 8, tokens=10, batch=1, bytes_per_element=2)
640""",
    hints=(
        "Start with one token in one layer: which arrays does it leave behind, and how many numbers are in each?",
        "Later tokens need the earlier keys and values. Does anybody need an earlier token's query again?",
        "Then count upwards: bytes for a number, tokens, batch, layers. One of the seven parameters is not needed.",
    ),
    aspects=(
        Aspect("one layer", 1, "one layer, one sequence, no shared heads", _one_layer),
        Aspect("layers", 1, "several layers and sequences, no shared heads", _layers),
        Aspect("published models", 1, "models as published, long contexts, many gigabytes", _published),
    ),
    alternatives={
        "one token first": _token_first,
        "from the width": _from_the_width,
        "layer by layer": _layer_by_layer,
        "by the share of heads": _by_the_share_of_heads,
    },
    mistakes=(
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
            "A number of bytes is a whole number, and / makes a float. Use //, or leave the division out.",
            _SECTION,
        ),
    ),
)
