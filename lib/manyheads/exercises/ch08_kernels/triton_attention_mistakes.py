"""The known mistakes of triton-attention."""

from manyheads.exercises.ch08_kernels.triton_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_TILES, _TRITON = "Tiles", "The same in Triton"
_WHERE, _LIMITS = "Where an element lives", "What a GPU has, and runs out of"

MISTAKES = (
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
        "weighted-not-rescaled",
        ANSWER.changed(("weighted * fade[:, None] + product", "weighted + product")),
        "The total is rescaled when a larger score comes, but the weighted sum of the values is not. Both need the "
        "same factor.",
        _TILES,
    ),
    Mistake(
        "total-not-rescaled",
        ANSWER.changed(("total * fade + tl", "total + tl")),
        "The weighted sum of the values is rescaled when a larger score comes, but the total is not. Both need the "
        "same factor.",
        _TILES,
    ),
    Mistake(
        "largest-not-kept",
        ANSWER.changed(("        largest = new\n", "")),
        "The largest score so far never changes, so each block forgets those before it. At the end of the loop the new "
        "one takes its place.",
        _TILES,
    ),
    Mistake(
        "factor-upside-down",
        ANSWER.changed(("tl.exp(largest - new)", "tl.exp(new - largest)")),
        "The factor of the sums so far is upside down: exp(new - old) instead of exp(old - new). In the first block it "
        "is infinite.",
        _TILES,
    ),
    Mistake(
        "not-divided",
        ANSWER.changed(("weighted / total[:, None]", "weighted")),
        "The weighted sums are stored as they are. Divide them by the totals after the last block.",
        _TILES,
    ),
    Mistake(
        "one-largest-for-all-queries",
        ANSWER.changed(("tl.max(scores, 1)", "tl.max(scores)")),
        "All queries of a block share one largest score. Where a query's own scores are far below it, all its powers "
        "are 0, and 0 / 0 is NaN: take the maximum along axis 1.",
        _TILES,
        loses=("values", "half precision", "for a GPU"),
    ),
    Mistake(
        "largest-starts-at-zero",
        ANSWER.changed(('tl.full([BLOCK_Q], float("-inf"), tl.float32)', "tl.zeros([BLOCK_Q], tl.float32)")),
        "Your largest score starts at 0. Where all scores of a query are far below 0, all its powers are 0, and 0 / 0 "
        "is NaN: start at -inf.",
        _TILES,
        loses=("values", "half precision", "for a GPU"),
    ),
    Mistake(
        "divided-in-each-block",
        ANSWER.changed(
            ("weighted * fade[:, None] + product", "(weighted * fade[:, None] + product) / total[:, None]"),
            ("weighted / total[:, None]", "weighted"),
        ),
        "You divide by the total so far in every block, so the first blocks are divided several times. Divide once, "
        "after the last block.",
        _TILES,
    ),
    Mistake(
        "last-keys-not-masked",
        ANSWER.changed(('        scores = tl.where(key[None, :] < k_len, scores, float("-inf"))\n', "")),
        "In the last block the lanes past k_len have a score of 0, and exp gives them a share. Their scores must be "
        "-inf: a filler of 0 for the keys is not enough.",
        _TRITON,
    ),
    Mistake(
        "last-block-left-out",
        ANSWER.changed(("range(0, k_len, BLOCK_K)", "range(0, k_len // BLOCK_K * BLOCK_K, BLOCK_K)")),
        "The last keys are missing where k_len is no multiple of BLOCK_K. The number of blocks is rounded up.",
        _TRITON,
    ),
    Mistake(
        "as-many-keys-as-queries",
        ANSWER.changed(("range(0, k_len, BLOCK_K)", "range(0, q_len, BLOCK_K)")),
        "Your loop over the keys ends at q_len. There are k_len keys, and the two lengths differ.",
        _TRITON,
    ),
    Mistake(
        "values-without-a-filler",
        ANSWER.changed(("mask=key[:, None] < k_len, other=0.0)", "mask=key[:, None] < k_len)")),
        "The values in the lanes past k_len have no filler, so they are undefined, here NaN. Their weight is 0, and 0 "
        "times NaN is NaN: give tl.load other=0.0.",
        _TRITON,
    ),
    Mistake(
        "rounded-to-tf32",
        ANSWER.changed(
            ('queries, keys, input_precision="ieee")', "queries, keys)"),
            ('values, input_precision="ieee")', "values)"),
        ),
        "tl.dot rounds float32 to the 10 bits of TF32 before it multiplies, as a GPU does by default. Give it "
        'input_precision="ieee".',
        _LIMITS,
        loses=("values", "any strides", "for a GPU"),
    ),
    Mistake(
        "scale-of-its-own",
        ANSWER.changed((' input_precision="ieee") * scale', ' input_precision="ieee") * HEAD_DIM**-0.5')),
        "You scale with 1 / sqrt(HEAD_DIM). Multiply with `scale`: the caller chooses it.",
        _TRITON,
    ),
    Mistake(
        "not-scaled",
        ANSWER.changed((' input_precision="ieee") * scale', ' input_precision="ieee")')),
        "The scores are not multiplied by scale.",
        _TRITON,
    ),
    Mistake(
        "powers-of-two",
        ANSWER.changed(("tl.exp(largest", "tl.exp2(largest"), ("tl.exp(scores", "tl.exp2(scores")),
        "Your weights are shares of 2 to the power of the score, not of e. For tl.exp2 the scores have to be "
        "multiplied by log2(e), about 1.4427, first.",
        _TRITON,
    ),
    Mistake(
        "head-of-the-keys-by-the-batch",
        ANSWER.changed(("k += batch * k_batch + head * k_head", "k += batch * k_batch + batch * k_head")),
        "All heads of a sequence read the keys of one head. Head tl.program_id(1) % heads has its own.",
        _WHERE,
    ),
    Mistake(
        "keys-strides-for-the-values",
        ANSWER.changed(("key[:, None] * v_token", "key[:, None] * k_token")),
        "You step from value to value by k_token. Values have a stride of their own, v_token: they may be longer than "
        "keys, and lie elsewhere.",
        _WHERE,
    ),
    Mistake(
        "no-gaps-assumed",
        ANSWER.changed(("query[:, None] * q_token", "query[:, None] * HEAD_DIM")),
        "You step from query to query by HEAD_DIM, as if there were no gaps. The stride is q_token.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "no-gaps-anywhere",
        ANSWER.changed(
            ("query[:, None] * q_token", "query[:, None] * HEAD_DIM"),
            ("key[None, :] * k_token", "key[None, :] * HEAD_DIM"),
            ("key[:, None] * v_token", "key[:, None] * V_HEAD_DIM"),
        ),
        "You step from token to token by HEAD_DIM and V_HEAD_DIM, as if there were no gaps. The strides are q_token, "
        "k_token and v_token.",
        _WHERE,
        loses=("any strides",),
    ),
    Mistake(
        "past-the-end",
        ANSWER.changed(("result, mask=query[:, None] < q_len)", "result)")),
        "The last block of queries or keys has fewer rows than lanes, and you load or store rows that do not exist. "
        "Every load and store needs a mask.",
        _TRITON,
    ),
    Mistake(
        "summed-in-half-precision",
        ANSWER.changed(
            ("+ product\n", "+ product\n        weighted = weighted.to(values.dtype).to(tl.float32)\n"),
        ),
        "The weighted sum is kept in float16, which ends at 65,504. Keep it in float32 and round once, when you store.",
        _LIMITS,
        loses=("half precision",),
    ),
)
