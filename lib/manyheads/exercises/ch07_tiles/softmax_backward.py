"""softmax-backward: the gradient of a loss by the scores, from that by the weights."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.softmax_backward_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: Products and one sum over a few dozen weights; the difference loses some digits where it is small.
_DIFFERENCE = {"float64": 5e-14, "float32": 2e-5}


def _reference(weights, grad):
    return reference.softmax_backward(weights, grad)


def _case(rng, about, empty=False, alone=False, dtype="float64", **ranges):
    s = sizes.draw(rng, **{"batch": (2, 3), "heads": (2, 5), "q_len": (4, 7), "k_len": (5, 9), **ranges})
    if alone:
        s.update(batch=1, heads=1)
    shape = (s["batch"], s["heads"], s["q_len"], s["k_len"])
    scores = sizes.normal(rng, *shape)
    if empty:
        scores[..., 1, :] = -np.inf  # a row with no key that is allowed
        scores[..., 2, 1:-1] = -np.inf
    weights = reference.softmax(scores)
    # The gradients are not centred, so that what is taken away in each row matters.
    grad = sizes.normal(rng, *shape) + rng.uniform(1, 2)
    return Case(about, {"weights": weights.astype(dtype), "grad": grad.astype(dtype)})


def _values(rng):
    return [
        _case(rng, "more keys than queries", q_len=(4, 5), k_len=(6, 9)),
        _case(rng, "more queries than keys", q_len=(6, 8), k_len=(3, 5)),
        _case(rng, "one sequence, one head", alone=True),
        _case(rng, "one query", q_len=(1, 1)),
    ]


def _empty_rows(rng):
    return [_case(rng, "rows of weights that are all 0, and weights of 0 in others", empty=True)]


def _float32(rng):
    return [_case(rng, "float32 weights and gradients", dtype="float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _two_products(weights, grad):
    shares = weights * grad
    return shares - weights * shares.sum(axis=-1)[..., None]


def _einsum(weights, grad):
    shares = weights * grad
    return shares - np.einsum("bhqk,bhq->bhqk", weights, np.einsum("bhqk->bhq", shares))


def _the_whole_jacobian(weights, grad):
    jacobian = weights[..., None] * -weights[..., None, :]
    diagonal = np.einsum("bhqkk->bhqk", jacobian)  # a view
    diagonal += weights
    return (jacobian @ grad[..., None]).squeeze(4)


def _row_by_row(weights, grad):
    out = weights * grad
    for row in np.ndindex(out.shape[:-1]):
        out[row] -= weights[row] * out[row].sum()
    return out


def _against_every_other_key(weights, grad):
    ahead = grad[..., None] - grad[..., None, :]
    return weights * np.matmul(ahead, weights[..., None]).squeeze(4)


EXERCISE = Exercise(
    name="softmax-backward",
    title="Back through a softmax",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter(
            "weights", "float array (batch, heads, q_len, k_len): what softmax gave. Each row sums to 1, or is all 0"
        ),
        Parameter("grad", "float array of the same shape and dtype: the gradient of the loss by each weight"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "heads", "q_len", "k_len"),
            about="an array of the shape and dtype of `weights`: the gradient of the loss by each score",
        ),
    ),
    reference=_reference,
    tolerance=_DIFFERENCE,
    example="""
>>> weights = np.array([[[[0.25, 0.75], [0.0, 0.0]]]])
>>> softmax_backward(weights, np.array([[[[4.0, 8.0], [4.0, 8.0]]]]))
array([[[[-0.75,  0.75],
         [ 0.  ,  0.  ]]]])
""",
    hints=(
        "When one score goes up, its own weight grows, and all the others of its row shrink. So every weight's "
        "gradient of the row plays a part in every score's.",
        "For one row p: the derivative of weight i by score j is p_i (1 - p_j) where i = j, and -p_i p_j elsewhere. "
        "Multiply by grad_i, sum over i, and see what can be taken out of the sum.",
        "A score's gradient compares its own grad with the average of the row. Which average: the plain one, or one "
        "in which the weights count?",
        "The average has an axis less than weights. keepdims=True keeps it, and lets it line up with weights.",
    ),
    aspects=(
        Aspect("values", 2, "the right numbers for any lengths", _values),
        Aspect("empty rows", 1, "rows of weights that are all 0 give 0", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "two products": _two_products,
        "einsum": _einsum,
        "the whole Jacobian": _the_whole_jacobian,
        "row by row": _row_by_row,
        "against every other key": _against_every_other_key,
    },
    mistakes=MISTAKES,
)
