"""softmax-with-temperature: softmax made sharper or more even."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch00_one_head import inputs
from manyheads.exercises.ch00_one_head.softmax_with_temperature_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(scores, temperature):
    return reference.softmax(scores / temperature)


def _case(about, scores, temperature, probe=False):
    return Case(about, {"scores": scores, "temperature": float(temperature)}, probe)


def _normal(rng, dtype="float64", **ranges):
    return 2 * sizes.normal(rng, *inputs.shape(rng, **ranges), dtype=dtype)


def _in_eighths(rng, forbidden=False, **ranges):
    """Scores that are equal or at least an eighth apart, in rows above and below 0, and with several largest ones."""
    near = rng.integers(-4, 4, inputs.shape(rng, **ranges)) / 8
    near[:, (0, 2), 1:4] = 4 / 8
    scores = inputs.far_from_zero(rng, near, 4, forbidden)
    if not forbidden:
        scores[:, -1] = 0
        scores[:, -1, -1] = 1 / 8  # small enough for exponentials of undivided and divided scores
    return scores


def _values(rng):
    return [
        _case("a temperature below 1", _normal(rng), rng.uniform(0.3, 0.7)),
        _case("a temperature above 1", _normal(rng, q_len=(6, 9), k_len=(4, 5)), rng.uniform(1.5, 3)),
        _case("a temperature of a million", _normal(rng), 1e6),
        _case("a temperature of 0.001", _in_eighths(rng, q_len=(5, 6), k_len=(7, 9)), 1e-3),
        _case(
            "a temperature of 0.00125, more queries than keys", _in_eighths(rng, q_len=(6, 9), k_len=(4, 5)), 1.25e-3
        ),
    ]


def _forbidden_keys(rng):
    low = _in_eighths(rng, forbidden=True, q_len=(5, 6), k_len=(7, 9))
    return [
        _case("forbidden keys and empty rows", inputs.forbid(rng, _normal(rng)), rng.uniform(0.3, 0.7)),
        _case("forbidden keys and empty rows at 1e9", inputs.forbid(rng, _normal(rng)), 1e9),
        _case("forbidden keys and empty rows at 0.001", low, 1e-3),
    ]


def _float32(rng):
    low = _in_eighths(rng, q_len=(5, 6), k_len=(7, 9)).astype(np.float32)
    return [
        _case("float32 scores", _normal(rng, "float32"), rng.uniform(0.3, 0.7)),
        # Tell mistakes apart that are the same at ordinary temperatures.
        _case("float32 scores at 10,000", _normal(rng, "float32"), 1e4, probe=True),
        _case("float32 scores at 0.001", low, 1e-3, probe=True),
    ]


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


EXERCISE = Exercise(
    name="softmax-with-temperature",
    title="Sharper or more even: temperature",
    chapter="00-one-head",
    version=1,
    parameters=(
        Parameter(
            "scores",
            "float array (batch, q_len, k_len), of ordinary size (from about -10 to 10); minus infinity where a query "
            "may not attend to a key",
        ),
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
        Aspect("values", 1, "temperatures from 0.001 to a million, and scores that are equal", _values),
        Aspect("forbidden keys", 1, "weight 0 at minus infinity at any temperature, and empty rows", _forbidden_keys),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "multiplied by the inverse": _multiplied_by_the_inverse,
        "shifted, then divided": _shifted_then_divided,
        "powers of the exponentials": _powers_of_the_exponentials,
        "float64 inside": _float64_inside,
    },
    mistakes=MISTAKES,
)
