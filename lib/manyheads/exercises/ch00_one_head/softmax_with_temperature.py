"""softmax-with-temperature: softmax made sharper or more even."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(scores, temperature):
    return reference.softmax(scores / temperature)


def _case(about, scores, temperature, probe=False):
    return Case(about, {"scores": scores, "temperature": float(temperature)}, probe)


def _normal(rng, dtype="float64", **ranges):
    return 2 * sizes.normal(rng, *inputs.shape(rng, **ranges), dtype=dtype)


def _in_eighths(rng, **ranges):
    """Scores that are equal or at least an eighth apart: three are the largest of row 0, one just stands out in row "
    "1."""
    scores = rng.integers(-16, 16, inputs.shape(rng, **ranges)) / 8
    scores[:, 0, 1:4] = 2
    scores[:, 1] = 0
    scores[:, 1, -1] = 1 / 8
    return scores


def _values(rng):
    return [
        _case("a temperature below 1", _normal(rng), rng.uniform(0.3, 0.7)),
        _case("a temperature above 1", _normal(rng, q_len=(6, 9), k_len=(4, 5)), rng.uniform(1.5, 3)),
        _case("a temperature of 10,000", _normal(rng), 1e4),
    ]


def _low(rng):
    return [
        _case("a temperature of 0.001", _in_eighths(rng), 1e-3),
        _case(
            "a temperature of 0.00125, more queries than keys", _in_eighths(rng, q_len=(6, 9), k_len=(4, 5)), 1.25e-3
        ),
    ]


def _forbidden_keys(rng):
    return [
        _case("forbidden keys and empty rows", inputs.forbid(rng, _normal(rng)), rng.uniform(0.3, 0.7)),
        _case("forbidden keys and empty rows at 1e9", inputs.forbid(rng, _normal(rng)), 1e9),
        # Tells what goes wrong at low temperatures too from what does not.
        _case("forbidden keys at 0.001", inputs.forbid(rng, _in_eighths(rng)), 1e-3, probe=True),
    ]


def _float32(rng):
    return [_case("float32 scores", _normal(rng, "float32"), rng.uniform(0.3, 0.7))]


# -- right answers by other techniques -----------------------------------------------------------------


def _multiplied_by_the_inverse(scores, temperature):
    return reference.softmax(scores * temperature**-1)


def _shifted_then_divided(scores, temperature):
    out = np.zeros_like(scores)
    for b, rows in enumerate(scores):
        for i, row in enumerate(rows):
            seen = np.isfinite(row)
            if seen.any():
                e = np.exp((row[seen] - row[seen].max()) / temperature)
                out[b, i, seen] = e / e.sum()
    return out


def _powers_of_the_exponentials(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) ** (1 / temperature)
    return np.nan_to_num(e / np.einsum("bqk->bq", e)[..., None])


def _float64_inside(scores, temperature):
    cooled = np.divide(scores, temperature, dtype=np.float64)
    return reference.softmax(cooled).astype(scores.dtype)


# -- known mistakes ------------------------------------------------------------------------------------


def _multiplied(scores, temperature):
    return reference.softmax(scores * temperature)


def _no_effect(scores, temperature):
    return reference.softmax(scores)


def _weights_divided(scores, temperature):
    return reference.softmax(scores) / temperature


def _powers_not_normalised(scores, temperature):
    return reference.softmax(scores) ** (1 / temperature)


def _powers_of_the_weights(scores, temperature):
    powers = reference.softmax(scores) ** (1 / temperature)
    return powers / powers.sum(axis=-1, keepdims=True)


def _square_root(scores, temperature):
    return reference.softmax(scores / temperature**0.5)


def _twice(scores, temperature):
    return reference.softmax(scores / temperature / temperature)


def _softmax_of_weights(scores, temperature):
    return reference.softmax(reference.softmax(scores) / temperature)


def _over_the_queries(scores, temperature):
    return reference.softmax(scores / temperature, axis=-2)


