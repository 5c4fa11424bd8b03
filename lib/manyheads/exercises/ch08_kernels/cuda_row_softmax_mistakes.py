"""The known mistakes of cuda-row-softmax."""

from manyheads.exercises.ch08_kernels.cuda_row_softmax_answers import ANSWER
from manyheads.exercises.definition import Mistake

_GRIDS = "Grids, blocks and threads"
_BARRIERS = "Shared memory and barriers"
_SOFTMAX = "A softmax that a block shares"

_MAX_ROUND = (
    "    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);\n    __syncthreads();  // this round is done\n"
)
_MAX_IF = "    if (t < half) shared[t] = fmaxf"
_SUM_IF = "    if (t < half) shared[t] +="
_SUM_ROUND = "    if (t < half) shared[t] += shared[t + half];\n    __syncthreads();\n"
_SUM_LOOP = "for (int j = t; j < length; j += blockDim.x) total += expf(row[j] - largest);"
_WEIGHT = "largest > -INFINITY ? expf(row[j] - largest) / total : 0"
_STEPS = "int j = t; j < length; j += blockDim.x"
_RUN = "int j = t * (length / blockDim.x); j < (t + 1) * (length / blockDim.x); ++j"
_LOOPS = (f"for ({_STEPS}) largest", f"for ({_STEPS}) total", f"for ({_STEPS})\n")

