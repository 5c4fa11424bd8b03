"""cuda-tiled-attention: attention in tiles of queries and of keys, with K/V heads that query heads share."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.cuda_tiled_attention_answers import ALTERNATIVES
from manyheads.exercises.ch08_kernels.cuda_tiled_attention_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

#: One build serves nearly all cases; for a GPU the heads have a usual size.
_SMALL = {"HEAD_DIM": 7, "V_HEAD_DIM": 5, "BLOCK_Q": 32, "BLOCK_K": 12}
_USUAL = {"HEAD_DIM": 64, "V_HEAD_DIM": 48, "BLOCK_Q": 32, "BLOCK_K": 16}


def _attention(q, k, v, causal):
    q, k, v = (x.astype("float64") for x in (q, k, v))
    return np.asarray(reference.attention(q, k, v, causal=bool(causal)), "float32")


def _case(rng, about, way, heads, lengths, causal=1, constants=_SMALL, shift=0.0, probe=False):
    (batch, heads, kv_heads), (q_len, k_len) = heads, lengths
    q = rng.standard_normal((batch, heads, q_len, constants["HEAD_DIM"])).astype("float32")
    k = rng.standard_normal((batch, kv_heads, k_len, constants["HEAD_DIM"])).astype("float32")
    v = rng.standard_normal((batch, kv_heads, k_len, constants["V_HEAD_DIM"])).astype("float32")
    q[..., 1] += abs(shift)  # so all scores of a query move together by about shift * abs(shift) * scale
    k[..., 1] += shift
    arguments = {
        "q": q,
        "k": k,
        "v": v,
        "out": Out((batch, heads, q_len, constants["V_HEAD_DIM"])),
        "q_len": q_len,
        "k_len": k_len,
        "heads": heads,
        "kv_heads": kv_heads,
        "scale": constants["HEAD_DIM"] ** -0.5,
        "causal": causal,
    }
    grid = (-(-q_len // constants["BLOCK_Q"]), heads, batch)
    launch = Launch("cuda_tiled_attention", grid, (constants["BLOCK_Q"],), arguments, constants)
    return Case(about, {"q": q, "k": k, "v": v, "causal": causal}, probe, launch=launch, way=way)


def _between(rng, low, high):
    return int(rng.integers(low, high + 1))


def _whole_block(rng, way, constants=_SMALL):
    """Without a shorter block, and with one length for both, some of what else goes wrong is right."""
    return _case(rng, "one whole block of queries", way, (1, 2, 1), (32, 32), 1, constants, probe=True)


def _values(rng):
    few, some, many = _between(rng, 25, 29), _between(rng, 33, 35), _between(rng, 37, 43)
    return [
        _case(rng, "causal, two query heads for each K/V head", "up", (2, 6, 3), (some, some)),
        _case(rng, "causal, with older keys", "up", (3, 6, 2), (some, many)),
        _case(rng, "causal, with more queries than keys", "up", (3, 8, 2), (some, few)),
        _case(rng, "all keys seen, a shorter last tile", "up", (3, 6, 2), (some, many), 0),
        _case(rng, "all keys seen, fewer keys than a tile has", "up", (2, 4, 1), (9, 8), 0),
        _case(rng, "whole tiles", "up", (2, 3, 3), (32, 24)),
        _case(rng, "large scores", "up", (2, 4, 2), (some, many), shift=18.0),
        _case(rng, "scores far below 0", "up", (3, 4, 1), (some, many), shift=-18.0),
    ]


def _threads(rng):
    some, many = _between(rng, 33, 35), _between(rng, 37, 43)
    return [
        _case(rng, "the threads from the last to the first", "down", (2, 6, 3), (some, many)),
        _case(rng, "the threads in a mixed order", "shuffled", (3, 4, 2), (some, many), 0),
        _case(rng, "all threads at once", "races", (1, 4, 2), (some, many)),
        _case(rng, "all threads at once, all keys seen", "races", (2, 3, 1), (9, many), 0),
        _whole_block(rng, "down"),
    ]


def _memory(rng):
    few, some, many = _between(rng, 25, 29), _between(rng, 33, 35), _between(rng, 37, 43)
    return [
        _case(rng, "a shorter last block and tile", "memory", (2, 6, 3), (some, many)),
        _case(rng, "all keys seen, a shorter last tile", "memory", (3, 4, 2), (some, few), 0),
        _case(rng, "fewer queries than threads, fewer keys than a tile has", "memory", (2, 3, 1), (9, 11)),
        _whole_block(rng, "memory"),
    ]


def _gpu(rng):
    some, many = _between(rng, 33, 35), _between(rng, 37, 43)
    return [
        _case(rng, "compiled for an A100", "sm_80", (3, 4, 2), (some, many), 1, _USUAL),
        _case(rng, "compiled for an H100", "sm_90", (2, 6, 3), (many, some), 0, _USUAL),
        _whole_block(rng, "sm_80", _USUAL),
    ]


EXERCISE = Exercise(
    name="cuda-tiled-attention",
    title="Attention in tiles",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("q", "(batch, heads, q_len, HEAD_DIM), without gaps"),
        Parameter("k", "(batch, kv_heads, k_len, HEAD_DIM), without gaps"),
        Parameter("v", "(batch, kv_heads, k_len, V_HEAD_DIM), without gaps"),
        Parameter("out", "(batch, heads, q_len, V_HEAD_DIM), to be filled, without gaps"),
        Parameter("q_len", "queries, at least 1"),
        Parameter("k_len", "keys, and as many values, at least 1"),
        Parameter("heads", "query heads"),
        Parameter("kv_heads", "K/V heads; divides heads"),
        Parameter("scale", "what every product of a query and a key is multiplied with"),
        Parameter("causal", "1, or 0 when every query sees every key"),
    ),
    returns=(Output("out", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=Oracle(_attention),
    tolerance={"float32": 6e-5},
    hints=(
        "Begin with what a thread is: which query, which head, which K/V head. Then two numbers of rows: that of its "
        "query in q and out, and that of the K/V head's first key in k and v.",
        "How many keys does this query see? One number says it for both values of causal. For a thread without a query "
        "let it be 0: it sees nothing, but loads and waits like the others.",
        "A tile is loaded by all threads together, as in part 3; the last one has fewer rows. One barrier stands "
        "behind the loading. Why does a second one stand behind the use of the tile?",
        "For each key: its score, the new largest, the factor exp(old largest - new largest) for the old total and the "
        "old sums. Save the old largest before you change it.",
        "No thread may leave the loop over tiles early, and none may return before it: the barriers are in there.",
    ),
    aspects=(
        Aspect("values", 3, "older keys, more queries than keys, shorter last tiles, shared K/V heads", _values),
        Aspect("threads", 3, "any order of the threads, and all at once", _threads),
        Aspect("memory", 2, "no load or store outside the arrays; nothing read that was not written", _memory),
        Aspect("for a GPU", 2, "compiles for two GPUs without spills, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "cuda",
        'extern "C" __global__ void cuda_tiled_attention(const float* q, const float* k, const float* v, float* out,\n'
        "                                                int q_len, int k_len, int heads, int kv_heads, float scale,\n"
        "                                                int causal)",
        "One block for each block of queries, head and sequence: the grid is (blocks of queries, heads, batch). A "
        "block has BLOCK_Q threads: thread t of block x has query x * BLOCK_Q + t, if there is one. The macros "
        "HEAD_DIM, V_HEAD_DIM, BLOCK_Q and BLOCK_K are whole numbers.",
    ),
    runs_in=("notebook",),
)
