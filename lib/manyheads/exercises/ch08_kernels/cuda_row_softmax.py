"""cuda-row-softmax: a softmax whose row is shared by the threads of a block."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch08_kernels.cuda_row_softmax_answers import ALTERNATIVES
from manyheads.exercises.ch08_kernels.cuda_row_softmax_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.kernel import KernelForm, Oracle
from manyheads.kernels.launching import Launch, Out

MAX_THREADS = 256


def _softmax(scores):
    return reference.softmax(scores.astype("float64")).astype("float32")


def _case(rng, about, way, rows, length, threads=32, shift=0.0, change=None):
    scores = rng.standard_normal((rows, length)) * 2 + shift
    # The largest of each row lies somewhere else, and one row's is at its end.
    scores[np.arange(rows), rng.integers(0, length, rows)] += 2
    scores[rows - 1, length - 1] = shift + 8
    if change is not None:
        change(scores)
    scores = scores.astype("float32")
    arguments = {"scores": scores, "weights": Out((rows, length)), "length": length}
    launch = Launch("cuda_row_softmax", (rows,), (threads,), arguments, {"MAX_THREADS": MAX_THREADS})
    return Case(about, {"scores": scores}, launch=launch, way=way)


def _length(rng, low=33, high=39):
    return int(rng.integers(low, high + 1))


def _second_row_forbidden(scores):
    scores[1] = -np.inf


def _half_forbidden(scores):
    scores[::2, scores.shape[1] // 2 :] = -np.inf
    scores[1, ::2] = -np.inf
    scores[2, 0] = -np.inf


def _one_allowed(scores):
    scores[:-1, :-1] = -np.inf


def _values(rng):
    return [
        _case(rng, "rows a little longer than the block", "up", 5, _length(rng)),
        _case(rng, "rows much longer than the block", "up", 3, _length(rng, 131, 153)),
        _case(rng, "rows shorter than the block, with large scores", "up", 4, _length(rng, 17, 23), 64, shift=150.0),
        _case(rng, "scores far below 0", "up", 4, _length(rng), shift=-300.0),
        _case(rng, "scores far above 0", "up", 4, _length(rng, 65, 95), 64, shift=200.0),
        _case(rng, "a single score a row", "up", 3, 1),
    ]


def _forbidden(rng):
    return [
        _case(rng, "some scores are -inf", "up", 5, _length(rng), shift=-300.0, change=_half_forbidden),
        _case(rng, "a row of nothing but -inf", "up", 3, _length(rng, 41, 47), 64, change=_second_row_forbidden),
        _case(rng, "one score a row that is not -inf", "up", 4, _length(rng), change=_one_allowed),
    ]


def _threads(rng):
    return [
        _case(rng, "the threads from the last to the first", "down", 4, _length(rng)),
        _case(rng, "the threads in a mixed order", "shuffled", 5, _length(rng, 65, 95), 64),
        _case(rng, "all threads at once", "races", 3, _length(rng)),
        _case(rng, "all threads at once, two warps", "races", 2, _length(rng, 67, 75), 64),
        _case(rng, "all threads at once, more of them than scores", "races", 3, _length(rng, 17, 23), 64),
    ]


def _memory(rng):
    return [
        _case(rng, "rows that are no multiple of the block", "memory", 3, _length(rng)),
        _case(rng, "rows shorter than the block", "memory", 2, _length(rng, 17, 23), 64),
        _case(rng, "the largest block", "memory", 2, _length(rng, 261, 270), MAX_THREADS),
    ]


def _gpu(rng):
    return [
        _case(rng, "compiled for an A100", "sm_80", 3, _length(rng, 131, 153), 128),
        _case(rng, "compiled for an H100", "sm_90", 4, _length(rng, 70, 79)),
    ]


EXERCISE = Exercise(
    name="cuda-row-softmax",
    title="A softmax that a block shares",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("scores", "(rows, length), without gaps; some may be -INFINITY"),
        Parameter("weights", "(rows, length), to be filled, without gaps"),
        Parameter("length", "numbers in a row, at least 1: fewer than the block has threads, as many, or more"),
    ),
    returns=(Output("weights", ("rows", "length")),),
    reference=Oracle(_softmax),
    tolerance={"float32": 2e-6},
    hints=(
        "A thread goes over the row in steps of blockDim.x, beginning with its own number. So any length is covered, "
        "and a thread without a number does not enter the loop.",
        "Let each thread keep the largest of its numbers in a variable of its own, and only then write that one number "
        "into the shared array, at its own place.",
        "In each round the first half of the threads takes in what the second half has. All threads of the block, "
        "those of the second half too, must come to the barrier after each round: it stands behind the if, not in it.",
        "Before the shared array is used for the totals, has every thread read the largest? The thread that is ahead "
        "would write over it.",
    ),
    aspects=(
        Aspect("values", 3, "rows shorter and longer than the block; scores far from 0", _values),
        Aspect("forbidden", 2, "scores of -INFINITY, and rows of nothing else", _forbidden),
        Aspect("threads", 3, "any order of the threads, and all at once", _threads),
        Aspect("memory", 2, "no load or store outside the arrays; nothing read that was not written", _memory),
        Aspect("for a GPU", 2, "compiles for two GPUs without spills, with the right numbers", _gpu),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
    kernel=KernelForm(
        "cuda",
        'extern "C" __global__ void cuda_row_softmax(const float* scores, float* weights, int length)',
        "One block a row: the grid is (rows). A block has 32, 64, 128 or 256 threads, and the macro MAX_THREADS, the "
        "size for shared arrays with a number from each thread, is 256.",
    ),
    runs_in=("notebook",),
)
