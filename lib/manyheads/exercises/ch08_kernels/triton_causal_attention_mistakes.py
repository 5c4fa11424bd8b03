"""The known mistakes of triton-causal-attention."""

from manyheads.exercises.ch08_kernels.triton_causal_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_SKIPPED, _TILES, _TRITON = "Skipped blocks", "Tiles", "The same in Triton"
_LIMITS = "What a GPU has, and runs out of"
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
        "end-without-the-shift",
        ANSWER.changed((_END, "end = tl.minimum(k_len, first + BLOCK_Q)")),
        "Your mask counts from the last query, but the loop ends at first + BLOCK_Q, as if query i stood at position "
        "i. It stands at i + k_len - q_len.",
        _SKIPPED,
        loses=("values", "skipped blocks", "half precision", "for a GPU"),
    ),
    Mistake(
        "last-key-left-out",
        ANSWER.changed((_END, "end = tl.minimum(k_len - 1, first + BLOCK_Q - 1 + ahead)")),
        "Your loop ends at the last key that is seen, so that key is lost where a new block begins with it. The end of "
        "a range does not belong to it: it has to be one more.",
        _SKIPPED,
        loses=("values",),
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
        "one-largest-for-all-queries",
        ANSWER.changed(
            ("tl.max(tl.where(allowed, scores, -1.0e30), 1)", "tl.max(tl.where(allowed, scores, -1.0e30))"),
        ),
        "All queries of a block share one largest score. Where a query's own scores are far below it, all its powers "
        "are 0, as if it saw nothing: take the maximum along axis 1.",
        _TILES,
        loses=("values", "half precision", "for a GPU"),
    ),
    Mistake(
        "rounded-to-tf32",
        ANSWER.changed(
            ('tl.trans(keys), input_precision="ieee")', "tl.trans(keys))"),
            ('values, input_precision="ieee")', "values)"),
        ),
        "tl.dot rounds float32 to the 10 bits of TF32 before it multiplies, as a GPU does by default. Give it "
        'input_precision="ieee".',
        _LIMITS,
        loses=("values", "skipped blocks", "empty rows", "for a GPU"),
    ),
    Mistake(
        "scale-of-its-own",
        ANSWER.changed((' input_precision="ieee") * scale', ' input_precision="ieee") * HEAD_DIM**-0.5')),
        "You scale with 1 / sqrt(HEAD_DIM). Multiply with `scale`: the caller chooses it.",
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
        "minus-infinity-less-itself",
        ANSWER.changed(
            ("tl.full([BLOCK_Q], -1.0e30, tl.float32)", 'tl.full([BLOCK_Q], float("-inf"), tl.float32)'),
            ("tl.where(allowed, scores, -1.0e30)", 'tl.where(allowed, scores, float("-inf"))'),
        ),
        "In a row that has seen no key yet, the old and the new largest score are both -inf, and -inf minus -inf is "
        "NaN. Take away 0 there, or start at a very low number such as -1e30.",
        _SKIPPED,
        loses=("empty rows",),
    ),
    Mistake(
        "past-the-end",
        ANSWER.changed(("result, mask=query[:, None] < q_len)", "result)")),
        "The last block of queries or keys has fewer rows than lanes, and you load or store rows that do not exist. "
        "Every load and store needs a mask.",
        _TRITON,
        loses=("values", "empty rows", "half precision", "for a GPU"),
    ),
)
