"""sharing-cache: the bytes of the cache with all, some or one of the K/V heads, and how many sequences that makes."""

import numpy as np

from manyheads import AttentionConfig, costs
from manyheads.exercises.ch05_sharing_heads.sharing_cache_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    configs = (
        AttentionConfig(n_heads * head_dim, n_heads, kept, head_dim, n_layers=n_layers)
        for kept in (n_heads, n_kv_heads, 1)
    )
    mha, gqa, mqa = (costs.kv_cache_bytes(config, tokens, bytes_per_element) for config in configs)
    return mha, gqa, mqa, mha // gqa


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _wide(*numbers):
    """Beside two bytes, tells bytes that were forgotten from a value that was."""
    return _case("four bytes for each element", *numbers, 4, probe=True)


def _groups(rng):
    """K/V heads and the size of a group: never the same, and the group not one larger."""
    return [(2, 4), (2, 5), (3, 2), (3, 5), (4, 2), (4, 3), (5, 2), (5, 3)][int(rng.integers(8))]


def _two_bytes(rng):
    n_kv_heads, group = _groups(rng)
    n_layers, head_dim, tokens = (int(i) for i in rng.permutation([6, 7, 9, 11, 13])[:3])
    return [
        _case("a small model", n_layers, n_kv_heads * group, n_kv_heads, head_dim, tokens, 2),
        _case("2048 tokens, 12 heads in groups of 3", 12, 12, 4, 64, 2048, 2),
        _case("2048 tokens, one K/V head", n_layers, 8, 1, head_dim, 2048, 2),
        _wide(n_layers, n_kv_heads * group, n_kv_heads, head_dim, tokens),
    ]


def _other_widths(rng):
    n_kv_heads, group = _groups(rng)
    n_heads = n_kv_heads * group
    n_layers, head_dim, tokens = (int(i) for i in rng.permutation([6, 7, 9, 11, 13])[:3])
    return [
        _case("one byte for each element", n_layers, n_heads, n_kv_heads, head_dim, tokens, 1),
        _case("four bytes for each element", n_layers, n_heads, n_kv_heads, head_dim, tokens, 4),
    ]


def _long_context(rng):
    tokens = int(rng.choice([32_768, 65_536, 131_072])) + 1000
    return [
        _case("the sizes of Llama 3.1 405B, a long context", 126, 128, 8, 128, tokens, 2),
        _wide(126, 128, 8, 128, tokens),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _one_head_first(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    mqa = 2 * n_layers * head_dim * tokens * bytes_per_element
    return n_heads * mqa, n_kv_heads * mqa, mqa, n_heads // n_kv_heads


def _divided_down(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    mha = n_heads * head_dim * tokens * bytes_per_element * n_layers * 2
    group = n_heads // n_kv_heads
    return mha, mha // group, mha // n_heads, group


def _layer_by_layer(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    a_token = head_dim * bytes_per_element
    totals = [0, 0, 0]
    for _ in range(n_layers):
        for i, kept in enumerate([n_heads, n_kv_heads, 1]):
            totals[i] += kept * tokens * a_token  # keys
            totals[i] += kept * tokens * a_token  # values
    return *totals, totals[0] // totals[1]


def _int64_array(n_layers, n_heads, n_kv_heads, head_dim, tokens, bytes_per_element):
    kept = np.array([n_heads, n_kv_heads, 1], dtype=np.int64)
    sizes = kept * 2 * n_layers * head_dim * tokens * bytes_per_element
    return *sizes, sizes[0] // sizes[1]


_PARAMETERS = (
    Parameter("n_layers", "whole number"),
    Parameter("n_heads", "whole number: query heads"),
    Parameter("n_kv_heads", "whole number: key/value heads of the grouped model; divides n_heads"),
    Parameter("head_dim", "whole number: width of one key, and of one value"),
    Parameter("tokens", "whole number: tokens of one sequence"),
    Parameter("bytes_per_element", "whole number: 2 for float16, 4 for float32"),
)

EXERCISE = Exercise(
    name="sharing-cache",
    title="A smaller cache, and what it is good for",
    chapter="05-sharing-heads",
    version=1,
    parameters=_PARAMETERS,
    returns=tuple(Output(name, None, "int") for name in ("mha", "gqa", "mqa", "sequences")),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> sharing_cache(2, 6, 2, 4, 10, 2)
(1920, 640, 320, 3)
""",
    hints=(
        "Start with a single token, layer and K/V head: what is kept, and how many numbers is that?",
        "Nothing of a query is kept, since later tokens have queries of their own. So n_heads matters only where "
        "every query head has a K/V head.",
        "For the sequences: the memory is what MHA needs for one sequence. How often does the grouped model's cache "
        "go into it, as a whole number?",
    ),
    aspects=(
        Aspect("two bytes", 2, "float16, small models and 2048 tokens", _two_bytes),
        Aspect("other widths", 1, "one byte and four bytes for each element", _other_widths),
        Aspect("a long context", 1, "a large model, with more bytes than 32 bits count", _long_context),
    ),
    alternatives={
        "one head first": _one_head_first,
        "divided down": _divided_down,
        "layer by layer": _layer_by_layer,
        "an array of 64 bits": _int64_array,
    },
    mistakes=MISTAKES,
)
