"""without-head: the layer's output with one head taken away."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch02_heads.without_head_mistakes import MISTAKES
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Output, Parameter


def _reference(heads, w_o, removed):
    each = reference.head_contributions(heads, w_o)
    return np.delete(each, removed, axis=1).sum(axis=1)


def _case(about, rng, which, dtype="float64", square=False, **ranges):
    """Removes the first head, the last, or one between them in the front half or the back; never one in the middle."""
    s = sizes.draw_with_width(
        rng, **{"batch": (3, 4), "n_heads": (5, 7), "seq": (4, 8), "head_dim": (2, 6), "d_model": (37, 45), **ranges}
    )
    n_heads = s["n_heads"]
    inside = int(rng.integers(1, max(2, (n_heads - 1) // 2)))
    removed = {"first": 0, "front": inside, "back": n_heads - 1 - inside, "last": n_heads - 1}[which]
    heads = sizes.normal(rng, s["batch"], n_heads, s["seq"], s["head_dim"], dtype=dtype)
    w_o = sizes.normal(rng, s["width"], s["width"] if square else s["d_model"], dtype=dtype)
    return Case(about, {"heads": heads, "w_o": w_o, "removed": removed})


def _middle(rng):
    return [
        _case("a square W_O, as in most models", rng, "front", square=True),
        _case("a W_O that is not square", rng, "back"),
    ]


def _ends(rng):
    return [
        _case("head 0 removed", rng, "first"),
        _case("the last head removed", rng, "last"),
        _case("the second of two heads removed", rng, "last", n_heads=(2, 2), head_dim=(5, 8)),
    ]


def _float32(rng):
    return [
        _case("float32 heads and a square W_O", rng, "back", "float32", square=True),
        _case("float32 heads and a W_O that is not square", rng, "front", "float32"),
    ]


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
        Aspect("middle", 1, "a head between the first and the last", _middle),
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
        "There are several ways: leave a term out, subtract it, or make it nothing before you mix. If you change an "
        "array for that, change a copy: the caller's own heads and w_o should be as they were.",
        "In a copy of heads, set that head to zero; then mix as usual. Which axis counts the heads?",
    ),
    mistakes=MISTAKES,
)
