"""without-head: the layer's output with one head taken away."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(heads, w_o, removed):
    each = reference.head_contributions(heads, w_o)
    return np.delete(each, removed, axis=1).sum(axis=1)


def _case(about, rng, which, dtype="float64", square=False, **ranges):
    """Removes the first head, the last, or one between them."""
    s = sizes.draw_with_width(
        rng, **{"batch": (2, 3), "n_heads": (4, 6), "seq": (4, 8), "head_dim": (2, 5), "d_model": (31, 36), **ranges}
    )
    n_heads = s["n_heads"]
    removed = {"first": 0, "middle": int(rng.integers(1, max(2, n_heads - 1))), "last": n_heads - 1}[which]
    heads = sizes.normal(rng, s["batch"], n_heads, s["seq"], s["head_dim"], dtype=dtype)
    w_o = sizes.normal(rng, s["width"], s["width"] if square else s["d_model"], dtype=dtype)
    return Case(about, {"heads": heads, "w_o": w_o, "removed": removed})


def _middle(rng):
    return [
        _case("a square W_O, as in most models", rng, "middle", square=True),
        _case("d_model different from n_heads * head_dim", rng, "middle"),
    ]


def _ends(rng):
    return [
        _case("head 0 is removed", rng, "first"),
        _case("the last head is removed", rng, "last"),
        _case("the second of two heads is removed", rng, "last", n_heads=(2, 2), batch=(3, 4), head_dim=(5, 8)),
    ]


def _float32(rng):
    return [_case("float32 heads and weights", rng, "middle", "float32", square=True)]


# -- right answers by other techniques -----------------------------------------------------------------


def _head_zeroed(heads, w_o, removed):
    kept = np.where(np.arange(heads.shape[1])[:, None, None] == removed, 0, heads)
    return reference.combine_heads(kept) @ w_o


def _rows_zeroed(heads, w_o, removed):
    d = heads.shape[3]
    w_o = np.array(w_o)
    w_o[removed * d : (removed + 1) * d] = 0
    return reference.combine_heads(heads) @ w_o


def _head_and_rows_deleted(heads, w_o, removed):
    d = heads.shape[3]
    rows = range(removed * d, (removed + 1) * d)
    return reference.combine_heads(np.delete(heads, removed, 1)) @ np.delete(w_o, rows, 0)


def _subtracted(heads, w_o, removed):
    d = heads.shape[3]
    own = heads[:, removed] @ w_o[removed * d : (removed + 1) * d]
    return reference.combine_heads(heads) @ w_o - own


def _sum_of_the_others(heads, w_o, removed):
    d = heads.shape[3]
    others = [h for h in range(heads.shape[1]) if h != removed]
    return sum(heads[:, h] @ w_o[h * d : (h + 1) * d] for h in others)


def _einsum(heads, w_o, removed):
    n_heads = heads.shape[1]
    kept = np.arange(n_heads) != removed
    blocks = w_o.reshape(n_heads, -1, w_o.shape[1])
    return np.einsum("bhnj,hjo->bno", heads[:, kept], blocks[kept])


# -- known mistakes ------------------------------------------------------------------------------------


def _only_that_head(heads, w_o, removed):
    d = heads.shape[3]
    return heads[:, removed] @ w_o[removed * d : (removed + 1) * d]


def _rescaled(heads, w_o, removed):
    n_heads = heads.shape[1]
    kept = heads.copy()
    kept[:, removed] = 0
    out = reference.combine_heads(kept) @ w_o
    return out * (n_heads / (n_heads - 1))


def _mean_of_the_others(heads, w_o, removed):
    filled = heads.copy()
    filled[:, removed] = np.delete(heads, removed, axis=1).mean(axis=1)
    return reference.combine_heads(filled) @ w_o


def _mean_over_tokens(heads, w_o, removed):
    filled = heads.copy()
    filled[:, removed] = heads[:, removed].mean(axis=1, keepdims=True)
    return reference.combine_heads(filled) @ w_o


def _counted_from_one(heads, w_o, removed):
    kept = heads.copy()
    kept[:, removed - 1] = 0
    return reference.combine_heads(kept) @ w_o


def _others_shifted_up(heads, w_o, removed):
    others = reference.combine_heads(np.delete(heads, removed, axis=1))
    return others @ w_o[: others.shape[-1]]


def _d_before_h(heads, w_o, removed):
    w_o = w_o.copy()
    w_o[removed :: heads.shape[1]] = 0
    return reference.combine_heads(heads) @ w_o


def _columns_zeroed(heads, w_o, removed):
    d = heads.shape[3]
    out = reference.combine_heads(heads) @ w_o
    out[..., removed * d : (removed + 1) * d] = 0
    return out


def _one_row_removed(heads, w_o, removed):
    w_o = w_o.copy()
    w_o[removed] = 0
    return reference.combine_heads(heads) @ w_o


def _added_once_more(heads, w_o, removed):
    d = heads.shape[3]
    own = heads[:, removed] @ w_o[removed * d : (removed + 1) * d]
    return reference.combine_heads(heads) @ w_o + own


def _float64_buffer(heads, w_o, removed):
    out = np.zeros((heads.shape[0], heads.shape[2], w_o.shape[1]))
    for h in range(heads.shape[1]):
        if h != removed:
            out += heads[:, h] @ w_o[h * heads.shape[3] : (h + 1) * heads.shape[3]]
    return out


_AWAY = "Taking a head away"

EXERCISE = Exercise(
    name="without-head",
    title="Taking a head away",
    chapter="02-heads",
    version=1,
    parameters=(
        Parameter("heads", "float array (batch, n_heads, seq, head_dim): what attention gives, two heads or more"),
        Parameter("w_o", "float array (n_heads * head_dim, d_model), for heads laid side by side in their order"),
        Parameter("removed", "whole number from 0 to n_heads - 1: the head to take away"),
    ),
    returns=(Output("result", ("batch", "seq", "d_model")),),
    reference=_reference,
    given=("combine_heads",),
    tolerance=ONE_PRODUCT,
    aspects=(
        Aspect("middle", 1, "a head in the middle", _middle),
        Aspect("ends", 1, "the first head, and the last", _ends),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "the head zeroed": _head_zeroed,
        "its rows zeroed": _rows_zeroed,
        "head and rows deleted": _head_and_rows_deleted,
        "subtracted": _subtracted,
        "sum of the others": _sum_of_the_others,
        "einsum": _einsum,
    },
    example=""">>> heads = np.array([[[[1.0, 2.0]], [[3.0, 4.0]]]])
