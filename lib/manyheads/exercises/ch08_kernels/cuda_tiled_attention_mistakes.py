"""The known mistakes of cuda-tiled-attention."""

from manyheads.exercises.ch08_kernels.cuda_tiled_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_ELEMENT = "Where an element lives"
_GRIDS = "Grids, blocks and threads"
_BARRIERS = "Shared memory and barriers"
_TILES = "Tiles"
_SHARING = "Sharing heads without copies"
_RUNS_OUT = "What a GPU has, and runs out of"

_KV_HEAD = "head / (heads / kv_heads)"
_SEEN = "causal ? query + k_len - q_len + 1 : k_len"
_TILE_IS_THERE = "    __syncthreads();  // the tile is there\n"
_TILE_IS_FREE = "    __syncthreads();  // nobody needs the tile any more\n"
_TILES_LOOP = "  for (int first = 0; first < k_len; first += BLOCK_K) {\n"
_LOAD = "for (int i = threadIdx.x; i < count *"
_KEYS_LOOP = "j < count && first + j < seen"
_NO_QUERY = "  if (query >= q_len) seen = 0;  // no query, but this thread helps to load, and waits at the barriers\n"

_SCORES = """    for (int j = 0; j < count; ++j) {
      scores[j] = 0;
      for (int d = 0; d < HEAD_DIM; ++d) scores[j] += mine[d] * keys[j * HEAD_DIM + d];
    }
"""

