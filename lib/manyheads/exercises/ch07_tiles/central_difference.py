"""central-difference: the gradient of any function, from its values at two points for each element."""

import numpy as np

from manyheads.exercises.ch07_tiles.central_difference_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.supply import Supply

#: The values of f are near 10 and rounded at 1e-15; divided by a step of 0.01 or more, and gradients near 1, that is
#: 1e-13. What another formula gives differs by the third derivative times the step squared: 1e-5 and more.
_ROUNDED = {"float64": 1e-10}


def _reference(f, x, step):
    gradient = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        unit = np.zeros(x.shape)
        unit[place] = 1
        gradient[place] = (f(x + step * unit) - f(x - step * unit)) / (2 * step)
    return gradient


def _smooth(rng, shape):
    """A function that rises with some elements and falls with others, with derivatives of every order."""
    signs = rng.permutation(np.resize([-1, 1], np.prod(shape))).reshape(shape)
    linear, cubic = (signs * rng.uniform(0.5, 1.5, shape) for _ in "ab")
    total = signs.flat[0] * rng.uniform(1, 2)

    def f(x):
        if not isinstance(x, np.ndarray) or x.shape != shape:
            raise ValueError(f"f takes one array of the shape of x, {shape}")
        x = x.astype("float64")
        return float((linear * np.exp(x / 2) + cubic * x**3).sum() + total * np.tanh(x.sum() / 3))

    f.__qualname__ = "f"  # what Python's own messages call it
    return Supply(f)


def _shape(rng, *large):
    """Different sizes, and axes of one element in front or between: few elements, for each costs two calls of f."""
    shape = [int(n) for n in rng.permutation(large)]
    while len(shape) < 4:
        shape.insert(int(rng.integers(len(shape))), 1)
    return tuple(shape)


def _case(rng, about, step, shape, fortran=False):
    x = rng.uniform(0.3, 1.2, shape) * rng.choice([-1, 1], shape)
    x = np.asfortranarray(x) if fortran else x
    return Case(about, {"f": _smooth(rng, shape), "x": x, "step": step})


def _values(rng):
    return [
        _case(rng, "a step of 0.1", 0.1, _shape(rng, 2, 3, 4)),
        _case(rng, "a step of 0.02", 0.02, _shape(rng, 2, 3)),
    ]


def _other_shapes(rng):
    return [
        _case(rng, "an array whose rows are not next to each other in memory", 0.1, _shape(rng, 2, 3, 4), fortran=True),
        _case(rng, "one number in the last axis", 0.2, (2, 3, 1, 1)),
        _case(rng, "a single number", 0.05, (1, 1, 1, 1)),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _moved_and_put_back(f, x, step):
    x, out = np.array(x), np.empty(x.shape)
    for place in np.ndindex(out.shape):
        here = x[place]
        x[place] = here + step
        out[place] = f(x)
        x[place] = here - step
        out[place] -= f(x)
        x[place] = here
    return out / (step + step)


def _flat(f, x, step):
    flat = x.ravel()
    slopes = []
    for n in range(flat.size):
        higher, lower = flat.copy(), flat.copy()
        higher[n] += step
        lower[n] -= step
        slopes.append((f(higher.reshape(x.shape)) - f(lower.reshape(x.shape))) / step / 2)
    return np.reshape(slopes, x.shape)


def _rows_of_the_identity(f, x, step):
    units = np.identity(x.size).reshape(x.size, *x.shape) * step
    return np.array([f(x + unit) - f(x - unit) for unit in units]).reshape(x.shape) / (2 * step)


def _mean_of_two_slopes(f, x, step):
    out, here = np.empty(x.shape), f(x)
    for place in np.ndindex(out.shape):
        moved = x.astype(float)
        moved[place] += step
        ahead = (f(moved) - here) / step
        moved[place] -= 2 * step
        out[place] = ((here - f(moved)) / step + ahead) / 2
    return out


EXERCISE = Exercise(
    name="central-difference",
    title="A gradient without calculus",
    chapter="07-tiles",
    version=1,
    parameters=(
        Parameter("f", "a function. f(array) takes an array of the shape of x and gives a number (`float`)"),
        Parameter("x", "float64 array (batch, heads, length, dim)"),
        Parameter("step", "number above 0: how far an element is moved"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "heads", "length", "dim"),
            about="an array of the shape and dtype of `x`: for each element how fast f changes with it",
        ),
    ),
    reference=_reference,
    tolerance=_ROUNDED,
    example="""
>>> x = np.array([1.0, 2.0]).reshape(1, 1, 1, 2)
>>> central_difference(lambda x: float((x**3).sum()), x, 0.5)
array([[[[ 3.25, 12.25]]]])
""",
    hints=(
        "One element at a time: how much does f change if this element alone goes up by step, and if it goes down?",
        "np.ndindex(x.shape) goes through all places of an array of any shape; x[place] is one element.",
        "Work on copies of x, or put the element back before you go on to the next one.",
        "Between the two points lie two steps: one up and one down.",
    ),
    aspects=(
        Aspect("values", 2, "the right numbers for two sizes of the step", _values),
        Aspect("other shapes", 1, "axes of one element, and another order in memory", _other_shapes),
    ),
    alternatives={
        "moved and put back": _moved_and_put_back,
        "flat": _flat,
        "rows of the identity": _rows_of_the_identity,
        "the mean of two slopes": _mean_of_two_slopes,
    },
    mistakes=MISTAKES,
)
