"""repeat-kv-heads: each key or value head, once for every query head that reads it."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(x, n_heads):
    return x.repeat(n_heads // x.shape[1], axis=1)


def _inputs(rng, dtype="float64", **ranges):
    """More K/V heads than heads in a group, so that a number exchanged for the other one is still a K/V head."""
    usual = {"batch": (2, 4), "kv_heads": (4, 5), "group": (2, 3), "seq": (3, 7), "head_dim": (3, 7)}
    while True:
        s = sizes.draw(rng, **{**usual, **ranges})
        n_heads = s["kv_heads"] * s["group"]
        # No other axis in the place of the K/V heads gives the size of the group, and none is as large as the result's.
        others = [s[axis] for axis in ("batch", "seq", "head_dim")]
        if n_heads not in others and all(n_heads // size != s["group"] for size in others):
            break
    x = sizes.normal(rng, s["batch"], s["kv_heads"], s["seq"], s["head_dim"], dtype=dtype)
    return {"x": x, "n_heads": n_heads}


def _values(rng):
    return [
        Case("several K/V heads, each for a group of query heads", _inputs(rng)),
        Case("a single K/V head", _inputs(rng, kv_heads=(1, 1))),
        Case("a K/V head for every query head", _inputs(rng, group=(1, 1))),
        Case("one sequence, large groups", _inputs(rng, batch=(1, 1), kv_heads=(2, 3), group=(4, 5))),
        Case("one token", _inputs(rng, seq=(1, 1))),
    ]


def _float32(rng):
    return [Case("float32 keys", _inputs(rng, "float32"))]


# -- right answers by other techniques -----------------------------------------------------------------


def _take(x, n_heads):
    return np.take(x, np.arange(n_heads) // (n_heads // x.shape[1]), axis=1)


def _loop_of_views(x, n_heads):
    group = n_heads // x.shape[1]
    return np.stack([x[:, h // group] for h in range(n_heads)], axis=1)


def _broadcast_and_reshape(x, n_heads):
    batch, kv_heads, seq, head_dim = x.shape
    group = n_heads // kv_heads
    return np.broadcast_to(x[:, :, None], (batch, kv_heads, group, seq, head_dim)).reshape(batch, -1, seq, head_dim)


def _group_by_group(x, n_heads):
    kv_heads = x.shape[1]
    groups = [np.tile(head, (1, n_heads // kv_heads, 1, 1)) for head in np.split(x, kv_heads, axis=1)]
    return np.concatenate(groups, axis=1)


def _strided_fill(x, n_heads):
    group = n_heads // x.shape[1]
    out = np.empty((x.shape[0], n_heads, *x.shape[2:]), x.dtype)
    for i in range(group):
        out[:, i::group] = x
    return out


# -- known mistakes ------------------------------------------------------------------------------------


def _tiled(x, n_heads):
    return np.tile(x, (1, n_heads // x.shape[1], 1, 1))


def _along_the_length(x, n_heads):
    batch, kv_heads, seq, head_dim = x.shape
    return x.repeat(n_heads // kv_heads, axis=2).reshape(batch, n_heads, seq, head_dim)


def _no_axis(x, n_heads):
    batch, kv_heads, seq, head_dim = x.shape
    return np.repeat(x, n_heads // kv_heads).reshape(batch, n_heads, seq, head_dim)


def _copies_of_the_batch(x, n_heads):
    batch, kv_heads, seq, head_dim = x.shape
    return np.concatenate([x] * (n_heads // kv_heads)).reshape(batch, n_heads, seq, head_dim)


def _first_head_only(x, n_heads):
    return x[:, :1].repeat(n_heads, axis=1)


def _counted_from_one(x, n_heads):
    kv_heads = x.shape[1]
    group = n_heads // kv_heads
    return x[:, [min((h + 1) // group, kv_heads - 1) for h in range(n_heads)]]


def _divided_by_the_kv_heads(x, n_heads):
    kv_heads = x.shape[1]
    return x[:, [h // kv_heads for h in range(n_heads)]]


def _remainder_by_the_group(x, n_heads):
    group = n_heads // x.shape[1]
    return x[:, [h % group for h in range(n_heads)]]


def _once_for_each_head(x, n_heads):
    return x.repeat(n_heads, axis=1)


def _float64_buffer(x, n_heads):
    group = n_heads // x.shape[1]
    out = np.zeros((x.shape[0], n_heads, x.shape[2], x.shape[3]))
    for h in range(n_heads):
        out[:, h] = x[:, h // group]
    return out


EXERCISE = Exercise(
    name="repeat-kv-heads",
    title="A key/value head for every query head",
    chapter="05-sharing-heads",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, kv_heads, seq, head_dim): keys or values"),
        Parameter("n_heads", "whole number: query heads, a multiple of kv_heads"),
    ),
    returns=(Output("result", ("batch", "n_heads", "seq", "head_dim")),),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> x = np.array([10.0, 20.0]).reshape(1, 2, 1, 1)
>>> repeat_kv_heads(x, 6).ravel()
array([10., 10., 10., 20., 20., 20.])
""",
    hints=(
        "Write down, for six query heads and two K/V heads, which K/V head each query head reads. Only then look for "
        "the NumPy function that makes this row.",
        "The heads are axis 1. Whatever you use, tell it the axis, and look at the numbers of the example and not "
        "only at the shape.",
        "NumPy has one function that writes 0 1 0 1 0 1 and one that writes 0 0 0 1 1 1. You want the second; it "
        "takes how often each entry comes, which is the size of a group.",
    ),
    aspects=(
        Aspect("values", 2, "every query head gets the K/V head of its group", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "take by head number": _take,
        "loop of views": _loop_of_views,
        "broadcast and reshape": _broadcast_and_reshape,
        "a tile for each group": _group_by_group,
        "filled in strides": _strided_fill,
    },
    mistakes=(
        Mistake(
            "tiled",
            _tiled,
            "Your K/V heads are tiled, 0 1 2 0 1 2: head h reads K/V head h % kv_heads (np.tile gives that, or "
            "np.repeat along axis 0 and a reshape). The heads of a group stand together, 0 0 1 1 2 2: head h must read "
            "K/V head h // group.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "along-the-length",
            _along_the_length,
            "You repeated along axis 2, and the reshape then cut the lengthened sequences into heads, so a head holds "
            "a few tokens several times. Repeat along axis 1, the heads; no reshape is needed then.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "no-axis",
            _no_axis,
            "Single numbers are repeated: without an axis, np.repeat flattens the array first, and so it does along "
            "the last axis. Say that the heads, axis 1, are to be repeated.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "copies-of-the-batch",
            _copies_of_the_batch,
            "You laid copies behind each other along axis 0, the batch, and reshaped. Now a sequence gets the keys "
            "and values of other sequences. Repeat the heads, axis 1.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "first-head-only",
            _first_head_only,
            "Every query head got K/V head 0. That is right where there is only one; here each group has its own.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "counted-from-one",
            _counted_from_one,
            "The groups begin one head too early, as if the heads were counted from 1. The first group is heads 0 to "
            "group - 1.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "divided-by-the-kv-heads",
            _divided_by_the_kv_heads,
            "Query head h got K/V head h // kv_heads. Divide by the number of heads in a group instead: with six query "
            "heads and two K/V heads, the groups are three heads each, not two.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "remainder-by-the-group",
            _remainder_by_the_group,
            "Query head h got K/V head h % group. The remainder says which place a head has in its group; which group "
            "it belongs to is the quotient, h // group.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "once-for-each-head",
            _once_for_each_head,
            "You repeated every K/V head n_heads times. A K/V head serves one group: n_heads // kv_heads query heads.",
            "Which key/value head a query head reads",
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. np.zeros and np.empty, for example, make that unless told otherwise. The result "
            "must have the dtype of x.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