>>> w_o = np.array([[1.0], [10.0], [100.0], [1000.0]])
>>> without_head(heads, w_o, 0).tolist(), without_head(heads, w_o, 1).tolist()
([[[4300.0]]], [[[21.0]]])""",
    hints=(
        "The output is a sum over heads. What is left of a sum when one term goes, and what becomes of the other "
        "terms?",
        "There are several ways: leave a term out, subtract it, or make it nothing before you mix. Which numbers "
        "would have to be zero for that?",
        "If you change an array, change a copy: the caller's own heads and w_o should be as they were.",
    ),
    mistakes=(
        Mistake(
            "only-that-head",
            _only_that_head,
            "You kept only the head that was to go. Asked is the output of all the others.",
            _AWAY,
        ),
        Mistake(
            "rescaled",
            _rescaled,
            "You scaled the others up to make good for the missing head. They keep their weight: the output is a sum, "
            "and one term of it is gone.",
            _AWAY,
        ),
        Mistake(
            "mean-of-the-others",
            _mean_of_the_others,
            "You put the mean of the other heads in its place. Here the head writes nothing at all.",
            _AWAY,
        ),
        Mistake(
            "mean-over-tokens",
            _mean_over_tokens,
            "You put the head's mean over the tokens in its place. That is done too, and called mean ablation; here "
            "the head writes nothing at all.",
            _AWAY,
        ),
        Mistake(
            "counted-from-one",
            _counted_from_one,
            "You removed the head before. Heads are counted from 0, so removed = 0 is the first; removed - 1 would "
            "then be the last.",
            _AWAY,
        ),
        Mistake(
            "others-shifted-up",
            _others_shifted_up,
            "You took the head out, and the heads after it moved up and met the wrong rows of W_O. Their rows have to "
            "stay theirs; with the last head removed one does not notice.",
            _AWAY,
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "You took away every n_heads-th row of W_O. The rows of one head are neighbours: a block of head_dim rows.",
            "The order of heads and dims",
        ),
        Mistake(
            "columns-zeroed",
            _columns_zeroed,
            "You set columns of the output to zero. After W_O the heads are mixed, and each has written into every "
            "column; take the head away before that.",
            _AWAY,
        ),
        Mistake(
            "one-row-removed",
            _one_row_removed,
            "You took away a single row of W_O, number removed. A head has head_dim rows, and its first is removed * "
            "head_dim.",
            _AWAY,
        ),
        Mistake(
            "added-once-more",
            _added_once_more,
            "You added the head's part instead of subtracting it: the head now counts twice.",
            _AWAY,
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. np.zeros and np.empty make that unless told otherwise, and so does computing "
            "with a float64 array. The result must have the dtype of heads.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
