"""rms-norm: vectors brought to a root mean square of 1."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch06_latent.rms_norm_mistakes import MISTAKES
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Output, Parameter


def _reference(x, weight, eps):
    return reference.rms_norm(x, weight, eps)


def _inputs(rng, eps, dtype="float64", size=1.0, **ranges):
    """`size` is about the root mean square of each vector."""
    s = sizes.draw(rng, **{"batch": (2, 5), "seq": (3, 7), "width": (4, 9), **ranges})
    x = size * (sizes.normal(rng, s["batch"], s["seq"], s["width"]) + 0.5)
    return {"x": x.astype(dtype), "weight": sizes.normal(rng, s["width"], dtype=dtype), "eps": eps}


def _values(rng):
    return [
        Case("several sequences", _inputs(rng, 0.0)),
        Case("one sequence", _inputs(rng, 0.0, batch=(1, 1))),
        Case("vectors wider than there are tokens", _inputs(rng, 0.0, size=20.0, width=(20, 30))),
    ]


def _eps(rng):
    zeros = _inputs(rng, 1e-3)
    zeros["x"][:, 0] = 0
    return [
        Case("small vectors, so that eps counts", _inputs(rng, 2e-3, size=0.02)),
        Case("large vectors and a large eps", _inputs(rng, 9.0, size=4.0)),
        Case("some vectors are all zeros", zeros),
    ]


def _float32(rng):
    return [Case("float32 vectors and weight", _inputs(rng, 0.0, "float32", size=2.0))]


# -- right answers by other techniques -----------------------------------------------------------------


def _vector_by_vector(x, weight, eps):
    out = np.empty_like(x)
    for place in np.ndindex(x.shape[:2]):
        vector = x[place]
        out[place] = vector / (vector @ vector / len(vector) + eps) ** 0.5 * weight
    return out


def _einsum(x, weight, eps):
    squares = np.einsum("bsw,bsw->bs", x, x) / weight.size
    return np.einsum("bsw,bs,w->bsw", x, (squares + eps) ** -0.5, weight)


def _length(x, weight, eps):
    length = np.linalg.norm(x, axis=2, keepdims=True)
    return weight * x / (length**2 / x.shape[2] + eps) ** 0.5


def _float64_inside(x, weight, eps):
    mean = np.square(x, dtype=np.float64).mean(-1)[:, :, None]
    return (x * weight / np.sqrt(mean + eps)).astype(weight.dtype)


EXERCISE = Exercise(
    name="rms-norm",
    title="Root mean square",
    chapter="06-latent",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, seq, width)"),
        Parameter("weight", "float array (width,), of the dtype of `x`"),
        Parameter("eps", "a number (`float`), 0 or more; with 0, no vector of `x` is all zeros"),
    ),
    returns=(Output("result", ("batch", "seq", "width")),),
    reference=_reference,
    tolerance=ONE_PRODUCT,
    example="""
>>> x = np.array([[[1.0, 7.0], [0.0, 0.0]]])
>>> rms_norm(x, np.array([1.0, 10.0]), 0.0001).round(4)
array([[[ 0.2, 14. ],
        [ 0. ,  0. ]]])
""",
    hints=(
        "Read the name from the back: first the square of each number, then their mean, then the root.",
        "The mean is over the last axis only: one number for each token. keepdims=True keeps it fit to divide by.",
        "eps is added to the mean of the squares, and the root is taken of both. The weight comes last. For float32, "
        "look at the dtype after each step.",
    ),
    aspects=(
        Aspect("values", 2, "each vector over its root mean square, times the weight; eps is 0", _values),
        Aspect("eps", 1, "small vectors, where eps shows, and vectors of zeros", _eps),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "vector by vector": _vector_by_vector,
        "einsum": _einsum,
        "from the length": _length,
        "float64 inside": _float64_inside,
    },
    mistakes=MISTAKES,
)
