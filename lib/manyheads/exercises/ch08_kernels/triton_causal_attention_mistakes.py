"""The known mistakes of triton-causal-attention."""

from manyheads.exercises.ch08_kernels.triton_causal_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_SKIPPED, _TILES, _TRITON = "Skipped blocks", "Tiles", "The same in Triton"
_END = "end = tl.minimum(k_len, first + BLOCK_Q + ahead)"
_ALLOWED = "allowed = key[None, :] <= query[:, None] + ahead"

MISTAKES = (
    Mistake(
        "top-left",
        ANSWER.changed((_END, "end = tl.minimum(k_len, first + BLOCK_Q)"), (_ALLOWED, _ALLOWED[: -len(" + ahead")])),
        "Your mask starts at the top left: query i is taken for token i. The queries are the newest tokens, so query i "
        "stands at the position i + k_len - q_len.",
        _SKIPPED,
    ),
    Mistake(
        "shift-the-wrong-way",
        ANSWER.changed(("ahead = k_len - q_len", "ahead = q_len - k_len")),
        "Your queries are moved the wrong way, by q_len - k_len. Query i stands at the position i + k_len - q_len.",
        _SKIPPED,
    ),
    Mistake(
        "only-earlier-keys",
        ANSWER.changed(("key[None, :] <= query", "key[None, :] < query")),
        "Your queries do not see the key of their own position. It is <=, not <.",
        _SKIPPED,
    ),
    Mistake(
        "no-mask-on-the-diagonal",
        ANSWER.changed((_ALLOWED, "allowed = (key[None, :] < k_len) & (query[:, None] < q_len)")),
        "You skip blocks, but inside the last one that is read every query sees every key. The blocks that the "
        "diagonal crosses need the mask too.",
        _SKIPPED,
    ),
    Mistake(
        "a-block-too-few",
        ANSWER.changed((_END, "end = tl.minimum(k_len, first + ahead)")),
        "You stop before the first query of the program, so the keys of its own block are missing. The last query of "
        "the block, first + BLOCK_Q - 1, decides.",
        _SKIPPED,
    ),
    Mistake(
        "blocks-of-keys-counted-as-queries",
        ANSWER.changed((_END, "end = tl.minimum(k_len, (tl.program_id(0) + 1) * BLOCK_K + ahead)")),
        "You count the queries in blocks of keys: BLOCK_Q and BLOCK_K differ. The program's queries end at "
        "(tl.program_id(0) + 1) * BLOCK_Q.",
        _SKIPPED,
    ),
    Mistake(
        "nothing-skipped",
        ANSWER.changed((_END, "end = k_len")),
        "Your kernel reads every block of keys and values, also those that no query of the program sees. End the loop "
        "behind the last key that the last query sees.",
        _SKIPPED,
        loses=("skipped blocks",),
    ),
    Mistake(
        "a-block-too-many",
        ANSWER.changed((_END, "end = tl.minimum(k_len, first + BLOCK_Q + ahead + BLOCK_K)")),
        "Your kernel reads one block of keys more than its queries see. The last query of a program sees the keys up "
        "to first + BLOCK_Q - 1 + k_len - q_len.",
        _SKIPPED,
        loses=("skipped blocks",),
    ),
    Mistake(
        "sums-not-rescaled",
        ANSWER.changed(
            ("total * fade + tl", "total + tl"), ("weighted * fade[:, None] + product", "weighted + product")
        ),
        "When a block brings a larger score, the sums so far still belong to the old one. Multiply total and weighted "
        "by exp(old largest - new largest).",
        _TILES,
    ),
    Mistake(
        "total-of-the-last-block",
        ANSWER.changed(("total * fade + tl.sum", "tl.sum")),
        "You divide by the total of the last block of keys alone. It is the sum over all blocks.",
        _TILES,
    ),
    Mistake(
        "scaled-twice",
        ANSWER.changed((' input_precision="ieee") * scale', ' input_precision="ieee") * scale * scale')),
        "The scores are multiplied by scale twice.",
        _TRITON,
    ),
    Mistake(
        "empty-rows-average",
        ANSWER.changed(
            (
                "tl.where(allowed, tl.exp(scores - new[:, None]), 0.0)",
                "tl.exp(tl.where(allowed, scores, -1.0e30) - new[:, None])",
            )
        ),
        "A query that sees no key gets an average of values: with -1e30 for every score, all weights are the same. "
        "Its result is 0.",
        _SKIPPED,
        loses=("empty rows",),
    ),
    Mistake(
        "empty-rows-not-a-number",
        ANSWER.changed(("weighted / tl.where(total == 0.0, 1.0, total)[:, None]", "weighted / total[:, None]")),
        "A query that sees no key has a total of 0, and 0 / 0 is NaN. Its result is 0: divide by 1 there.",
        _SKIPPED,
        loses=("empty rows",),
    ),
    Mistake(
        "past-the-end",
        ANSWER.changed(("result, mask=query[:, None] < q_len)", "result)")),
        "The last block of queries or keys has fewer rows than lanes, and you load or store all of them. Every load "
        "and store needs a mask.",
        _TRITON,
        loses=("values", "empty rows", "half precision", "for a GPU"),
    ),
)