MISTAKES = (
    Mistake(
        "no-barrier-before-the-first-round",
        ANSWER.changed(
            ("  __syncthreads();  // everybody has written\n", ""),
            ("  shared[t] = total;\n  __syncthreads();\n", "  shared[t] = total;\n"),
        ),
        "The first round reads what other threads may not have written yet. Put a __syncthreads() between writing and "
        "reading.",
        _BARRIERS,
    ),
    Mistake(
        "no-barriers-in-the-last-rounds",
        ANSWER.changed((_SUM_ROUND, _SUM_ROUND.replace("    __sync", "    if (half > 16) __sync"))),
        "Your last rounds, in which only the first 32 threads work, have no barrier. These threads do not march in "
        "step by themselves: every round needs its __syncthreads().",
        _BARRIERS,
    ),
    Mistake(
        "no-barrier-after-a-round",
        ANSWER.changed(
            (_MAX_ROUND, _MAX_ROUND.splitlines(keepends=True)[0]), (_SUM_ROUND, _SUM_ROUND.splitlines(keepends=True)[0])
        ),
        "A round may begin before the one before it is done. Put a __syncthreads() at the end of every round, outside "
        "the if.",
        _BARRIERS,
    ),
    Mistake(
        "no-barrier-before-the-array-is-used-again",
        ANSWER.changed(
            ("  __syncthreads();  // everybody has read the largest: now the array may be used again\n", "")
        ),
        "A thread that is ahead writes its total over the largest score, before others have read that. One more "
        "__syncthreads() after reading it, or a second array, helps.",
        _BARRIERS,
    ),
    Mistake(
        "barrier-inside-the-if",
        ANSWER.changed(
            (_SUM_ROUND, "    if (t < half) {\n      shared[t] += shared[t + half];\n      __syncthreads();\n    }\n")
        ),
        "Only the threads inside your if come to the __syncthreads(), and wait for the others for ever. Every thread "
        "of the block must reach the same barriers.",
        _BARRIERS,
    ),
    Mistake(
        "threads-without-a-score-leave",
        ANSWER.changed(
            ("  float largest = -INFINITY;\n", "  if (t >= length) return;\n  float largest = -INFINITY;\n"),
        ),
        "Threads that have no score return at the start, and are then missing at the barriers and in the rounds. Let "
        "them take part with -INFINITY and 0.",
        _BARRIERS,
        loses=("values", "forbidden", "threads", "memory"),
    ),
    Mistake(
        "all-threads-take-part-in-a-round",
        ANSWER.changed(
            ("if (t < half) shared[t] += shared[t + half];", "shared[t] += shared[(t + half) % blockDim.x];")
        ),
        "In your rounds all threads write, also where others read at the same time. Only the first half may write: "
        "if (t < half).",
        _BARRIERS,
        loses=("threads",),
    ),
    Mistake(
        "idle-threads-write-nothing",
        ANSWER.changed(
            ("shared[t] = largest;", "if (t < length) shared[t] = largest;"),
            ("shared[t] = total;", "if (t < length) shared[t] = total;"),
        ),
        "A thread without a score leaves its place in the shared array unwritten, and the rounds read it. It must "
        "write -INFINITY for the largest, and 0 for the sum.",
        _SOFTMAX,
        loses=("values", "forbidden", "threads", "memory"),
    ),
    Mistake(
        "each-thread-a-run",
        ANSWER.changed(*((loop, loop.replace(_STEPS, _RUN)) for loop in _LOOPS)),
        "Each thread takes length / blockDim.x scores, which rounds down, so the rest of the row is left out. Take "
        "every blockDim.x-th score, as far as there are any.",
        _GRIDS,
    ),
    Mistake(
        "only-the-first-scores",
        ANSWER.changed((_SUM_LOOP, "if (t < length) total = expf(row[t] - largest);")),
        "Your total has one score of each thread, the first blockDim.x of a row. Let each thread go on in steps of "
        "blockDim.x.",
        _GRIDS,
        loses=("values", "forbidden", "threads", "memory", "for a GPU"),
    ),
    Mistake(
        "largest-of-the-first-scores",
        ANSWER.changed(
            ("for (int j = t; j < length; j += blockDim.x) largest = fmaxf(", "if (t < length) largest = fmaxf("),
            ("fmaxf(largest, row[j])", "fmaxf(largest, row[t])"),
        ),
        "Your largest score is that of the first blockDim.x of a row. Where these are all -INFINITY, or far below a "
        "later one, the weights go wrong.",
        _GRIDS,
        loses=("forbidden",),
    ),
    Mistake(
        "last-scores-not-stored",
        ANSWER.changed(
            (
                "  for (int j = t; j < length; j += blockDim.x)\n    weights",
                "  const int j = t;\n  if (j < length)\n    weights",
            )
        ),
        "You store one weight for each thread. Where a row is longer than the block, the rest is never written.",
        _GRIDS,
    ),
    Mistake(
        "one-warp-only",
        ANSWER.changed(
            (
                "blockDim.x / 2; half > 0; half /= 2) {\n    if (t < half) shared[t] +=",
                "16; half > 0; half /= 2) {\n    if (t < half) shared[t] +=",
            )
        ),
        "Your rounds for the total begin with 16, as for a block of 32 threads. They begin with half of blockDim.x.",
        _SOFTMAX,
    ),
    Mistake(
        "rounds-begin-too-far",
        ANSWER.changed(
            (
                "blockDim.x / 2; half > 0; half /= 2) {\n" + _MAX_IF,
                "MAX_THREADS / 2; half > 0; half /= 2) {\n" + _MAX_IF,
            ),
            (
                "blockDim.x / 2; half > 0; half /= 2) {\n" + _SUM_IF,
                "MAX_THREADS / 2; half > 0; half /= 2) {\n" + _SUM_IF,
            ),
        ),
        "Your rounds begin too far, and read places that no thread has written. They begin with blockDim.x / 2, not "
        "with blockDim.x or half of MAX_THREADS.",
        _SOFTMAX,
        loses=("values", "forbidden", "threads", "memory", "for a GPU"),
    ),
    Mistake(
        "last-round-forgotten",
        ANSWER.changed(
            (
                "half > 0; half /= 2) {\n    if (t < half) shared[t] +=",
                "half > 1; half /= 2) {\n    if (t < half) shared[t] +=",
            )
        ),
        "The round with half = 1 is missing, so your total lacks what the odd places have gathered.",
        _SOFTMAX,
    ),
    Mistake(
        "largest-begins-at-0",
        ANSWER.changed(("float largest = -INFINITY;", "float largest = 0;")),
        "Your largest score begins at 0. Where all scores are far below 0, all exponentials become 0; begin with "
        "-INFINITY.",
        _SOFTMAX,
        loses=("values", "forbidden"),
    ),
    Mistake(
        "largest-not-taken-away",
        ANSWER.changed((_SUM_LOOP, _SUM_LOOP.replace(" - largest", "")), (_WEIGHT, _WEIGHT.replace(" - largest", ""))),
        "You do not take the largest score away. expf of a number above 88 is infinite, and of one below -104 it is 0.",
        _SOFTMAX,
        loses=("values", "forbidden"),
    ),
    Mistake(
        "largest-of-each-thread",
        ANSWER.changed(("  largest = shared[0];\n", "")),
        "Each thread takes away the largest of its own scores, not that of the row. After the rounds that of the row "
        "is in shared[0].",
        _SOFTMAX,
    ),
    Mistake(
        "total-of-each-thread",
        ANSWER.changed(("  total = shared[0];\n", "")),
        "Each thread divides by the total of its own scores. After the rounds that of the row is in shared[0].",
        _SOFTMAX,
    ),
    Mistake(
        "not-divided",
        ANSWER.changed((_WEIGHT, _WEIGHT.replace(" / total", ""))),
        "You store the exponentials, not divided by their total.",
        _SOFTMAX,
    ),
    Mistake(
        "divided-by-the-length",
        ANSWER.changed((_WEIGHT, _WEIGHT.replace(" / total", " / length"))),
        "You divide by the length. The weights of a row must sum to 1: divide by the total of the exponentials.",
        _SOFTMAX,
    ),
    Mistake(
        "empty-row-not-handled",
        ANSWER.changed((_WEIGHT, "expf(row[j] - largest) / total")),
        "For a row of nothing but -INFINITY you compute -INFINITY minus -INFINITY, which is NaN. Such a row gives 0.",
        _SOFTMAX,
        loses=("forbidden",),
    ),
    Mistake(
        "empty-row-even",
        ANSWER.changed((_WEIGHT, "largest > -INFINITY ? expf(row[j] - largest) / total : 1.0f / length")),
        "A row of nothing but -INFINITY gets equal weights from you. No key may be used there, so it gives 0.",
        _SOFTMAX,
        loses=("forbidden",),
    ),
    Mistake(
        "row-by-the-block-size",
        ANSWER.changed(("(long long)blockIdx.x * length;", "(long long)blockIdx.x * blockDim.x;")),
        "Your rows begin blockDim.x numbers apart. They are length numbers long.",
        _GRIDS,
    ),
)
