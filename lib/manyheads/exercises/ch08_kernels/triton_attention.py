"""triton-attention: attention over blocks of keys, one program for a block of queries of one head."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.triton_attention_answers import ALTERNATIVES, HEAD
from manyheads.exercises.ch08_kernels.triton_attention_mistakes import MISTAKES
from manyheads.exercises.ch08_kernels.triton_cases import SCALE, apart, dense, growing, spaced
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

#: What a block of lanes holds. All differ, and none is the size of a case.
_BLOCKS = {"HEAD_DIM": 32, "V_HEAD_DIM": 64, "BLOCK_Q": 8, "BLOCK_K": 16}


def _attention(q, k, v):
    result = np.asarray(reference.attention(*(x.astype("float64") for x in (q, k, v)), scale=SCALE))
    return result.astype(q.dtype)


def _case(rng, about, batch, heads, q_len, k_len, way="interpreted", dtype="float32", blocks=_BLOCKS, **more):
    """`more`: `gap` numbers behind each token of q, k and v; `token_first` for (batch, length, heads, dim)."""
    head_dim, v_head_dim = blocks["HEAD_DIM"], blocks["V_HEAD_DIM"]
    q = rng.standard_normal((batch, heads, q_len, head_dim)) * 1.5
    k = rng.standard_normal((batch, heads, k_len, head_dim)) * 1.5
    v = rng.standard_normal((batch, heads, k_len, v_head_dim)) + more.get("offset", 0.0)
    if more.get("alike"):
        q *= 0.05
    else:
        growing(k, q)
    if more.get("apart"):
        apart(q, k, more["apart"])
    q, k, v = (x.astype(dtype) for x in (q, k, v))
    out_shape = (batch, heads, q_len, v_head_dim)
    strides = {name: _strides(x.shape, more) for name, x in (("q", q), ("k", k), ("v", v))}
    arguments = {name: spaced(x, strides[name]) for name, x in (("q", q), ("k", k), ("v", v))}
    arguments |= {"out": Out(out_shape, dtype), "scale": SCALE, "heads": heads, "q_len": q_len, "k_len": k_len}
    for name, steps in {**strides, "out": dense(out_shape)}.items():
        arguments |= {f"{name}_batch": steps[0], f"{name}_head": steps[1], f"{name}_token": steps[2]}
    grid = (-(-q_len // blocks["BLOCK_Q"]), batch * heads)
    launch = Launch("triton_attention", grid, arguments=arguments, constants=blocks)
    return Case(about, {"q": q, "k": k, "v": v}, launch=launch, way=way, probe=more.get("probe", False))


def _whole(rng, dtype="float32"):
    """A kernel that only lacks a mask does no harm here, nor does one largest score for all: they are the same."""
    return _case(rng, "whole blocks of queries far from all keys", 1, 2, 24, 32, dtype=dtype, probe=True, apart=1)


def _strides(shape, more):
    _, heads, length, dim = shape
    row = dim + more.get("gap", 0)
    if more.get("token_first"):
        return (length * heads * row, row, heads * row, 1)
    return (heads * length * row, length * row, row, 1)


def _length(rng, low=5, high=7):
    return int(rng.integers(low, high + 1))


def _values(rng):
    return [
        _whole(rng),
        _case(rng, "fewer queries than keys", 2, 3, _length(rng), _length(rng, 19, 23)),
        _case(
            rng,
            "more queries than keys, some far from all",
            1,
            2,
            _length(rng, 27, 31),
            _length(rng, 19, 23),
            apart=2,
        ),
        _case(rng, "one query, as in decoding", 1, 3, 1, _length(rng, 25, 31)),
    ]


def _any_strides(rng):
    return [
        _whole(rng),
        _case(rng, "gaps behind every token", 2, 3, _length(rng), _length(rng, 35, 41), gap=5),
        _case(rng, "the heads of a token side by side", 1, 3, _length(rng), _length(rng, 35, 41), token_first=True),
    ]


def _half(rng):
    return [
        _whole(rng, "float16"),
        _case(rng, "float16 in, float16 out", 1, 2, _length(rng), _length(rng, 35, 39), dtype="float16", apart=2),
        _case(rng, "float16, values in the thousands", 1, 2, 7, 43, dtype="float16", alike=True, offset=3000.0),
    ]


def _gpu(rng):
    usual = {"HEAD_DIM": 64, "V_HEAD_DIM": 32, "BLOCK_Q": 32, "BLOCK_K": 16}
    other = {"HEAD_DIM": 16, "V_HEAD_DIM": 64, "BLOCK_Q": 32, "BLOCK_K": 16}
    return [
        _whole(rng),
        _case(rng, "float16, compiled for an A100", 1, 2, 13, 35, "sm_80", "float16", usual, apart=2),
        _case(rng, "float32, compiled for an H100", 1, 2, 11, 43, "sm_90", blocks=other),
    ]


_STRIDES = "ints: from a sequence, a head, a token of {0} to the next. The numbers of a token are neighbours"

EXERCISE = Exercise(
    name="triton-attention",
    title="Attention in blocks",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("q", "pointer to float32 or float16: queries (batch, heads, q_len, HEAD_DIM)"),
        Parameter("k", "pointer to the same dtype: keys (batch, heads, k_len, HEAD_DIM)"),
        Parameter("v", "pointer to the same dtype: values (batch, heads, k_len, V_HEAD_DIM)"),
        Parameter("out", "pointer to the same dtype: (batch, heads, q_len, V_HEAD_DIM), to be filled"),
        Parameter("scale", "float: what every product of a query and a key is multiplied with"),
        Parameter("heads", "int: heads of a sequence"),
        Parameter("q_len", "int: queries of a head"),
        Parameter("k_len", "int: keys of a head, at least 1"),
        Parameter("q_batch, q_head, q_token", _STRIDES.format("q")),
        Parameter("k_batch, k_head, k_token", "ints: the same for k"),
        Parameter("v_batch, v_head, v_token", "ints: the same for v"),
        Parameter("out_batch, out_head, out_token", "ints: the same for out"),
        Parameter("HEAD_DIM, V_HEAD_DIM", "tl.constexpr: numbers in a query or key, in a value; powers of two"),
        Parameter("BLOCK_Q, BLOCK_K", "tl.constexpr: queries of a program, keys in a block; powers of two"),
    ),
    returns=(Output("out", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=Oracle(_attention),
    tolerance={"float32": 2e-5, "float16": 3e-3},
    hints=(
        "First the places. Program (x, y) has the queries from x * BLOCK_Q on, of head y % heads of sequence y // "
        "heads. Move the four pointers to the head, then only the token's stride is left.",
        "query[:, None] * q_token + dim[None, :] is a block of places (BLOCK_Q, HEAD_DIM). If you load the keys as "
        "(HEAD_DIM, BLOCK_K), with the two axes the other way round, tl.dot(queries, keys) needs no transpose.",
        "The state of a row: its largest score, its total, its weighted sum. Start with -inf, 0 and 0, all float32. "
        "Which factor do the last two get when the first one grows?",
        "Which lanes of the last block of keys are none? Their scores must be -inf, after the product.",
        "tl.dot multiplies two blocks of one dtype: powers.to(values.dtype). It adds up in float32 by itself.",
    ),
    aspects=(
        Aspect("values", 3, "fewer and more queries than keys, a single query", _values),
        Aspect("any strides", 2, "gaps, and heads side by side", _any_strides),
        Aspect("half precision", 2, "float16 in and out, sums in float32", _half),
        Aspect("for a GPU", 2, "compiles for two GPUs, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "triton",
        HEAD,
        "one program for each block of queries and each head of each sequence: the grid is (q_len / BLOCK_Q, rounded "
        "up; batch * heads).",
    ),
    runs_in=("notebook",),
)
