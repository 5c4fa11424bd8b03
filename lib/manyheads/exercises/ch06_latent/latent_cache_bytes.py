"""latent-cache-bytes: the cache of latents, beside MHA's and beside the keys and values that the latents stand for."""

import numpy as np

from manyheads import AttentionConfig, costs
from manyheads.exercises.ch06_latent.latent_cache_bytes_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    kinds = (
        {"head_dim": head_dim, "latent_rank": latent_rank, "rope_head_dim": rope_head_dim},
        {"head_dim": head_dim},
        {"head_dim": head_dim + rope_head_dim, "v_head_dim": v_head_dim},
    )
    configs = (AttentionConfig(n_heads * head_dim, n_heads, n_layers=n_layers, **kind) for kind in kinds)
    return tuple(costs.kv_cache_bytes(config, tokens, bytes_per_element) for config in configs)


def _case(about, *numbers, probe=False):
    return Case(about, dict(zip((p.name for p in _PARAMETERS), map(int, numbers), strict=True)), probe)


def _drawn(rng):
    """Layers, heads and the four widths: none a sum or a multiple that hides a slip."""
    while True:
        n_layers, n_heads = (int(i) for i in rng.permutation([3, 5, 7])[:2])
        head_dim, v_head_dim = (int(i) for i in rng.permutation([11, 13, 17, 19])[:2])
        rope = int(rng.choice([10, 12, 14]))
        if rope not in (n_heads * (head_dim - v_head_dim), n_heads * head_dim - v_head_dim):
            return n_layers, n_heads, head_dim, v_head_dim, int(rng.choice([47, 53, 59])), rope


def _wide(*numbers):
    """Beside two bytes, tells bytes that were forgotten from a value that was."""
    return _case("four bytes for each element", *numbers, 4, probe=True)


def _two_bytes(rng):
    drawn, tokens = _drawn(rng), int(rng.integers(9, 40))
    return [
        _case("a small model", *drawn, tokens, 2),
        _case("the sizes of DeepSeek-V2, one token", 60, 128, 128, 128, 512, 64, 1, 2),
        _case("the sizes of DeepSeek-V3, one token", 61, 128, 128, 128, 512, 64, 1, 2),
        _case("the sizes of DeepSeek-V2-Lite, one token", 27, 16, 128, 128, 512, 64, 1, 2),
        _case("no rotary key", *drawn[:5], 0, tokens, 2),
        _wide(*drawn, tokens),
    ]


def _other_widths(rng):
    drawn, tokens = _drawn(rng), int(rng.integers(9, 40))
    return [
        _case("one byte for each element", *drawn, tokens, 1),
        _case("four bytes for each element", *drawn, tokens, 4),
    ]


def _long_context(rng):
    sizes, tokens = (61, 128, 128, 160, 512, 64), int(rng.choice([32_768, 65_536, 131_072])) + 1000
    return [_case("a large model, a long context", *sizes, tokens, 2), _wide(*sizes, tokens)]


# -- right answers by other techniques -----------------------------------------------------------------


def _numbers_first(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    each = n_layers * tokens * bytes_per_element
    expanded = n_heads * (head_dim + rope_head_dim + v_head_dim)
    return each * (latent_rank + rope_head_dim), each * 2 * n_heads * head_dim, each * expanded


def _layer_by_layer(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    latent = mha = expanded = 0
    for _ in range(n_layers):
        latent += (latent_rank + rope_head_dim) * tokens * bytes_per_element
        for _ in range(n_heads):
            mha += head_dim * tokens * bytes_per_element  # keys
            mha += head_dim * tokens * bytes_per_element  # values
            expanded += (head_dim + rope_head_dim + v_head_dim) * tokens * bytes_per_element
    return latent, mha, expanded


def _product_of_matrices(
    n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element
):
    counts = np.array([[0, 0, 1, 1], [2 * n_heads, 0, 0, 0], [n_heads, n_heads, 0, n_heads]], dtype=np.int64)
    widths = np.array([head_dim, v_head_dim, latent_rank, rope_head_dim], dtype=np.int64)
    return tuple(int(n) * n_layers * tokens * bytes_per_element for n in counts @ widths)


def _from_one_number(n_layers, n_heads, head_dim, v_head_dim, latent_rank, rope_head_dim, tokens, bytes_per_element):
    one = bytes_per_element * tokens * n_layers  # a single number of a token, in all layers
    key = n_heads * head_dim * one
    mha = key + key
    latent, shared = one * latent_rank, one * rope_head_dim
    return latent + shared, mha, key + n_heads * (shared + one * v_head_dim)


_PARAMETERS = (
    Parameter("n_layers", "whole number"),
    Parameter("n_heads", "whole number"),
    Parameter("head_dim", "whole number: width of the content part of a key"),
    Parameter("v_head_dim", "whole number: width of a value"),
    Parameter("latent_rank", "whole number: width of a latent"),
    Parameter("rope_head_dim", "whole number: width of the rotary key, 0 or more"),
    Parameter("tokens", "whole number: tokens of one sequence"),
    Parameter("bytes_per_element", "whole number: 2 for float16, 4 for float32"),
)

EXERCISE = Exercise(
    name="latent-cache-bytes",
    title="What the cache weighs",
    chapter="06-latent",
    version=1,
    parameters=_PARAMETERS,
    returns=tuple(Output(name, None, "int") for name in ("latent", "mha", "expanded")),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> latent_cache_bytes(2, 3, 4, 5, 6, 2, 10, 2)
(320, 960, 1320)
""",
    hints=(
        "Start with one token in one layer, and write down three counts of numbers, not of bytes.",
        "The latent cache holds one vector of latent_rank and one of rope_head_dim. Which of the arguments does it not "
        "need at all?",
        "Expanded, each head has a key and a value of its own. Its key is as wide as a query: content part and rotary "
        "part.",
        "Each of the three is then multiplied by the same three arguments.",
    ),
    aspects=(
        Aspect("two bytes", 2, "float16: small models, and one token of three published ones", _two_bytes),
        Aspect("other widths", 1, "one byte and four bytes for each element", _other_widths),
        Aspect("a long context", 1, "a large model, with more bytes than 32 bits count", _long_context),
    ),
    alternatives={
        "numbers first": _numbers_first,
        "layer by layer": _layer_by_layer,
        "a product of matrices": _product_of_matrices,
        "from one number": _from_one_number,
    },
    mistakes=MISTAKES,
)