MISTAKES = (
    Mistake(
        "no-barrier-after-the-load",
        ANSWER.changed((_TILE_IS_THERE, "")),
        "Your threads begin to compute while others still load. A __syncthreads() belongs between writing the tile and "
        "reading it.",
        _BARRIERS,
    ),
    Mistake(
        "no-barrier-before-the-next-tile",
        ANSWER.changed((_TILE_IS_FREE, "")),
        "A thread that is done with a tile loads the next one over it, while others still read. A second "
        "__syncthreads() belongs at the end of the loop over tiles.",
        _BARRIERS,
    ),
    Mistake(
        "threads-without-a-query-leave",
        ANSWER.changed((_NO_QUERY, "  if (query >= q_len) return;\n")),
        "Threads without a query do not come to the barriers, where the others wait for them. They must stay, help to "
        "load, and only not store.",
        _BARRIERS,
    ),
    Mistake(
        "leaves-the-loop-when-all-is-seen",
        ANSWER.changed((_TILES_LOOP, _TILES_LOOP + "    if (first >= seen) break;\n")),
        "A thread leaves the loop over tiles as soon as its own query sees no more keys. The others of its block still "
        "need it at the barriers, and for loading.",
        _BARRIERS,
    ),
    Mistake(
        "leaves-the-loop-behind-its-own-token",
        ANSWER.changed((_TILES_LOOP, _TILES_LOOP + "    if (causal && first > query + k_len - q_len) break;\n")),
        "A thread leaves the loop over tiles as soon as its own query sees no more keys. The others of its block still "
        "need it at the barriers, and for loading.",
        _BARRIERS,
    ),
    Mistake(
        "only-threads-with-a-query-load",
        ANSWER.changed(
            *((f"    {_LOAD} {dim};", f"    if (query < q_len) {_LOAD} {dim};") for dim in ("HEAD_DIM", "V_HEAD_DIM"))
        ),
        "Threads without a query do not load, so their part of every tile stays unwritten. They help to load, like "
        "all others.",
        _BARRIERS,
    ),
    Mistake(
        "sums-not-rescaled",
        ANSWER.changed(("sum[d] = sum[d] * fade + power", "sum[d] = sum[d] + power")),
        "When a larger score comes, your old sums stay as they were. They must be multiplied by "
        "exp(old largest - new largest), as the total is.",
        _TILES,
    ),
    Mistake(
        "total-not-rescaled",
        ANSWER.changed(("total = total * fade + power", "total = total + power")),
        "When a larger score comes, your old total stays as it was. It must be multiplied by "
        "exp(old largest - new largest), as the sums are.",
        _TILES,
    ),
    Mistake(
        "factor-after-the-change",
        ANSWER.changed(("expf(before - largest)", "expf(largest - largest)")),
        "When a larger score comes, total and sums stay as they were: there is no factor, or it is always exp(0), "
        "being computed after the largest was replaced. Keep the old largest first.",
        _TILES,
    ),
    Mistake(
        "factor-upside-down",
        ANSWER.changed(("expf(before - largest)", "(before > -INFINITY ? expf(largest - before) : 0)")),
        "Your factor for the old sums is exp(new - old), which makes them larger. It is exp(old largest - new "
        "largest), at most 1.",
        _TILES,
    ),
    Mistake(
        "last-tile-full",
        ANSWER.changed((_KEYS_LOOP, "j < BLOCK_K && (!causal || first + j < seen)")),
        "In the last tile you go on to BLOCK_K, past the last key, and use what the tile before has left there. Stop "
        "at k_len.",
        _TILES,
    ),
    Mistake(
        "last-tile-of-zeros",
        ANSWER.changed(
            ("i < count * HEAD_DIM", "i < BLOCK_K * HEAD_DIM"),
            (
                "keys[i] = k[(kv_row + first) * HEAD_DIM + i];",
                "keys[i] = i < count * HEAD_DIM ? k[(kv_row + first) * HEAD_DIM + i] : 0;",
            ),
            ("i < count * V_HEAD_DIM", "i < BLOCK_K * V_HEAD_DIM"),
            (
                "values[i] = v[(kv_row + first) * V_HEAD_DIM + i];",
                "values[i] = i < count * V_HEAD_DIM ? v[(kv_row + first) * V_HEAD_DIM + i] : 0;",
            ),
            (_KEYS_LOOP, "j < BLOCK_K && (!causal || first + j < seen)"),
        ),
        "You fill the last tile up with zeros and count them as keys: a score of 0 still has the weight exp(0). Leave "
        "these keys out.",
        _TILES,
        loses=("values", "threads", "memory", "for a GPU"),
    ),
    Mistake(
        "last-tile-left-out",
        ANSWER.changed(("first < k_len; first += BLOCK_K", "first + BLOCK_K <= k_len; first += BLOCK_K")),
        "The last tile is left out where it is not full. The loop goes on as long as first < k_len.",
        _TILES,
    ),
    Mistake(
        "kv-head-by-remainder",
        ANSWER.changed((_KV_HEAD, "head % kv_heads")),
        "Your K/V head is head % kv_heads, which deals them out in turn. The query heads of a group stand together, so "
        "it is head / (heads / kv_heads).",
        _SHARING,
    ),
    Mistake(
        "kv-head-by-number-of-kv-heads",
        ANSWER.changed((_KV_HEAD, "head / kv_heads")),
        "You divide the head by kv_heads. A group has heads / kv_heads query heads, and that is what to divide by.",
        _SHARING,
    ),
    Mistake(
        "first-kv-head-only",
        ANSWER.changed((_KV_HEAD, "0")),
        "Every query head of a sequence reads its first K/V head. It is head / (heads / kv_heads).",
        _SHARING,
    ),
    Mistake(
        "kv-head-of-its-own",
        ANSWER.changed((_KV_HEAD, "head")),
        "You look for one K/V head for each query head. There are only kv_heads, and query head h reads K/V head "
        "h / (heads / kv_heads).",
        _SHARING,
    ),
    Mistake(
        "every-block-the-first-queries",
        ANSWER.changed(("blockIdx.x * BLOCK_Q + threadIdx.x", "threadIdx.x")),
        "Every block has the first BLOCK_Q queries of its head, and the others are never stored. Block x begins at "
        "query x * BLOCK_Q.",
        _GRIDS,
    ),
    Mistake(
        "keys-of-the-first-sequence",
        ANSWER.changed(("batch * kv_heads + ", "")),
        "Every sequence reads the keys and values of the first one. Before its own come batch * kv_heads K/V heads.",
        _ELEMENT,
    ),
    Mistake(
        "values-as-wide-as-keys",
        ANSWER.changed(("v[(kv_row + first) * V_HEAD_DIM + i]", "v[(kv_row + first) * HEAD_DIM + i]")),
        "You go from value to value in steps of HEAD_DIM. A value has V_HEAD_DIM numbers.",
        _ELEMENT,
    ),
    Mistake(
        "rows-of-keys-for-queries",
        ANSWER.changed(("(batch * heads + head) * q_len", "(batch * heads + head) * k_len")),
        "The heads of your queries and results begin k_len rows apart. Queries have q_len rows a head.",
        _ELEMENT,
    ),
    Mistake(
        "causal-from-the-first-key",
        ANSWER.changed((_SEEN, "causal ? min(query + 1, k_len) : k_len")),
        "Your causal mask begins at the first key, key <= query. The queries are the newest tokens: query i sees key j "
        "where j <= i + k_len - q_len.",
        _TILES,
    ),
    Mistake(
        "causal-shift-the-wrong-way",
        ANSWER.changed((_SEEN, "causal ? min(query + q_len - k_len + 1, k_len) : k_len")),
        "Your causal mask is shifted the wrong way. Query i sees key j where j <= i + k_len - q_len.",
        _TILES,
    ),
    Mistake(
        "own-key-left-out",
        ANSWER.changed((_SEEN, "causal ? query + k_len - q_len : k_len")),
        "A query does not see the key of its own token. Key number query + k_len - q_len belongs to it too.",
        _TILES,
    ),
    Mistake(
        "causal-ignored",
        ANSWER.changed((_SEEN, "k_len")),
        "Every query sees all keys, whether causal is 1 or 0.",
        _TILES,
    ),
    Mistake(
        "causal-whatever-is-asked",
        ANSWER.changed((_SEEN, "min(query + k_len - q_len + 1, k_len)")),
        "You use the causal mask also where causal is 0. Then every query sees all keys.",
        _TILES,
    ),
    Mistake(
        "very-low-scores-for-hidden-keys",
        ANSWER.changed(
            (_KEYS_LOOP, "j < count"),
            (
                "      const float before = largest;",
                "      if (first + j >= seen) score = -1e9f;\n      const float before = largest;",
            ),
        ),
        "You give hidden keys a very low score. A query that sees no key then gets the mean of all values, where 0 is "
        "asked for; leave hidden keys out, or give them -INFINITY and look out for NaN.",
        _TILES,
        loses=("values",),
    ),
    Mistake(
        "largest-begins-at-0",
        ANSWER.changed(("largest = -INFINITY, total", "largest = 0, total")),
        "Your largest score begins at 0. Where all scores are far below 0, all exponentials become 0; begin with "
        "-INFINITY.",
        _TILES,
        loses=("values",),
    ),
    Mistake(
        "scale-forgotten",
        ANSWER.changed(("+ d] * scale : 0", "+ d] : 0")),
        "The scores are not multiplied with scale.",
        _TILES,
    ),
    Mistake(
        "scale-twice",
        ANSWER.changed(("fmaxf(before, score)", "fmaxf(before, score *= scale)")),
        "The scores are multiplied with scale twice: on the query and on the product.",
        _TILES,
    ),
    Mistake(
        "not-divided",
        ANSWER.changed(("total > 0 ? sum[d] / total : 0", "sum[d]")),
        "The sums are not divided by the total of the exponentials.",
        _TILES,
    ),
    Mistake(
        "empty-query-not-handled",
        ANSWER.changed(("total > 0 ? sum[d] / total : 0", "sum[d] / total")),
        "A query that sees no key has a total of 0, and 0 / 0 is NaN. Its result is 0.",
        _TILES,
        loses=("values",),
    ),
    Mistake(
        "largest-not-taken-away",
        ANSWER.changed(
            ("      largest = fmaxf(before, score);\n", ""),
            ("fade = expf(before - largest), power = expf(score - largest)", "fade = 1, power = expf(score)"),
            ("const float before = largest;", ""),
            (", largest = -INFINITY, total", ", total"),
        ),
        "You do not take the largest score away before the exponential. expf of a number above 88 is infinite.",
        _TILES,
        loses=("values",),
    ),
    Mistake(
        "stores-past-the-last-query",
        ANSWER.changed(("  if (query < q_len)\n", "")),
        "Threads without a query store too, into the next head's rows and in the end behind the array. Only "
        "query < q_len may store.",
        _GRIDS,
    ),
    Mistake(
        "scores-in-an-array",
        ANSWER.changed(
            ("    __syncthreads();  // the tile is there\n", _TILE_IS_THERE + "    float scores[BLOCK_K];\n" + _SCORES),
            (
                "      float score = 0;\n"
                "      for (int d = 0; d < HEAD_DIM; ++d) score += mine[d] * keys[j * HEAD_DIM + d];\n",
                "      const float score = scores[j];\n",
            ),
        ),
        "Each thread has an array of scores, and reads it at places that are not known when compiling, so it lies in "
        "slow memory. Compute and use one score at a time, or let the loops go on to BLOCK_K.",
        _RUNS_OUT,
        loses=("for a GPU",),
    ),
)