def _maximum_not_divided(scores, temperature):
    e = np.exp(scores / temperature - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _nan_in_empty_rows(scores, temperature):
    cooled = scores / temperature
    e = np.exp(cooled - cooled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _finite_fill(scores, temperature):
    return reference.softmax(np.where(np.isneginf(scores), -1e9, scores) / temperature)


def _float64_temperature(scores, temperature):
    return reference.softmax(scores / np.float64(temperature))


EXERCISE = Exercise(
    name="softmax-with-temperature",
    title="Sharper or more even: temperature",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter("scores", "float array (batch, q_len, k_len); minus infinity where a query may not attend to a key"),
        Parameter("temperature", "a Python float larger than 0, as small as 0.001 or as large as 1e9"),
    ),
    returns=(Output("result", ("batch", "q_len", "k_len")),),
    reference=_reference,
    example=(
        ">>> scores = np.array([[[0.0, np.log(3.0), -np.inf]]])\n"
        ">>> softmax_with_temperature(scores, 1.0)\n"
        "array([[[0.25, 0.75, 0.  ]]])\n"
        ">>> softmax_with_temperature(scores, 0.5)\n"
        "array([[[0.1, 0.9, 0. ]]])"
    ),
    hints=(
        "At a low temperature the gaps between the scores of a row have to count for more. What does that to the "
        "scores?",
        "Whatever multiplies all weights of a row alike is undone when the row is made to sum to 1. So the temperature "
        "has to act before that.",
        "If you write the softmax yourself: scores and the maximum that you take off must both be on the same side of "
        "the division, and a row of nothing but minus infinity has to come out as zeros.",
    ),
    given=("softmax",),
    tolerance=ATTENTION,
    aspects=(
        Aspect("values", 1, "temperatures near 1, and a high one", _values),
        Aspect("low temperatures", 1, "temperatures near 0.001, and scores that are equal", _low),
        Aspect("forbidden keys", 1, "weight 0 at minus infinity at any temperature, and empty rows", _forbidden_keys),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "multiplied by the inverse": _multiplied_by_the_inverse,
        "shifted, then divided": _shifted_then_divided,
        "powers of the exponentials": _powers_of_the_exponentials,
        "float64 inside": _float64_inside,
    },
    mistakes=(
        Mistake(
            "multiplied",
            _multiplied,
            "You multiplied the scores by the temperature, or raised the weights to that power. That is the wrong way "
            "round: a low temperature has to make a row sharper, so divide the scores by it.",
            "Temperature",
        ),
        Mistake(
            "no-effect",
            _no_effect,
            "Your weights are those of temperature 1. Dividing exponentials or weights by the temperature, or adding "
            "it to the scores, changes all entries of a row alike, and making the row sum to 1 undoes it.",
            "Temperature",
        ),
        Mistake(
            "weights-divided",
            _weights_divided,
            "You divided the weights by the temperature, so the rows no longer sum to 1 and are as sharp as before. "
            "Divide the scores.",
            "Temperature",
        ),
        Mistake(
            "powers-not-normalised",
            _powers_not_normalised,
            "You raised the weights to the power 1 / temperature, which gives the right proportions, but the rows no "
            "longer sum to 1.",
            "Temperature",
        ),
        Mistake(
            "powers-of-the-weights",
            _powers_of_the_weights,
            "You raised the weights to the power 1 / temperature and divided by the sum. On paper that is right. At "
            "a low temperature all powers of a row can vanish, and an empty row sums to 0 as well: 0 / 0 is NaN. "
            "Work on the scores.",
            "Temperature",
            loses=("low temperatures", "forbidden keys"),
        ),
        Mistake(
            "square-root",
            _square_root,
            "You divided by the square root of the temperature. The root belongs to head_dim, in the scale of "
            "attention; the temperature divides as it is.",
            "Temperature",
        ),
        Mistake(
            "applied-twice",
            _twice,
            "The temperature was applied twice. Divide the scores by it once.",
            "Temperature",
            loses=("values", "forbidden keys", "float32"),
        ),
        Mistake(
            "softmax-of-weights",
            _softmax_of_weights,
            "You took the softmax twice, the second time of weights divided by the temperature. Weights lie "
            "between 0 and 1, so that is another function, and it gives forbidden keys a share. Divide the scores, "
            "then take the softmax once.",
            "Temperature",
        ),
        Mistake(
            "over-the-queries",
            _over_the_queries,
            "Your softmax runs over the queries, so the columns sum to 1. It belongs on the last axis, the keys.",
            "From scores to weights",
        ),
        Mistake(
            "maximum-not-divided",
            _maximum_not_divided,
            "You divided the scores, but took off the maximum of the undivided ones. At a low temperature that is too "
            "little to keep the exponential from overflowing. Divide first and take the maximum of the result.",
            "Scores too large for the exponential",
            loses=("low temperatures", "forbidden keys"),
        ),
        Mistake(
            "nan-in-empty-rows",
            _nan_in_empty_rows,
            "In a row of nothing but minus infinity, you took minus infinity from itself, which is NaN. Such a row has "
            "nothing to attend to, and gets zeros.",
            "A row with nothing allowed",
            loses=("forbidden keys",),
        ),
        Mistake(
            "finite-fill",
            _finite_fill,
            "You put a large negative number in place of minus infinity. Divided by a high temperature it is no longer "
            "large, and a forbidden key gets a share; an empty row becomes uniform at any temperature. Minus infinity "
            "stays what it is when you divide it.",
            "A row with nothing allowed",
            loses=("forbidden keys",),
        ),
        Mistake(
            "float64-temperature",
            _float64_temperature,
            "Your result is float64. A NumPy float64 makes that of a float32 array; a Python float does not.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
