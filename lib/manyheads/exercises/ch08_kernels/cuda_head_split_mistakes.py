"""The known mistakes of cuda-head-split."""

from manyheads.exercises.ch08_kernels.cuda_head_split_answers import ANSWER
from manyheads.exercises.definition import Mistake

_ELEMENT = "Where an element lives"
_GRIDS = "Grids, blocks and threads"
_SHARING = "Sharing heads without copies"

MISTAKES = (
    Mistake(
        "kv-head-by-remainder",
        ANSWER.changed(("head / (heads / kv_heads)", "head % kv_heads")),
        "Your K/V head is head % kv_heads, which deals them out in turn. The query heads of a group stand together, so "
        "it is head / (heads / kv_heads).",
        _SHARING,
        loses=("values", "strides", "memory", "for a GPU"),
    ),
    Mistake(
        "kv-head-by-number-of-kv-heads",
        ANSWER.changed(("head / (heads / kv_heads)", "head / kv_heads")),
        "You divide the head by kv_heads. A group has heads / kv_heads query heads, and that is what to divide by.",
        _SHARING,
    ),
    Mistake(
        "key-of-its-own-for-each-head",
        ANSWER.changed(("(heads + kv_head)", "(heads + head)")),
        "You look for one key head for each query head. There are only kv_heads of them, and behind them the values "
        "begin.",
        _SHARING,
    ),
    Mistake(
        "values-for-keys",
        ANSWER.changed(("(heads + kv_head)", "(heads + kv_heads + kv_head)")),
        "You multiply the queries with the values. The keys come directly behind the query heads.",
        _ELEMENT,
    ),
    Mistake(
        "queries-for-keys",
        ANSWER.changed(("(heads + kv_head)", "kv_head")),
        "You multiply queries with queries. In a token the keys come behind all query heads, heads * head_dim numbers "
        "from its start.",
        _ELEMENT,
    ),
    Mistake(
        "query-key-value-by-head",
        ANSWER.changed(
            ("+ head * head_dim;", "+ (head + 2 * kv_head) * head_dim;"),
            ("(heads + kv_head) * head_dim", "(kv_head * (heads / kv_heads + 2) + heads / kv_heads) * head_dim"),
        ),
        "You read as if each group had its queries, its key and its value together. Here all query heads come first, "
        "then all keys, then all values.",
        _ELEMENT,
    ),
    Mistake(
        "heads-innermost",
        ANSWER.changed(("+ head * head_dim;", "+ head;"), ("q[d] *", "q[d * heads] *")),
        "You read the queries as (head_dim, heads). The numbers of one head lie side by side: head * head_dim + d.",
        _ELEMENT,
    ),
    Mistake(
        "oldest-queries",
        ANSWER.changed(("(seq - q_len + query)", "query")),
        "Your queries are the oldest tokens of the sequence. They are the newest: query 0 is token seq - q_len.",
        _ELEMENT,
    ),
    Mistake(
        "tokens-without-gaps",
        ANSWER.changed(
            ("(seq - q_len + query) * token_stride", "(seq - q_len + query) * (heads + 2 * kv_heads) * head_dim"),
            ("key * token_stride", "key * (heads + 2 * kv_heads) * head_dim"),
        ),
        "You work out the step from token to token from the heads. It is token_stride, which is larger where other "
        "numbers lie behind each token.",
        _ELEMENT,
        loses=("strides",),
    ),
    Mistake(
        "sequences-without-gaps",
        ANSWER.changed(("batch * batch_stride", "batch * seq * token_stride")),
        "You work out the step from sequence to sequence from seq. It is batch_stride, which is larger where other "
        "tokens lie behind each sequence.",
        _ELEMENT,
        loses=("strides",),
    ),
    Mistake(
        "scale-forgotten",
        ANSWER.changed(("product * scale", "product")),
        "The products are right, but not multiplied with scale.",
        _ELEMENT,
    ),
    Mistake(
        "scale-twice",
        ANSWER.changed(("product * scale", "product * scale * scale")),
        "Your scores are multiplied with scale twice. Once is enough: on the query, the key or the product.",
        _ELEMENT,
    ),
    Mistake(
        "divided-by-scale",
        ANSWER.changed(("product * scale", "product / scale")),
        "Your scores are divided by scale. They are multiplied with it: it is the factor 1 / sqrt(head_dim) already.",
        _ELEMENT,
    ),
    Mistake(
        "only-the-last-product",
        ANSWER.changed(("product += q[d]", "product = q[d]")),
        "Each product of two numbers replaces the one before it. Add them up with +=.",
        _ELEMENT,
    ),
    Mistake(
        "scores-transposed",
        ANSWER.changed(("* q_len + query) * seq + key]", "* seq + key) * q_len + query]")),
        "You store the scores as (seq, q_len). The keys of one query lie side by side: "
        "(… * q_len + query) * seq + key.",
        _ELEMENT,
    ),
    Mistake(
        "scores-by-tokens-of-queries",
        ANSWER.changed(("(long long)blockIdx.z * q_len + query", "(long long)blockIdx.z * seq + seq - q_len + query")),
        "You store the scores as if there were seq queries. There are q_len, so the rows of a head are q_len * seq "
        "numbers.",
        _ELEMENT,
    ),
    Mistake(
        "kv-head-without-head-dim",
        ANSWER.changed(("(heads + kv_head) * head_dim", "heads * head_dim + kv_head")),
        "Your key heads begin one number apart. Each has head_dim numbers, so both are multiplied with it: "
        "(heads + kv_head) * head_dim.",
        _ELEMENT,
    ),
    Mistake(
        "later-keys-left-out",
        ANSWER.changed(("key >= seq", "key >= seq || key > seq - q_len + query")),
        "The scores with keys behind the query's own token are never written. There is no mask here: every query gets "
        "a score with every key.",
        _ELEMENT,
    ),
    Mistake(
        "first-sequence-for-all",
        ANSWER.changed((" + (long long)batch * batch_stride", "")),
        "Every sequence reads the first one's tokens. Add the sequence's number times batch_stride.",
        _ELEMENT,
    ),
    Mistake(
        "no-check-of-the-key",
        ANSWER.changed(("  if (key >= seq) return;\n", "")),
        "Threads beyond the last key store too, into the next query's row and in the end behind the array. Those "
        "with key >= seq must return before they store.",
        _GRIDS,
    ),
    Mistake(
        "every-block-the-same-keys",
        ANSWER.changed(("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x")),
        "Every block computes the same keys, and the others are never stored. A block begins at key "
        "blockIdx.x * blockDim.x.",
        _GRIDS,
    ),
    Mistake(
        "blocks-of-32",
        ANSWER.changed(("blockIdx.x * blockDim.x", "blockIdx.x * 32")),
        "You count 32 threads for each block. A block may have another number: blockDim.x says how many.",
        _GRIDS,
        loses=("strides",),
    ),
    Mistake(
        "batch-for-head",
        ANSWER.changed(
            ("blockIdx.z / heads, head = blockIdx.z % heads", "blockIdx.z % heads, head = blockIdx.z / heads")
        ),
        "Batch and head have changed places. blockIdx.z counts the heads of one sequence before it comes to the next, "
        "so the head is the remainder by heads.",
        _GRIDS,
    ),
)
