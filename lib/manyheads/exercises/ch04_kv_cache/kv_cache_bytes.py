"""kv-cache-bytes: what a model's cache takes."""

from manyheads import AttentionConfig, costs, models
from manyheads.exercises.ch04_kv_cache.kv_cache_bytes_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter

#: Published models with K/V heads, by name, and what is told of them.
_PUBLISHED = {
    "llama-2-7b": "Llama-2-7B",
    "llama-3-8b": "Llama-3-8B",
    "llama-3-70b": "Llama-3-70B",
    "llama-3.1-405b": "Llama-3.1-405B",
    "falcon-40b": "Falcon-40B",
    "qwen3-4b": "Qwen3-4B",
}
_ALWAYS = {"llama-3-70b": "Llama-3-70B", "falcon-7b": "Falcon-7B", "llama-3.2-1b": "Llama-3.2-1B"}


def _reference(n_layers, n_heads, n_kv_heads, head_dim, tokens, batch, bytes_per_element):
    config = AttentionConfig(n_heads * head_dim, n_heads, n_kv_heads, head_dim, n_layers=n_layers)
    return batch * costs.kv_cache_bytes(config, tokens, bytes_per_element)


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _model(name, tokens, batch, bytes_per_element=2, probe=False):
    c = models.get(name)
    told = f"{(_PUBLISHED | _ALWAYS)[name]}, {batch} x {tokens:,} tokens, {bytes_per_element} bytes an element"
    sizes = c.n_layers, c.n_heads, c.n_kv_heads, c.head_dim
    return _case(told, *sizes, tokens, batch, bytes_per_element, probe=probe)


def _shared(rng):
    """Query heads, heads of keys and values, and how many of those share one of these: all different."""
    kv_heads, group = rng.permutation([2, 3, 5])[:2]
    return kv_heads * group, kv_heads


def _one_layer(rng):
    n_heads, head_dim, tokens = rng.permutation([3, 5, 6, 7, 11])[:3]
    return [
        _case("one layer, one sequence, a K/V head for every query head", 1, n_heads, n_heads, head_dim, tokens, 1, 2),
        _case("the same in float32, with one token more", 1, n_heads, n_heads, head_dim, tokens + 1, 1, 4),
        # Tells a factor 2 that is missing from the bytes from one that is missing for K and V.
        _case("one byte an element", 1, n_heads, n_heads, head_dim, tokens, 1, 1, probe=True),
        _case("shared K/V heads", 1, *_shared(rng), head_dim, tokens, 1, 2, probe=True),
    ]


def _layers(rng):
    n_layers, n_heads, head_dim, tokens, batch = rng.permutation([3, 4, 5, 6, 7, 11])[:5]
    return [
        _case("several layers and sequences", n_layers, n_heads, n_heads, head_dim, tokens, batch, 2),
        _case("the same in 8 bits an element", n_layers, n_heads, n_heads, head_dim + 1, tokens, batch, 1),
        _case("one layer", 1, n_heads, n_heads, head_dim, tokens, batch, 4, probe=True),
        _case("shared K/V heads", n_layers, *_shared(rng), head_dim, tokens, batch, 2, probe=True),
    ]


def _published(rng):
    name = list(_PUBLISHED)[int(rng.integers(len(_PUBLISHED)))]
    tokens, batch = int(rng.integers(9, 40)) * 1000, int(rng.integers(3, 9))
    # Twice an odd number beyond 2**53: no float holds it.
    layers, tokens_of_all, sequences = 81, 2**20 + 1, 100_001 + 2 * int(rng.integers(1000))
    return [
        _model("llama-3-70b", 32_768, 1),
        _model("falcon-7b", tokens, batch),
        _model(name, tokens + 1, batch, 4),
        _model("llama-3.2-1b", tokens + 2, batch, 1),
        _case(
            "an invented model with 100,000 users, too large a count for floats",
            layers,
            45,
            9,
            129,
            tokens_of_all,
            sequences,
            1,
        ),
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


_PARAMETERS = (
    Parameter("n_layers", "whole number: layers, each with a cache of its own"),
    Parameter("n_heads", "whole number: query heads"),
    Parameter("n_kv_heads", "whole number: key/value heads"),
    Parameter("head_dim", "whole number: width of one key, and of one value"),
    Parameter("tokens", "whole number: tokens in each sequence"),
    Parameter("batch", "whole number: sequences that are cached at once"),
    Parameter("bytes_per_element", "whole number: 2 for float16, 4 for float32, 1 for 8 bits"),
)

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
        "Start with one token in one layer: what does it leave behind for later tokens, and how many numbers is that?",
        "Later tokens need the earlier keys and values. Does anybody need an earlier token's query again?",
        "Each of the other parameters multiplies what one token leaves, or has nothing to do with it. Change one at a "
        "time in your mind, and ask whether more is kept then.",
    ),
    aspects=(
        Aspect("one layer", 1, "one layer, one sequence, no shared heads", _one_layer),
        Aspect("layers", 1, "several layers and sequences, no shared heads", _layers),
        Aspect(
            "published models",
            1,
            "models as published and one invented, shared heads, long contexts, very large counts",
            _published,
        ),
    ),
    alternatives={
        "one token first": _token_first,
        "from the width": _from_the_width,
        "layer by layer": _layer_by_layer,
        "by the share of heads": _by_the_share_of_heads,
    },
    mistakes=MISTAKES,
)
