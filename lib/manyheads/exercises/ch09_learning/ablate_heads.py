"""ablate-heads: a layer's output with some heads put out of use, by zeros or by their mean."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch09_learning.ablate_heads_mistakes import MISTAKES
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Output, Parameter


def _reference(heads, w_o, ablated, how):
    kept = heads.copy()
    for h in ablated:
        kept[:, h] = heads[:, h].mean(axis=(0, 1)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _case(about, rng, how, number, dtype="float64", square=False):
    """`number` is how many heads to ablate, given n_heads: if they are not all, not just the last ones."""
    s = sizes.draw_with_width(rng, batch=(2, 3), n_heads=(4, 5), seq=(7, 9), head_dim=(2, 6), d_model=(31, 36))
    heads = 0.5 + sizes.normal(rng, s["batch"], s["n_heads"], s["seq"], s["head_dim"], dtype=dtype)
    heads += sizes.normal(rng, s["n_heads"], 1, s["head_dim"], dtype=dtype)  # a mean of its own for every head
    w_o = sizes.normal(rng, s["width"], s["width"] if square else s["d_model"], dtype=dtype)
    n_heads = s["n_heads"]
    ablated = rng.permutation(n_heads)[: number(n_heads)]
    while 0 < len(ablated) < n_heads and ablated.min() == n_heads - len(ablated):
        ablated = rng.permutation(n_heads)[: len(ablated)]
    return Case(about, {"heads": heads.astype(dtype), "w_o": w_o, "ablated": ablated, "how": how})


def _zero(rng):
    return [
        _case("two heads, a square W_O", rng, "zero", lambda n: 2, square=True),
        _case("one head", rng, "zero", lambda n: 1),
        _case("all heads but one", rng, "zero", lambda n: n - 1),
        _case("no head: the layer as it is", rng, "zero", lambda n: 0),
    ]


def _mean(rng):
    return [
        _case("two heads, a square W_O", rng, "mean", lambda n: 2, square=True),
        _case("one head", rng, "mean", lambda n: 1),
        _case("all heads", rng, "mean", lambda n: n),
    ]


def _float32(rng):
    return [
        _case("zeros in float32", rng, "zero", lambda n: 2, "float32"),
        _case("means in float32", rng, "mean", lambda n: 2, "float32"),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _mask(heads, w_o, ablated, how):
    gone = np.isin(np.arange(heads.shape[1]), ablated)[:, None, None]
    means = heads.mean(axis=2).mean(axis=0)[:, None]
    return reference.combine_heads(np.where(gone, means if how == "mean" else 0, heads)) @ w_o


def _sum_over_heads(heads, w_o, ablated, how):
    batch, n_heads, seq, _ = heads.shape
    out = np.zeros((batch, seq, w_o.shape[1]), w_o.dtype)
    for h, block in enumerate(np.split(w_o, n_heads)):
        if h not in ablated:
            out += heads[:, h] @ block
        elif how == "mean":
            out += heads[:, h].reshape(batch * seq, -1).mean(axis=0) @ block
    return out


def _difference_taken_away(heads, w_o, ablated, how):
    _, _, _, d = heads.shape
    out = reference.combine_heads(heads) @ w_o
    for h in ablated:
        own = heads[:, h] @ w_o[h * d : (h + 1) * d]
        out -= own
        if how == "mean":
            out += own.reshape(-1, own.shape[2]).mean(axis=0)
    return out


def _rows_of_the_weight(heads, w_o, ablated, how):
    batch, n_heads, seq, d = heads.shape
    side = heads.swapaxes(1, 2).reshape(batch, seq, -1)
    gone = np.zeros((n_heads, d), bool)
    gone[ablated] = True
    gone = gone.reshape(-1)
    out = side[:, :, ~gone] @ w_o[~gone]
    if how == "mean":
        out += np.einsum("bnj->j", side[:, :, gone]) / (batch * seq) @ w_o[gone]
    return out


def _einsum(heads, w_o, ablated, how):
    batch, n_heads, seq, d = heads.shape
    changed = np.array(heads)
    means = np.einsum("bhnj->hj", heads) / (batch * seq)
    changed[:, ablated] = means[ablated][:, None] if how == "mean" else 0
    return np.einsum("bhnj,hjo->bno", changed, w_o.reshape(n_heads, d, -1))


EXERCISE = Exercise(
    name="ablate-heads",
    title="Taking heads away",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter("heads", "float array (batch, n_heads, seq, head_dim): what the heads give"),
        Parameter("w_o", "float array (n_heads * head_dim, d_model), for heads laid side by side in their order"),
        Parameter("ablated", "integer array: the numbers of the heads to take away, in any order, each once, or none"),
        Parameter("how", '"zero" or "mean"'),
    ),
    returns=(Output("result", ("batch", "seq", "d_model")),),
    reference=_reference,
    given=("combine_heads",),
    tolerance=ONE_PRODUCT,
    example="""
>>> heads = np.array([[[[1.0], [3.0]], [[10.0], [20.0]]]])
>>> w_o = np.array([[1.0], [100.0]])
>>> ablate_heads(heads, w_o, np.array([0]), "zero").tolist(), ablate_heads(heads, w_o, np.array([0]), "mean").tolist()
([[[1000.0], [2000.0]]], [[[1002.0], [2002.0]]])
""",
    hints=(
        "Change what the heads give, and then mix as usual. Begin with a copy: the caller's own heads should be as "
        "they were.",
        "Which axis counts the heads? With the array of numbers in its place, one assignment sets all ablated heads "
        'to 0. That is "zero".',
        'For "mean", head h gets one vector of head_dim numbers, the same for every sequence and token. Over which '
        "two axes of heads is it the mean? An axis of size 1 where they were lets it broadcast.",
        "The given combine_heads lays the heads side by side in the order that w_o expects.",
    ),
    aspects=(
        Aspect("zero", 1, "replaced by 0: one head, several, all but one, none", _zero),
        Aspect("mean", 2, "replaced by the head's own mean over batch and tokens", _mean),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers, by zeros and by means", _float32),
    ),
    alternatives={
        "a mask": _mask,
        "sum over heads": _sum_over_heads,
        "difference taken away": _difference_taken_away,
        "rows of the weight": _rows_of_the_weight,
        "einsum": _einsum,
    },
    mistakes=MISTAKES,
)
