"""cuda-head-split: a CUDA kernel that reads the heads where they lie, in a packed projection."""

import numpy as np

from manyheads.exercises.ch08_kernels.cuda_head_split_answers import ALTERNATIVES
from manyheads.exercises.ch08_kernels.cuda_head_split_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out


def _scores(qkv, q_len, heads, kv_heads):
    """Every query's scores with every key, in float64, from `qkv` (batch, seq, (heads + 2 kv_heads) head_dim)."""
    batch, seq, width = qkv.shape
    head_dim = width // (heads + 2 * kv_heads)
    tokens = qkv.astype("float64").reshape(batch, seq, -1, head_dim).transpose(0, 2, 1, 3)
    queries, keys = tokens[:, :heads, seq - q_len :], tokens[:, heads : heads + kv_heads]
    keys = np.repeat(keys, heads // kv_heads, axis=1)
    return (queries @ keys.swapaxes(2, 3) * head_dim**-0.5).astype("float32")


def _case(rng, about, way, sizes, threads=32, gaps=(0, 0), probe=False):
    """`gaps`: tokens after each sequence, and numbers after each token, that belong to something else."""
    batch, seq, q_len, heads, kv_heads, head_dim = sizes
    width = (heads + 2 * kv_heads) * head_dim
    buffer = rng.standard_normal((batch, seq + gaps[0], width + gaps[1])).astype("float32")
    arguments = {
        "qkv": buffer,
        "scores": Out((batch, heads, q_len, seq)),
        "seq": seq,
        "q_len": q_len,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "batch_stride": buffer[0].size,
        "token_stride": buffer.shape[2],
        "scale": head_dim**-0.5,
    }
    grid = (-(-seq // threads), q_len, batch * heads)
    inputs = {"qkv": buffer[:, :seq, :width], "q_len": q_len, "heads": heads, "kv_heads": kv_heads}
    return Case(about, inputs, probe, launch=Launch("cuda_head_split", grid, (threads,), arguments), way=way)


def _seq(rng, low=33, high=39):
    """A length that is no multiple of 32 threads."""
    return int(rng.integers(low, high + 1))


def _probes(rng, way):
    """With no queries missing, or no thread too many, some of what else leaves the array is right."""
    return [
        _case(rng, "as many queries as tokens", way, (2, 5, 5, 4, 2, 3), 8, probe=True),
        _case(rng, "as many tokens as threads", way, (2, 8, 3, 4, 2, 5), 8, probe=True),
    ]


def _values(rng):
    return [
        *_probes(rng, "up"),
        _case(rng, "three query heads for each K/V head", "up", (3, _seq(rng), 4, 6, 2, 5)),
        _case(rng, "two query heads for each K/V head", "up", (4, _seq(rng), 3, 6, 3, 7)),
        _case(rng, "as many K/V heads as query heads", "up", (2, _seq(rng), 5, 3, 3, 8)),
        _case(rng, "one K/V head for all", "up", (2, _seq(rng, 17, 23), 7, 4, 1, 9)),
        _case(rng, "fewer tokens than threads", "up", (4, _seq(rng, 5, 7), 3, 8, 2, 9)),
    ]


def _strides(rng):
    return [
        *_probes(rng, "up"),
        _case(rng, "other numbers behind each token", "up", (2, _seq(rng), 3, 8, 2, 5), gaps=(0, 11)),
        _case(rng, "other tokens behind each sequence", "up", (3, _seq(rng), 5, 4, 2, 7), gaps=(9, 0)),
        _case(rng, "both, with a block of 8 threads", "up", (3, _seq(rng, 17, 23), 4, 6, 2, 11), 8, gaps=(5, 13)),
    ]


def _memory(rng):
    return [
        *_probes(rng, "memory"),
        _case(rng, "a last block with few keys", "memory", (3, _seq(rng), 4, 6, 2, 5)),
        _case(rng, "fewer tokens than threads", "memory", (2, _seq(rng, 5, 7), 3, 8, 4, 9)),
        _case(rng, "the threads from the last to the first", "down", (2, _seq(rng), 3, 4, 2, 6)),
        _case(rng, "the threads in a mixed order", "shuffled", (2, _seq(rng, 17, 23), 5, 6, 3, 4)),
        _case(rng, "a block of 64 threads", "races", (2, _seq(rng), 3, 6, 2, 5), 64),
    ]


def _gpu(rng):
    return [
        *_probes(rng, "sm_80"),
        _case(rng, "compiled for an A100", "sm_80", (2, _seq(rng), 3, 6, 2, 64)),
        _case(rng, "compiled for an H100", "sm_90", (3, _seq(rng), 2, 6, 3, 80)),
    ]


EXERCISE = Exercise(
    name="cuda-head-split",
    title="Heads that are never split",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("qkv", "the packed projection; where its numbers lie is said above"),
        Parameter("scores", "(batch, heads, q_len, seq), to be filled, without gaps"),
        Parameter("seq", "tokens of a sequence, and so keys"),
        Parameter("q_len", "queries, the newest tokens of a sequence"),
        Parameter("heads", "query heads"),
        Parameter("kv_heads", "heads of keys, and of values; divides heads"),
        Parameter("head_dim", "numbers in one query or key"),
        Parameter("batch_stride", "floats from a sequence's first number to that of the next"),
        Parameter("token_stride", "floats from a token's first number to that of the next"),
        Parameter("scale", "what every product is multiplied with"),
    ),
    returns=(Output("scores", ("batch", "heads", "q_len", "seq")),),
    reference=Oracle(_scores),
    tolerance={"float32": 2e-6},
    hints=(
        "First find out what one thread has to do: which key, which query, which head, which sequence? The key comes "
        "from blockIdx.x, blockDim.x and threadIdx.x; blockIdx.z holds two numbers in one.",
        "Then two pointers: to the first number of the query, and to that of the key. Each is qkv plus the sequence "
        "times its stride, plus the token times its stride, plus the head's place inside a token.",
        "Inside a token the query heads come first. So key head 0 begins behind heads times head_dim numbers.",
        "The last block has more threads than there are keys left. Those with nothing to do must not store.",
    ),
    aspects=(
        Aspect("values", 3, "packed without gaps, several ways to share K/V heads", _values),
        Aspect("strides", 2, "qkv is part of a larger buffer", _strides),
        Aspect("memory", 2, "no load or store outside the arrays, in any order of the threads", _memory),
        Aspect("for a GPU", 2, "compiles for two GPUs without spills, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "cuda",
        'extern "C" __global__ void cuda_head_split(const float* qkv, float* scores, int seq, int q_len, int heads,\n'
        "                                           int kv_heads, int head_dim, int batch_stride, int token_stride,\n"
        "                                           float scale)",
        "The grid is (blocks of keys, q_len, batch * heads), and each thread has one key: thread t of block (x, y, z) "
        "has key x * blockDim.x + t, if there is one, query y, and of sequence z / heads the head z % heads. A block "
        "has 8, 32 or 64 threads.",
    ),
    runs_in=("notebook",),
)
