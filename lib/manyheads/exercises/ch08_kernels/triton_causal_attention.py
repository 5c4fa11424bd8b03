"""triton-causal-attention: the last query sees every key, and blocks that nobody sees are not read."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.triton_cases import SCALE, apart, growing
from manyheads.exercises.ch08_kernels.triton_causal_attention_answers import ALTERNATIVES, HEAD
from manyheads.exercises.ch08_kernels.triton_causal_attention_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

_BLOCKS = {"HEAD_DIM": 64, "BLOCK_Q": 32, "BLOCK_K": 16}


def _attention(q, k, v, queries):
    """`queries`: how many of them, from the first on, were computed."""
    unread = [np.where(np.isnan(x), 0, x).astype("float64") for x in (k, v)]
    result = np.asarray(reference.attention(q.astype("float64"), *unread, causal=True, scale=SCALE))
    return result[:, :, :queries].astype(q.dtype)


def _case(rng, about, batch, heads, q_len, k_len, way="interpreted", dtype="float32", blocks=_BLOCKS, **more):
    """`launched`: so many programs of a head; keys and values that they need not read, and `spare` blocks, are NaN."""
    dim = blocks["HEAD_DIM"]
    q = rng.standard_normal((batch, heads, q_len, dim))
    k = rng.standard_normal((batch, heads, k_len, dim))
    v = rng.standard_normal((batch, heads, k_len, dim))
    growing(k, q)
    if more.get("apart"):
        apart(q, k)
    q, k, v = (x.astype(dtype) for x in (q, k, v))
    programs = more.get("launched", -(-q_len // blocks["BLOCK_Q"]))
    queries = min(q_len, programs * blocks["BLOCK_Q"])
    if "launched" in more:
        size = blocks["BLOCK_K"]
        read = (-(-max(0, queries + k_len - q_len) // size) + more.get("spare", 0)) * size
        k[:, :, read:] = v[:, :, read:] = np.nan
    out = Out(q.shape, dtype, (slice(None), slice(None), slice(0, queries)))
    arguments = {"q": q, "k": k, "v": v, "out": out, "scale": SCALE, "q_len": q_len, "k_len": k_len}
    grid = (programs, batch * heads)
    launch = Launch("triton_causal_attention", grid, arguments=arguments, constants=blocks)
    return Case(
        about, {"q": q, "k": k, "v": v, "queries": queries}, launch=launch, way=way, probe=more.get("probe", False)
    )


def _whole(rng, dtype="float32"):
    """Every lane has a query or a key: a kernel that only lacks a mask does no harm here."""
    return _case(rng, "whole blocks", 1, 2, 32, 80, dtype=dtype, probe=True)


def _length(rng, low=35, high=41):
    return int(rng.integers(low, high + 1))


def _values(rng):
    return [
        _whole(rng),
        _case(rng, "new queries behind older keys", 1, 3, _length(rng, 19, 23), _length(rng, 43, 47)),
        _case(rng, "two blocks of queries", 1, 2, _length(rng, 36, 41), _length(rng, 43, 47), apart=True),
        _case(rng, "one query, as in decoding, and a key more than two blocks", 1, 3, 1, 33),
    ]


def _skipped(rng):
    return [
        _case(rng, "the first programs alone; keys behind them must not be read", 1, 2, 77, 83, launched=1),
        _case(rng, "the same, a block of keys more", 2, 1, 71, 89, launched=1, spare=1),
        _case(rng, "two of three programs", 1, 1, 91, 99, launched=2),
    ]


def _empty(rng):
    return [
        _whole(rng),
        _case(rng, "more queries than keys, so that the first see none", 2, 1, _length(rng), _length(rng, 25, 31)),
        _case(rng, "a block of queries that sees nothing", 1, 2, _length(rng, 57, 61), 19),
    ]


def _half(rng):
    return [
        _whole(rng, "float16"),
        _case(
            rng,
            "float16 in, float16 out",
            1,
            2,
            _length(rng, 36, 39),
            _length(rng, 57, 61),
            dtype="float16",
            apart=True,
        ),
    ]


def _gpu(rng):
    return [
        _whole(rng),
        _case(rng, "float16, compiled for an A100", 1, 2, 37, 53, "sm_80", "float16", apart=True),
        _case(rng, "float32, compiled for an H100", 1, 2, 35, 43, "sm_90", blocks={**_BLOCKS, "HEAD_DIM": 32}),
    ]


EXERCISE = Exercise(
    name="triton-causal-attention",
    title="Blocks that nobody sees",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("q", "pointer to float32 or float16: queries (batch, heads, q_len, HEAD_DIM), without gaps"),
        Parameter("k", "pointer to the same dtype: keys (batch, heads, k_len, HEAD_DIM), without gaps"),
        Parameter("v", "pointer to the same dtype: values, like k"),
        Parameter("out", "pointer to the same dtype: like q, to be filled"),
        Parameter("scale", "float: what every product of a query and a key is multiplied with"),
        Parameter("q_len", "int: queries of a head"),
        Parameter("k_len", "int: keys of a head, at least 1; may be smaller than q_len"),
        Parameter("HEAD_DIM", "tl.constexpr: numbers in a query, key or value; a power of two"),
        Parameter("BLOCK_Q, BLOCK_K", "tl.constexpr: queries of a program, keys in a block; powers of two"),
    ),
    returns=(Output("out", ("batch", "heads", "q_len", "head_dim")),),
    reference=Oracle(_attention),
    tolerance={"float32": 2e-5, "float16": 3e-3},
    hints=(
        "Start from your kernel of part 2. Without gaps, head y of q begins at y * q_len * HEAD_DIM, and of k and v at "
        "y * k_len * HEAD_DIM.",
        "The last query of a program sees most. How many keys does it see? That is where the loop may end; it may also "
        "be more than k_len, or less than 0.",
        "The blocks that the diagonal crosses are seen in part: there each pair of a query and a key needs the mask.",
        "In a row that has seen nothing yet, -inf - -inf would be NaN. Start the largest score at -1e30, and set the "
        "exponentials of forbidden pairs to 0 with tl.where.",
    ),
    aspects=(
        Aspect("values", 3, "more keys than queries, blocks on the diagonal", _values),
        Aspect("skipped blocks", 2, "blocks that no query of a program sees are not read", _skipped),
        Aspect("empty rows", 2, "more queries than keys, so that the first see none", _empty),
        Aspect("half precision", 1, "float16 in and out, sums in float32", _half),
        Aspect("for a GPU", 2, "compiles for two GPUs, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "triton",
        HEAD,
        "one program for each block of queries and each head: the grid is (q_len / BLOCK_Q, rounded up; batch * "
        "heads). Some checks launch only the first programs of each head.",
    ),
    runs_in=("notebook",),
)
