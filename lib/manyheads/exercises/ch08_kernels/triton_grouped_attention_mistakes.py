"""The known mistakes of triton-grouped-attention."""

from manyheads.exercises.ch08_kernels.triton_grouped_attention_answers import ANSWER
from manyheads.exercises.definition import Mistake

_SHARED, _WHERE = "Sharing heads without copies", "Where an element lives"
_TILES, _TRITON = "Tiles", "The same in Triton"
_LIMITS = "What a GPU has, and runs out of"
_KV_HEAD = "head // (heads // kv_heads)"
_K, _V = "(heads + kv_head) * HEAD_DIM", "(heads + kv_heads + kv_head) * HEAD_DIM"
_PLACE = "(batch * seq + query[:, None]) * heads * HEAD_DIM + head * HEAD_DIM"

MISTAKES = (
    Mistake(
        "kv-head-by-the-remainder",
        ANSWER.changed((_KV_HEAD, "head % kv_heads")),
        "Your query heads take turns with the K/V heads: h % kv_heads. The heads of a group stand together: head h "
        "reads K/V head h // group, where group is heads // kv_heads.",
        _SHARED,
        loses=("values", "half precision", "for a GPU"),
    ),
    Mistake(
        "divided-by-kv-heads",
        ANSWER.changed((_KV_HEAD, "head // kv_heads")),
        "You divide the head by kv_heads, the number of groups. Divide by the size of a group, heads // kv_heads.",
        _SHARED,
    ),
    Mistake(
        "place-in-the-group",
        ANSWER.changed((_KV_HEAD, "head % (heads // kv_heads)")),
        "h % group says which head of its group a query head is. Which group it is says h // group, and that is its "
        "K/V head.",
        _SHARED,
    ),
    Mistake(
        "first-kv-head-for-all",
        ANSWER.changed((_KV_HEAD, "head // heads")),
        "All query heads read the first K/V head. Head h reads K/V head h // group.",
        _SHARED,
    ),
    Mistake(
        "a-token-of-queries-alone",
        ANSWER.changed(("token = (heads + 2 * kv_heads) * HEAD_DIM", "token = heads * HEAD_DIM")),
        "You step from token to token by heads * HEAD_DIM. In qkv a token also has its keys and values: it takes heads "
        "+ 2 * kv_heads heads.",
        _WHERE,
    ),
    Mistake(
        "as-if-nothing-were-shared",
        ANSWER.changed(
            ("token = (heads + 2 * kv_heads) * HEAD_DIM", "token = 3 * heads * HEAD_DIM"),
            (_K, "(heads + head) * HEAD_DIM"),
            (_V, "(2 * heads + head) * HEAD_DIM"),
        ),
        "You read qkv as if there were as many key and value heads as query heads. A token has heads + 2 * kv_heads of "
        "them.",
        _SHARED,
    ),
    Mistake(
        "keys-for-values",
        ANSWER.changed((_V, _K)),
        "Your values are the keys. In a token the value heads come after the kv_heads key heads.",
        _WHERE,
    ),
    Mistake(
        "keys-and-values-exchanged",
        ANSWER.changed(("k = qkv + " + _K, "k = qkv + " + _V), ("v = qkv + " + _V, "v = qkv + " + _K)),
        "Keys and values have changed places. In a token come the query heads, then the key heads, then the value "
        "heads.",
        _WHERE,
    ),
    Mistake(
        "keys-and-values-in-turn",
        ANSWER.changed((_K, "(heads + 2 * kv_head) * HEAD_DIM"), (_V, "(heads + 2 * kv_head + 1) * HEAD_DIM")),
        "You look for the values of a head right behind its keys. First come the keys of all K/V heads, then the "
        "values of all.",
        _WHERE,
    ),
    Mistake(
        "result-head-by-head",
        ANSWER.changed((_PLACE, "((batch * heads + head) * seq + query[:, None]) * HEAD_DIM")),
        "You store the heads one behind the other, each with all its tokens. In out the heads of a token stand side by "
        "side: (batch, seq, heads, HEAD_DIM).",
        _WHERE,
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
        "last-keys-not-masked",
        ANSWER.changed(('        scores = tl.where(key[None, :] < seq, scores, float("-inf"))\n', "")),
        "In the last block the lanes past seq have a score of 0, and exp gives them a share. Their scores must be "
        "-inf: a filler of 0 for the keys is not enough.",
        _TRITON,
    ),
    Mistake(
        "one-sequence-only",
        ANSWER.changed(("qkv += batch * seq * token", "qkv += 0 * batch")),
        "All sequences read the queries, keys and values of the first one. Sequence b begins b * seq tokens later.",
        _WHERE,
        loses=("values", "the ends"),
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
        loses=("values", "the ends", "for a GPU"),
    ),
    Mistake(
        "scale-of-its-own",
        ANSWER.changed((' input_precision="ieee") * scale', ' input_precision="ieee") * HEAD_DIM**-0.5')),
        "You scale with 1 / sqrt(HEAD_DIM). Multiply with `scale`: the caller chooses it.",
        _TRITON,
    ),
)
