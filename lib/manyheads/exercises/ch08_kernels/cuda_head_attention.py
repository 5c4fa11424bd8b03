"""cuda-head-attention: one block for each head, whose threads share its keys and values."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.cuda_head_attention_answers import ALTERNATIVES
from manyheads.exercises.ch08_kernels.cuda_head_attention_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

#: One build serves nearly all cases; for a GPU the head has a usual size.
_SMALL = {"MAX_SEQ": 40, "HEAD_DIM": 6}
_USUAL = {"MAX_SEQ": 80, "HEAD_DIM": 64}


def _attention(q, k, v):
    q, k, v = (x.astype("float64") for x in (q, k, v))
    return np.asarray(reference.attention(q, k, v, causal=True), "float32")


def _case(rng, about, way, sizes, threads=32, constants=_SMALL, shift=0.0):
    batch, heads, seq = sizes
    q, k, v = rng.standard_normal((3, batch, heads, seq, constants["HEAD_DIM"])).astype("float32")
    scale = constants["HEAD_DIM"] ** -0.5
    q[..., 1] += abs(shift)  # so all scores of a query move together by about shift * abs(shift) * scale
    k[..., 1] += shift
    arguments = {"q": q, "k": k, "v": v, "out": Out(q.shape), "seq": seq, "scale": scale}
    launch = Launch("cuda_head_attention", (batch * heads,), (threads,), arguments, constants)
    return Case(about, {"q": q, "k": k, "v": v}, launch=launch, way=way)


def _seq(rng, low=33, high=39):
    return int(rng.integers(low, high + 1))


def _values(rng):
    return [
        _case(rng, "more tokens than threads", "up", (2, 3, _seq(rng))),
        _case(rng, "fewer tokens than threads", "up", (3, 4, _seq(rng, 17, 23))),
        _case(rng, "as many tokens as fit", "up", (3, 2, _SMALL["MAX_SEQ"])),
        _case(rng, "more tokens than threads, twice over", "up", (2, 3, _seq(rng)), 16),
        _case(rng, "large scores", "up", (2, 5, _seq(rng)), shift=18.0),
        _case(rng, "scores far below 0", "up", (2, 5, _seq(rng)), shift=-18.0),
        _case(rng, "one token", "up", (2, 3, 1)),
    ]


def _threads(rng):
    return [
        _case(rng, "the threads from the last to the first", "down", (2, 3, _seq(rng))),
        _case(rng, "the threads in a mixed order", "shuffled", (3, 2, _seq(rng, 17, 23))),
        _case(rng, "all threads at once", "races", (2, 3, _seq(rng))),
        _case(rng, "all threads at once, more of them than tokens", "races", (3, 2, _seq(rng, 17, 23)), 64),
    ]


def _memory(rng):
    return [
        _case(rng, "more tokens than threads", "memory", (2, 3, _seq(rng))),
        _case(rng, "fewer tokens than threads", "memory", (3, 2, _seq(rng, 17, 23))),
        _case(rng, "as many tokens as fit", "memory", (2, 3, _SMALL["MAX_SEQ"]), 16),
    ]


def _gpu(rng):
    return [
        _case(rng, "compiled for an A100", "sm_80", (2, 3, _seq(rng)), 32, _USUAL),
        _case(rng, "compiled for an H100", "sm_90", (3, 2, _seq(rng, 17, 23)), 32, _USUAL),
    ]


EXERCISE = Exercise(
    name="cuda-head-attention",
    title="One block for each head",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("q", "(batch, heads, seq, HEAD_DIM), without gaps"),
        Parameter("k", "like q"),
        Parameter("v", "like q"),
        Parameter("out", "like q, to be filled"),
        Parameter("seq", "tokens, from 1 to MAX_SEQ"),
        Parameter("scale", "what every product of a query and a key is multiplied with"),
    ),
    returns=(Output("out", ("batch", "heads", "seq", "head_dim")),),
    reference=Oracle(_attention),
    tolerance={"float32": 6e-5},
    hints=(
        "Where does this block's head begin? Each head has seq * HEAD_DIM numbers, one behind the other, and "
        "blockIdx.x heads come before it. The same place holds for q, k, v and out.",
        "The numbers of a head lie in a row, and so may those of the shared array: thread t copies number t, then "
        "number t + blockDim.x, and so on. Then all threads wait.",
        "After the barrier each thread has its own queries: query t, query t + blockDim.x, and so on. What belongs to "
        "one query (largest, total, sums) has to begin anew with each of them.",
        "The largest score first, in a loop over the keys up to the query itself. Then a second loop over the same "
        "keys, which computes each score again.",
    ),
    aspects=(
        Aspect("values", 3, "fewer tokens than threads, and more; large scores", _values),
        Aspect("threads", 3, "any order of the threads, and all at once", _threads),
        Aspect("memory", 2, "no load or store outside the arrays; nothing read that was not written", _memory),
        Aspect("for a GPU", 2, "compiles for two GPUs without spills, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "cuda",
        'extern "C" __global__ void cuda_head_attention(const float* q, const float* k, const float* v, float* out,\n'
        "                                               int seq, float scale)",
        "One block for each head of each sequence: the grid is (batch * heads), and block x has head x % heads of "
        "sequence x / heads. A block has 16, 32 or 64 threads. The macros MAX_SEQ and HEAD_DIM are whole numbers.",
    ),
    runs_in=("notebook",),
)
