"""triton-grouped-attention: query heads that share keys and values, read where the projection put them."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.triton_cases import SCALE, apart, growing
from manyheads.exercises.ch08_kernels.triton_grouped_attention_answers import ALTERNATIVES, HEAD
from manyheads.exercises.ch08_kernels.triton_grouped_attention_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

_BLOCKS = {"HEAD_DIM": 64, "BLOCK_Q": 32, "BLOCK_K": 16}


def _attention(qkv, heads, kv_heads, kept):
    """(batch, seq, heads + 2 * kv_heads, head_dim) to (batch, seq, heads, head_dim), of which some is kept."""
    q, k, v = np.split(qkv.astype("float64").swapaxes(1, 2), [heads, heads + kv_heads], axis=1)
    return np.asarray(reference.attention(q, k, v, scale=SCALE)).swapaxes(1, 2).astype(qkv.dtype)[kept]


def _case(rng, about, batch, heads, kv_heads, seq, way="interpreted", dtype="float32", blocks=_BLOCKS, **more):
    dim = blocks["HEAD_DIM"]
    q = rng.standard_normal((batch, heads, seq, dim))
    k = rng.standard_normal((batch, kv_heads, seq, dim))
    v = rng.standard_normal((batch, kv_heads, seq, dim))
    growing(k, q)
    if more.get("apart"):
        apart(q, k)
    kept = (slice(0, 1), slice(None), slice(0, 2)) if more.get("probe") else ()
    qkv = np.concatenate([q, k, v], axis=1).swapaxes(1, 2).astype(dtype)
    qkv = np.ascontiguousarray(qkv)
    arguments = {
        "qkv": qkv,
        "out": Out((batch, seq, heads, dim), dtype, kept),
        "scale": SCALE,
        "heads": heads,
        "kv_heads": kv_heads,
        "seq": seq,
    }
    grid = (-(-seq // blocks["BLOCK_Q"]), 2 if more.get("probe") else batch * heads)
    launch = Launch("triton_grouped_attention", grid, arguments=arguments, constants=blocks)
    inputs = {"qkv": qkv, "heads": heads, "kv_heads": kv_heads, "kept": kept}
    return Case(about, inputs, launch=launch, way=way, probe=more.get("probe", False))


def _first(rng, dtype="float32"):
    """Two heads of the first sequence alone: whoever takes a token for longer still finds numbers behind it."""
    return _case(rng, "the first two heads alone", 3, 4, 2, 19, dtype=dtype, probe=True)


def _seq(rng, low=17, high=21):
    return int(rng.integers(low, high + 1))


def _values(rng):
    return [
        _first(rng),
        _case(rng, "three groups of two heads", 1, 6, 3, _seq(rng)),
        _case(rng, "two groups of four heads", 1, 8, 2, _seq(rng)),
        _case(rng, "two blocks of queries, some far from all", 1, 2, 1, _seq(rng, 49, 55), apart=True),
        _case(rng, "more than one sequence", 3, 4, 2, _seq(rng)),
    ]


def _ends(rng):
    return [
        _first(rng),
        _case(rng, "one K/V head for all", 2, 5, 1, _seq(rng)),
        _case(rng, "a K/V head for each query head", 2, 3, 3, _seq(rng)),
    ]


def _half(rng):
    return [
        _first(rng, "float16"),
        _case(rng, "float16 in, float16 out", 1, 6, 3, _seq(rng), dtype="float16"),
    ]


def _gpu(rng):
    other = {"HEAD_DIM": 16, "BLOCK_Q": 64, "BLOCK_K": 32}
    return [
        _first(rng),
        _case(rng, "float16, compiled for an A100", 1, 6, 3, 21, "sm_80", "float16"),
        _case(rng, "float32, compiled for an H100", 1, 4, 2, 37, "sm_90", blocks=other),
    ]


EXERCISE = Exercise(
    name="triton-grouped-attention",
    title="Shared heads, and nothing copied",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter(
            "qkv",
            "pointer to float32 or float16: (batch, seq, heads + 2 * kv_heads, HEAD_DIM), without gaps. Of each token "
            "the query heads, then the key heads, then the value heads",
        ),
        Parameter("out", "pointer to the same dtype: (batch, seq, heads, HEAD_DIM), without gaps, to be filled"),
        Parameter("scale", "float: what every product of a query and a key is multiplied with"),
        Parameter("heads", "int: query heads; a multiple of kv_heads"),
        Parameter("kv_heads", "int: heads of keys, and of values"),
        Parameter("seq", "int: tokens, at least 1"),
        Parameter("HEAD_DIM", "tl.constexpr: numbers in a query, key or value; a power of two"),
        Parameter("BLOCK_Q, BLOCK_K", "tl.constexpr: queries of a program, keys in a block; powers of two"),
    ),
    returns=(Output("out", ("batch", "seq", "heads", "head_dim")),),
    reference=Oracle(_attention),
    tolerance={"float32": 2e-5, "float16": 3e-3},
    hints=(
        "How many numbers has one token of qkv? That is the step from a query to the next, and from a key to the next.",
        "Where in a token do the keys of K/V head g begin, and where its values? Count the heads that come before.",
        "Six query heads and three K/V heads: head 0 and 1 read K/V head 0, head 2 and 3 read 1. Which division is it?",
        "out has no keys and values: its tokens are heads * HEAD_DIM numbers apart.",
    ),
    aspects=(
        Aspect("values", 3, "groups of two and of four heads", _values),
        Aspect("the ends", 2, "one K/V head for all, and one for each", _ends),
        Aspect("half precision", 1, "float16 in and out, sums in float32", _half),
        Aspect("for a GPU", 2, "compiles for two GPUs, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "triton",
        HEAD,
        "one program for each block of queries and each query head of each sequence: the grid is (seq / BLOCK_Q, "
        "rounded up; batch * heads).",
    ),
    runs_in=("notebook",),
)
