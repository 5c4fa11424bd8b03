"""grouped-attention-backward: what comes back to a K/V head from all the query heads that share it."""

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch07_tiles.grouped_backward_answers import ALTERNATIVES
from manyheads.exercises.ch07_tiles.grouped_backward_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter

#: As for attention, with two more products behind it.
_GRADIENTS = {"float64": 3e-13, "float32": 3e-5}


def _reference(q, k, v, grad_out):
    gradients = reference.attention_backward(grad_out, q, k, v, causal=True)
    return gradients.q, gradients.k, gradients.v


def _inputs(rng, dtype="float64", square=False, **ranges):
    """Sizes all different; `square`: but as many keys as queries."""
    usual = {
        "batch": (2, 4), "kv_heads": (2, 4), "group": (2, 4), "q_len": (3, 5), "k_len": (6, 9),
        "head_dim": (3, 8), "v_head_dim": (4, 9),
    }  # fmt: skip
    while True:
        s = sizes.draw(rng, **{**usual, **ranges})
        heads = s["kv_heads"] * s["group"]
        if heads not in (s["batch"], s["q_len"], s["k_len"], s["head_dim"], s["v_head_dim"]):
            break
    if square:
        s["k_len"] = s["q_len"]
    shared = (s["batch"], s["kv_heads"], s["k_len"])
    grad_out = 0.5 + sizes.normal(rng, s["batch"], heads, s["q_len"], s["v_head_dim"])
    return {
        "q": sizes.normal(rng, s["batch"], heads, s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, *shared, s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, *shared, s["v_head_dim"], dtype=dtype),
        "grad_out": grad_out.astype(dtype),
    }


def _values(rng):
    return [
        Case("new queries behind older keys", _inputs(rng)),
        Case("one sequence, as many queries as keys", _inputs(rng, square=True, batch=(1, 1))),
        Case("one query, as in decoding", _inputs(rng, q_len=(1, 1))),
    ]


def _the_ends(rng):
    return [
        Case("a single K/V head for all", _inputs(rng, kv_heads=(1, 1), group=(3, 5))),
        Case("a K/V head for every query head", _inputs(rng, group=(1, 1), kv_heads=(2, 3))),
        Case("groups of several heads", _inputs(rng), probe=True),
    ]


def _empty_rows(rng):
    return [Case("more queries than keys, so that the first see none", _inputs(rng, q_len=(6, 9), k_len=(3, 5)))]


def _float32(rng):
    return [Case("float32 arrays", _inputs(rng, "float32", k_len=(7, 9)))]


EXERCISE = Exercise(
    name="grouped-attention-backward",
    title="What comes back to a shared head",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, q_len, head_dim)"),
        Parameter("k", "float array (batch, kv_heads, k_len, head_dim); kv_heads divides heads"),
        Parameter("v", "float array (batch, kv_heads, k_len, v_head_dim)"),
        Parameter("grad_out", "float array (batch, heads, q_len, v_head_dim): the gradient of the loss by the result"),
    ),
    returns=(
        Output("grad_q", ("batch", "heads", "q_len", "head_dim")),
        Output("grad_k", ("batch", "kv_heads", "k_len", "head_dim")),
        Output("grad_v", ("batch", "kv_heads", "k_len", "v_head_dim")),
    ),
    reference=_reference,
    given=("softmax", "causal_mask"),
    tolerance=_GRADIENTS,
    example="""
>>> q, k = np.zeros((1, 2, 1, 4)), np.array([2.0, 4.0]).reshape(1, 1, 2, 1) * np.ones(4)
>>> v, grad_out = np.array([10.0, 30.0]).reshape(1, 1, 2, 1), np.array([1.0, 3.0]).reshape(1, 2, 1, 1)
>>> grad_q, grad_k, grad_v = grouped_attention_backward(q, k, v, grad_out)
>>> grad_q[0, :, 0, 0], grad_v[0, 0, :, 0]
(array([ 5., 15.]), array([2., 2.]))
""",
    hints=(
        "Write down which query heads read K/V head 0. A change of one of its keys changes the results of all of "
        "them: how do their parts of the loss's change go together?",
        "The plainest way: repeat k and v for every query head, do as in the part before, and turn the gradients with "
        "`heads` heads into some with `kv_heads`.",
        "The heads of a group stand together, so a reshape splits `heads` into (kv_heads, group).",
        "Nothing is shared among the queries: grad_q has a head for each of them, and nothing is summed there.",
    ),
    aspects=(
        Aspect("values", 2, "the right gradients, causal, for groups of two or more heads", _values),
        Aspect("the ends", 1, "one K/V head for all, and one for every query head", _the_ends),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gives and gets 0", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives=ALTERNATIVES,
    mistakes=MISTAKES,
)
