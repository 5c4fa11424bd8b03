"""The known mistakes of cuda-head-attention."""

from manyheads.exercises.ch08_kernels.cuda_head_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_ELEMENT = "Where an element lives"
_GRIDS = "Grids, blocks and threads"
_BARRIERS = "Shared memory and barriers"
_BLOCK = "One block for each head"
_RUNS_OUT = "What a GPU has, and runs out of"

_DOT = "dot(mine, keys + key * HEAD_DIM) * scale"
_LARGEST_LOOP = f"for (int key = 0; key <= query; ++key) largest = fmaxf(largest, {_DOT});"
_POWERS_LOOP = "for (int key = 0; key <= query; ++key) {"
_POWER = f"expf({_DOT} - largest)"
_STATE = "    float largest = -INFINITY, total = 0, sum[HEAD_DIM] = {};\n"


def _both_loops(condition):
    """The answer with another condition on the keys."""
    return ANSWER.changed(
        (_LARGEST_LOOP, _LARGEST_LOOP.replace("key <= query", condition)),
        (_POWERS_LOOP, _POWERS_LOOP.replace("key <= query", condition)),
        ("sum[d] / total", "total > 0 ? sum[d] / total : 0"),
    )


MISTAKES = (
    Mistake(
        "no-barrier-after-the-load",
        ANSWER.changed(("  __syncthreads();\n", "")),
        "Your threads begin to compute while others still load. Put a __syncthreads() between writing the shared "
        "arrays and reading them.",
        _BARRIERS,
    ),
    Mistake(
        "threads-without-a-query-leave",
        ANSWER.changed(("  const long long head", "  if (threadIdx.x >= seq) return;\n  const long long head")),
        "Threads that have no query return before the barrier, where the others wait for them. Every thread of a block "
        "must reach it.",
        _BARRIERS,
    ),
    Mistake(
        "barrier-inside-the-loading-loop",
        ANSWER.changed(
            (
                "    values[i] = v[head + i];\n  }\n  __syncthreads();\n",
                "    values[i] = v[head + i];\n    __syncthreads();\n  }\n",
            )
        ),
        "Your barrier stands inside a loop that some threads leave a turn earlier than others. It belongs behind the "
        "loop that loads, where all of them come to it.",
        _BARRIERS,
        loses=("values", "threads", "memory"),
    ),
    Mistake(
        "loads-as-many-as-fit",
        ANSWER.changed(("i < seq * HEAD_DIM", "i < MAX_SEQ * HEAD_DIM")),
        "You load MAX_SEQ tokens, also where there are fewer, and so read on into the next head, and in the end behind "
        "the array. There are seq.",
        _BLOCK,
        loses=("values", "threads", "memory", "for a GPU"),
    ),
    Mistake(
        "heads-as-long-as-fit",
        ANSWER.changed(("(long long)blockIdx.x * seq * HEAD_DIM", "(long long)blockIdx.x * MAX_SEQ * HEAD_DIM")),
        "Your heads begin MAX_SEQ tokens apart. That is the room in shared memory; in an array a head has seq tokens.",
        _ELEMENT,
        loses=("values", "threads", "memory", "for a GPU"),
    ),
    Mistake(
        "heads-one-token-apart",
        ANSWER.changed(("(long long)blockIdx.x * seq * HEAD_DIM", "(long long)blockIdx.x * HEAD_DIM")),
        "Your heads begin HEAD_DIM numbers apart. A head has seq tokens of HEAD_DIM numbers.",
        _ELEMENT,
    ),
    Mistake(
        "keys-and-values-of-the-first-head",
        ANSWER.changed(("k[head + i]", "k[i]"), ("v[head + i]", "v[i]")),
        "Every block loads the keys and values of the first head of the first sequence. Add the place where the "
        "block's own head begins.",
        _GRIDS,
    ),
    Mistake(
        "results-of-all-in-the-first-head",
        ANSWER.changed(("out[head + query", "out[query")),
        "Every block stores into the first head of the first sequence. Add the place where its own head begins.",
        _GRIDS,
    ),
    Mistake(
        "one-query-a-thread",
        ANSWER.changed(
            (
                "for (int query = threadIdx.x; query < seq; query += blockDim.x) {",
                "const int query = threadIdx.x;\n  if (query < seq) {",
            )
        ),
        "Each thread takes one token, and where there are more tokens than threads the rest is left out. Both loading "
        "and the queries go on in steps, of blockDim.x.",
        _GRIDS,
    ),
    Mistake(
        "state-kept-from-the-last-query",
        ANSWER.changed((_STATE, ""), ("  __syncthreads();\n", "  __syncthreads();\n" + _STATE)),
        "The largest, the total and the sums go on from one query of a thread to its next. They must begin anew for "
        "each query.",
        _BLOCK,
    ),
    Mistake(
        "not-causal",
        _both_loops("key < seq"),
        "Every query sees all keys. It may see only those up to its own token: key <= query.",
        _BLOCK,
    ),
    Mistake(
        "own-key-left-out",
        _both_loops("key < query"),
        "A query does not see its own key. It may: the last key is the query's own token.",
        _BLOCK,
    ),
    Mistake(
        "mask-the-wrong-way",
        ANSWER.changed(
            (_LARGEST_LOOP, _LARGEST_LOOP.replace("key = 0; key <= query", "key = query; key < seq")),
            (_POWERS_LOOP, _POWERS_LOOP.replace("key = 0; key <= query", "key = query; key < seq")),
        ),
        "Your queries see the later keys. They may see the earlier ones, and their own.",
        _BLOCK,
    ),
    Mistake(
        "largest-not-taken-away",
        ANSWER.changed((_POWER, _POWER.replace(" - largest", ""))),
        "You do not take the largest score away before the exponential. expf of a number above 88 is infinite.",
        _BLOCK,
        loses=("values",),
    ),
    Mistake(
        "largest-begins-at-0",
        ANSWER.changed(("float largest = -INFINITY, total", "float largest = 0, total")),
        "Your largest score begins at 0. Where all scores are far below 0, all exponentials become 0; begin with "
        "-INFINITY.",
        _BLOCK,
        loses=("values",),
    ),
    Mistake(
        "scale-forgotten",
        ANSWER.changed(
            (_LARGEST_LOOP, _LARGEST_LOOP.replace(" * scale", "")), (_POWER, _POWER.replace(" * scale", ""))
        ),
        "The scores are not multiplied with scale, at least not in the second loop.",
        _BLOCK,
    ),
    Mistake(
        "scale-twice",
        ANSWER.changed(
            (_LARGEST_LOOP, _LARGEST_LOOP.replace(" * scale", " * scale * scale")),
            (_POWER, _POWER.replace(" * scale", " * scale * scale")),
        ),
        "The scores are multiplied with scale twice.",
        _BLOCK,
    ),
    Mistake(
        "not-divided",
        ANSWER.changed(("sum[d] / total", "sum[d]")),
        "The sums are not divided by the total of the exponentials.",
        _BLOCK,
    ),
    Mistake(
        "divided-by-the-number-of-keys",
        ANSWER.changed(("sum[d] / total", "sum[d] / (query + 1)")),
        "You divide by the number of keys. The weights must sum to 1: divide by the total of the exponentials.",
        _BLOCK,
    ),
    Mistake(
        "keys-for-values",
        ANSWER.changed(("power * values[key", "power * keys[key")),
        "You add up the keys by their weights. The weights belong on the values.",
        _BLOCK,
    ),
    Mistake(
        "tile-transposed",
        ANSWER.changed(("power * values[key * HEAD_DIM + d]", "power * values[d * seq + key]")),
        "You load the values as (seq, HEAD_DIM), but read them as (HEAD_DIM, seq). Number d of a key lies at "
        "key * HEAD_DIM + d.",
        _ELEMENT,
    ),
    Mistake(
        "always-the-first-head",
        ANSWER.changed(("q + head + query", "q + query")),
        "Every block reads the queries of the first head of the first sequence. Add the place where the block's own "
        "head begins.",
        _GRIDS,
    ),
    Mistake(
        "sums-longer-than-registers",
        ANSWER.changed(
            (_STATE, _STATE.replace("sum[HEAD_DIM] = {}", "sum[HEAD_DIM] = {}, scores[MAX_SEQ]")),
            (
                _LARGEST_LOOP,
                _LARGEST_LOOP.replace("largest = fmaxf(largest, ", "largest = fmaxf(largest, scores[key] = "),
            ),
            (_POWER, "expf(scores[key] - largest)"),
        ),
        "Each thread has an array of all its scores. Registers have no index, so an array that is read at a changing "
        "place goes to slow memory; compute the scores twice instead.",
        _RUNS_OUT,
        loses=("for a GPU",),
    ),
)
