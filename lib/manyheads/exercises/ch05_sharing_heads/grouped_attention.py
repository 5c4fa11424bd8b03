"""grouped-attention: groups of query heads share keys and values, and nothing is repeated in memory."""

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch05_sharing_heads.grouped_attention_answers import ALTERNATIVES
from manyheads.exercises.ch05_sharing_heads.grouped_attention_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, k, v):
    return reference.attention(q, k, v, causal=True)


def _arrays(rng, s, dtype="float64"):
    heads = s["kv_heads"] * s["group"]
    return {
        "q": sizes.normal(rng, s["batch"], heads, s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["batch"], s["kv_heads"], s["k_len"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["batch"], s["kv_heads"], s["k_len"], s["v_head_dim"], dtype=dtype),
    }


def _inputs(rng, dtype="float64", square=False, **ranges):
    """Sizes all different; `square`: but as many keys as queries."""
    usual = {
        "batch": (2, 4), "kv_heads": (2, 4), "group": (2, 4), "q_len": (3, 5), "k_len": (6, 9),
        "head_dim": (3, 8), "v_head_dim": (4, 9),
    }  # fmt: skip
    while True:
        s = sizes.draw(rng, **{**usual, **ranges})
        if s["kv_heads"] * s["group"] not in (s["batch"], s["q_len"], s["k_len"], s["head_dim"], s["v_head_dim"]):
            return _arrays(rng, {**s, "k_len": s["q_len"]} if square else s, dtype)


def _values(rng):
    return [
        Case("new queries behind older keys", _inputs(rng)),
        Case("a single K/V head", _inputs(rng, kv_heads=(1, 1))),
        Case("a K/V head for every query head", _inputs(rng, group=(1, 1))),
        Case("one sequence, as many queries as keys", _inputs(rng, square=True, batch=(1, 1))),
        Case("one query, as in decoding", _inputs(rng, q_len=(1, 1))),
    ]


def _empty_rows(rng):
    return [Case("more queries than keys, so that the first see none", _inputs(rng, q_len=(6, 9), k_len=(3, 5)))]


def _float32(rng):
    return [Case("float32 queries, keys and values", _inputs(rng, "float32"))]


def _memory(rng):
    # Wide heads, so that scores are small. In parts of the limit: grouped a quarter, with copies of q, k and v three
    # quarters; K repeated for one K/V head at a time 1.3, for one sequence 1.8, all at once 3.5, and V too 6.6.
    s = {"batch": 2, "kv_heads": 3, "group": 16, "q_len": 4, "head_dim": 256, "v_head_dim": 240}
    inputs = _arrays(rng, {**s, "k_len": int(rng.integers(100, 128))})
    most = 5 * (inputs["k"].nbytes + inputs["v"].nbytes) // 2
    return [Case("groups of 16 heads", inputs, most_bytes=most)]


EXERCISE = Exercise(
    name="grouped-attention",
    title="Groups share, and nothing is copied",
    chapter="05-sharing-heads",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, q_len, head_dim)"),
        Parameter("k", "float array (batch, kv_heads, k_len, head_dim); kv_heads divides heads"),
        Parameter("v", "float array (batch, kv_heads, k_len, v_head_dim)"),
    ),
    returns=(Output("result", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=_reference,
    given=("softmax", "causal_mask"),
    tolerance=ATTENTION,
    example="""
>>> q = np.zeros((1, 4, 2, 1))
>>> k = np.zeros((1, 2, 2, 1))
>>> v = np.array([10.0, 20.0, 30.0, 50.0]).reshape(1, 2, 2, 1)
>>> grouped_attention(q, k, v)[0, :, :, 0]
array([[10., 15.],
       [10., 15.],
       [30., 40.],
       [30., 40.]])
""",
    hints=(
        "Get the numbers right first, with a repeat if you like: that earns all points but those for memory. Then "
        "look for a way to let a group meet its K/V head as it is.",
        "The query heads of a group stand together, so a reshape can give them an axis of their own, or put them in "
        "one long row of queries, without moving a number.",
        "With q as (batch, kv_heads, group, q_len, head_dim), think about which axis k lacks to line up with it. The "
        "mask has only the last two axes of the scores.",
        "Minus infinity goes into the scores, where the mask is False, and before the softmax. The given softmax then "
        "makes zeros of a row with nothing else, and zeros times values are what such a query should give.",
        "Undo your reshape at the end in the same order. If you stacked the queries of a group, every head's rows "
        "need the whole mask again. For float32, look at the dtype after each step.",
    ),
    aspects=(
        Aspect("values", 2, "the right numbers, causal, for any number of K/V heads", _values),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gets 0", _empty_rows),
        Aspect(
            "memory",
            2,
            "a call holds at most 2.5 times the bytes of k and v together, not counting its arguments",
            _memory,
        ),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
)
