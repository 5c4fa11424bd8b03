"""The known mistakes of softmax-with-temperature."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _multiplied(scores, temperature):
    return reference.softmax(scores * temperature)


def _no_effect(scores, temperature):
    return reference.softmax(scores)


def _weights_divided(scores, temperature):
    return reference.softmax(scores) / temperature


def _weights_multiplied(scores, temperature):
    return reference.softmax(scores) * temperature


def _added(scores, temperature):
    return reference.softmax(scores + temperature)


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


def _overflow_guarded(scores, temperature):
    e = np.exp(scores / temperature)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def _overflow_to_zero(scores, temperature):
    with np.errstate(all="ignore"):
        e = np.exp(scores / temperature)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


def _maximum_alone_divided(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


def _lowest_temperature(scores, temperature):
    return reference.softmax(scores / max(temperature, 0.01))


def _one_key_at_low_temperatures(scores, temperature):
    if temperature < 0.01:
        return np.eye(scores.shape[-1], dtype=scores.dtype)[scores.argmax(axis=-1)]
    return reference.softmax(scores / temperature)


def _nan_in_empty_rows(scores, temperature):
    cooled = scores / temperature
    e = np.exp(cooled - cooled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _finite_fill(scores, temperature):
    return reference.softmax(np.where(np.isneginf(scores), -1e9, scores) / temperature)


def _even_empty_rows(scores, temperature):
    cooled = scores / temperature
    return reference.softmax(np.where(np.isneginf(cooled), -1e9, cooled))


def _small_fill(scores, temperature):
    cooled = scores / temperature
    return reference.softmax(np.where(np.isneginf(cooled), -1000, cooled))


def _forbidden_keys_in_the_maximum(scores, temperature):
    cooled = scores / temperature
    e = np.exp(cooled - np.where(np.isfinite(cooled), cooled, 0).max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def _float64_temperature(scores, temperature):
    return reference.softmax(scores / np.float64(temperature))


_OVERFLOW = (
    "The exponential overflows, or all of a row vanish: after the division the scores are large. Take off the maximum "
    "of the divided scores (none, or that of the undivided ones, is too little), or use the softmax that is given."
)

MISTAKES = (
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
        "Your weights are those of temperature 1. If you divided exponentials or weights by the temperature: that "
        "changes all entries of a row alike, and making the row sum to 1 undoes it. Divide the scores.",
        "Temperature",
    ),
    Mistake(
        "added",
        _added,
        "You added the temperature to the scores. That changes all scores of a row alike, and softmax depends on their "
        "differences only. Divide the scores by it.",
        "Temperature",
    ),
    Mistake(
        "maximum-alone-divided",
        _maximum_alone_divided,
        "You divided the maximum and not the scores, as s - m / T does. What is taken off cancels, so these are the "
        "weights of temperature 1, and at a low temperature the exponentials vanish or overflow. Divide the whole "
        "difference.",
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
        "weights-multiplied",
        _weights_multiplied,
        "You multiplied the weights by the temperature, so the rows no longer sum to 1 and are as sharp as before. "
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
        loses=("values", "forbidden keys"),
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
        _OVERFLOW,
        "Scores too large for the exponential",
        loses=("values", "forbidden keys"),
    ),
    Mistake(
        "overflow-guarded",
        _overflow_guarded,
        _OVERFLOW + " A guard against a sum of 0 only makes zeros of the rows that vanish.",
        "Scores too large for the exponential",
        loses=("values", "forbidden keys"),
    ),
    Mistake(
        "overflow-to-zero",
        _overflow_to_zero,
        "At low temperatures your weights are 0 where NaN was replaced by 0. " + _OVERFLOW,
        "Scores too large for the exponential",
        loses=("values", "forbidden keys"),
    ),
    Mistake(
        "lowest-temperature",
        _lowest_temperature,
        "At the lowest temperatures your rows are less sharp than they should be: they are those of 0.01, as if the "
        "temperature had a lower bound. Divide by the temperature as it is; with the maximum taken off, nothing "
        "overflows.",
        "Temperature",
        loses=("values", "forbidden keys"),
    ),
    Mistake(
        "one-key-at-low-temperatures",
        _one_key_at_low_temperatures,
        "At low temperatures the first of the largest scores gets all the weight. Scores that share the maximum share "
        "the weight, and an empty row has none. Softmax does that by itself: low temperatures need no case of their "
        "own.",
        "Temperature",
        loses=("values", "forbidden keys"),
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
        "large, and a forbidden key gets a share; an empty row becomes even at any temperature. Minus infinity "
        "stays what it is when you divide it.",
        "A row with nothing allowed",
        loses=("forbidden keys",),
    ),
    Mistake(
        "even-empty-rows",
        _even_empty_rows,
        "Your empty rows are even: 1/k_len for each key, all of them forbidden. A large negative number in place "
        "of minus infinity does that, and so does turning a NaN to 0 before the exponential. They have to be zeros.",
        "A row with nothing allowed",
        loses=("forbidden keys",),
    ),
    Mistake(
        "small-fill",
        _small_fill,
        "A number like -100 or -1000 stood in for minus infinity. At a low temperature the divided scores of a row can "
        "all be below that: then the forbidden keys get all the weight. An empty row becomes even. Leave minus "
        "infinity as it is; its exponential is 0.",
        "A row with nothing allowed",
        loses=("forbidden keys",),
    ),
    Mistake(
        "forbidden-keys-in-the-maximum",
        _forbidden_keys_in_the_maximum,
        "At a low temperature, rows far below 0 with a forbidden key came out as zeros. When the maximum was taken, a "
        "number such as 0, -100 or -1000 stood for minus infinity, and it was larger than all allowed scores. The "
        "maximum is that of the allowed scores alone.",
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
)
