"""attention-backward: the gradients of a loss by queries, keys and values, by hand."""

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.attention_backward_answers import ALTERNATIVES
from manyheads.exercises.ch07_tiles.attention_backward_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: As for attention, with two more products behind it.
_GRADIENTS = {"float64": 3e-13, "float32": 3e-5}


def _reference(q, k, v, grad_out):
    gradients = reference.attention_backward(grad_out, q, k, v, causal=True)
    return gradients.q, gradients.k, gradients.v


def _inputs(rng, dtype="float64", square=False, alone=False, **ranges):
    """Sizes all different; `square`: but as many keys as queries; `alone`: one sequence and one head.

    v_head_dim is never the square of head_dim: its root would be the same as no root.
    """
    usual = {
        "batch": (2, 3), "heads": (2, 4), "q_len": (3, 5), "k_len": (6, 9), "head_dim": (3, 8), "v_head_dim": (4, 8),
    }  # fmt: skip
    s = sizes.draw(rng, **{**usual, **ranges})
    if square:
        s["k_len"] = s["q_len"]
    if alone:
        s.update(batch=1, heads=1)
    heads = (s["batch"], s["heads"])
    return {
        "q": sizes.normal(rng, *heads, s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, *heads, s["k_len"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, *heads, s["k_len"], s["v_head_dim"], dtype=dtype),
        # Not centred, so that what is taken away in each row matters.
        "grad_out": (0.5 + sizes.normal(rng, *heads, s["q_len"], s["v_head_dim"])).astype(dtype),
    }


def _values(rng):
    return [
        Case("new queries behind older keys", _inputs(rng)),
        Case("as many queries as keys", _inputs(rng, square=True)),
        Case("one sequence, one head", _inputs(rng, alone=True)),
        Case("one query, as in decoding", _inputs(rng, q_len=(1, 1))),
    ]


def _empty_rows(rng):
    return [Case("more queries than keys, so that the first see none", _inputs(rng, q_len=(6, 9), k_len=(3, 5)))]


def _float32(rng):
    return [Case("float32 arrays", _inputs(rng, "float32", k_len=(7, 9)))]


EXERCISE = Exercise(
    name="attention-backward",
    title="Back through attention",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, q_len, head_dim)"),
        Parameter("k", "float array (batch, heads, k_len, head_dim)"),
        Parameter("v", "float array (batch, heads, k_len, v_head_dim)"),
        Parameter("grad_out", "float array (batch, heads, q_len, v_head_dim): the gradient of the loss by the result"),
    ),
    returns=(
        Output("grad_q", ("batch", "heads", "q_len", "head_dim")),
        Output("grad_k", ("batch", "heads", "k_len", "head_dim")),
        Output("grad_v", ("batch", "heads", "k_len", "v_head_dim")),
    ),
    reference=_reference,
    given=("softmax", "causal_mask"),
    tolerance=_GRADIENTS,
    example="""
>>> q, k = np.zeros((1, 1, 1, 4)), np.array([2.0, 4.0]).reshape(1, 1, 2, 1) * np.ones(4)
>>> v, grad_out = np.array([10.0, 30.0]).reshape(1, 1, 2, 1), np.ones((1, 1, 1, 1))
>>> grad_q, grad_k, grad_v = attention_backward(q, k, v, grad_out)
>>> grad_q[0, 0, 0], grad_v[0, 0, :, 0]
(array([5., 5., 5., 5.]), array([0.5, 0.5]))
""",
    hints=(
        "Compute the weights again first, as in the forward pass. Then go backwards, one step at a time: result, "
        "weights, scores, then q and k.",
        "A product C = A @ B has grad_A = grad_C @ B.T and grad_B = A.T @ grad_C. Check the shapes: for attention the "
        "last two axes are the matrix.",
        "From the weights to the scores it is the softmax of the part before: the weights times the difference "
        "between their gradient and its average over the row.",
        "The mask needs nothing of its own: where a weight is 0, the gradient by its score is 0.",
        "The scores are the products times head_dim ** -0.5. Where does that factor come in again, and for which of "
        "the three?",
    ),
    aspects=(
        Aspect("values", 3, "the right gradients, causal, for any lengths", _values),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gives and gets 0", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
)
