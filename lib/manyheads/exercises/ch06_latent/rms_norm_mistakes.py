"""The known mistakes of rms-norm."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _layer_norm(x, weight, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * weight


def _standard_deviation(x, weight, eps):
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * weight


def _sum_for_mean(x, weight, eps):
    return x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + eps) * weight


def _mean_after_the_root(x, weight, eps):
    return x / (np.sqrt((x**2).sum(axis=-1, keepdims=True)) / x.shape[2] + eps) * weight


def _no_root(x, weight, eps):
    return x / ((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def _root_twice(x, weight, eps):
    return x / ((x**2).mean(axis=-1, keepdims=True) + eps) ** 0.25 * weight


def _times_the_root(x, weight, eps):
    return x * np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def _mean_of_sizes(x, weight, eps):
    return x / (np.abs(x).mean(axis=-1, keepdims=True) + eps) * weight


def _square_of_the_mean(x, weight, eps):
    return x / np.sqrt(x.mean(axis=-1, keepdims=True) ** 2 + eps) * weight


def _weight_left_out(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


def _weight_first(x, weight, eps):
    weighed = x * weight
    return weighed / np.sqrt((weighed**2).mean(axis=-1, keepdims=True) + eps)


def _weight_plus_one(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * (1 + weight)


def _divided_by_weight(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) / weight


def _over_the_tokens(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + eps) * weight


def _over_the_sequences(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=0, keepdims=True) + eps) * weight


def _over_everything(x, weight, eps):
    return x / x.dtype.type(np.sqrt((x**2).mean() + eps)) * weight


def _over_a_sequence(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=(1, 2), keepdims=True) + eps) * weight


def _eps_outside(x, weight, eps):
    return x / (np.sqrt((x**2).mean(axis=-1, keepdims=True)) + eps) * weight


def _eps_divided(x, weight, eps):
    return x / np.sqrt(((x**2).sum(axis=-1, keepdims=True) + eps) / x.shape[2]) * weight


def _eps_forgotten(x, weight, eps):
    square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(np.where(square == 0, 1, square)) * weight


def _eps_at_least(x, weight, eps):
    return x / np.sqrt(np.maximum((x**2).mean(axis=-1, keepdims=True), eps)) * weight


def _eps_at_least_the_root(x, weight, eps):
    return x / np.maximum(np.sqrt((x**2).mean(axis=-1, keepdims=True)), eps) * weight


def _eps_fixed(x, weight, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6) * weight


def _float64_inside(x, weight, eps):
    wide = x.astype(np.float64)
    return wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + eps) * weight


_SECTION = "Root mean square"

MISTAKES = (
    Mistake(
        "layer-norm",
        _layer_norm,
        "You took the mean of each vector away before you divided: that is LayerNorm. RMSNorm divides the numbers as "
        "they are.",
        _SECTION,
    ),
    Mistake(
        "standard-deviation",
        _standard_deviation,
        "You divided by the standard deviation, which is measured from the mean of the vector. The root mean square "
        "is measured from 0: square the numbers themselves.",
        _SECTION,
    ),
    Mistake(
        "sum-for-mean",
        _sum_for_mean,
        "You divided by the root of the sum of the squares, which is the vector's length. Divide by the root of their "
        "mean.",
        _SECTION,
    ),
    Mistake(
        "mean-after-the-root",
        _mean_after_the_root,
        "You took the root of the sum of the squares, and divided it by the width afterwards. The mean comes first, "
        "then the root.",
        _SECTION,
    ),
    Mistake(
        "no-root",
        _no_root,
        "You divided by the mean square itself. Take its square root, or a vector that is twice as large comes out "
        "half as large.",
        _SECTION,
    ),
    Mistake(
        "root-twice",
        _root_twice,
        "You took the root of the mean square twice. One square root brings it back to the size of the numbers.",
        _SECTION,
    ),
    Mistake(
        "times-the-root",
        _times_the_root,
        "You multiplied by the root mean square where you should divide by it.",
        _SECTION,
    ),
    Mistake(
        "mean-of-sizes",
        _mean_of_sizes,
        "You divided by the mean of the absolute values. Square the numbers, take the mean, then its root.",
        _SECTION,
    ),
    Mistake(
        "square-of-the-mean",
        _square_of_the_mean,
        "You squared the mean, where large numbers of both signs cancel. Take the mean of the squares.",
        _SECTION,
    ),
    Mistake(
        "weight-left-out",
        _weight_left_out,
        "The vectors are normed and not weighed: multiply by weight, number by number, at the end.",
        _SECTION,
    ),
    Mistake(
        "weight-first",
        _weight_first,
        "You multiplied by weight before you took the root mean square, so that the weights change the norm. The root "
        "mean square is that of x alone; the weight comes after it.",
        _SECTION,
    ),
    Mistake(
        "weight-plus-one",
        _weight_plus_one,
        "You multiplied by 1 + weight. Some models keep their weight in that way (Gemma does); here it is the factor "
        "itself.",
        _SECTION,
    ),
    Mistake(
        "divided-by-weight",
        _divided_by_weight,
        "You divided by weight. It is a factor: multiply by it.",
        _SECTION,
    ),
    Mistake(
        "over-the-tokens",
        _over_the_tokens,
        "Your mean runs over the tokens, axis 1. Each token is normed by itself: take the mean over the last axis.",
        _SECTION,
    ),
    Mistake(
        "over-the-sequences",
        _over_the_sequences,
        "Your mean runs over the sequences, axis 0. Each token is normed by itself: take the mean over the last axis.",
        _SECTION,
    ),
    Mistake(
        "over-everything",
        _over_everything,
        "You took one mean over the whole array, so that a token's norm depends on all others. Take the mean over the "
        "last axis only, with keepdims=True.",
        _SECTION,
    ),
    Mistake(
        "over-a-sequence",
        _over_a_sequence,
        "You took one mean for each sequence. Each token is normed by itself: take the mean over the last axis only.",
        _SECTION,
    ),
    Mistake(
        "eps-outside",
        _eps_outside,
        "You added eps to the root. It belongs inside: add it to the mean square, then take the root of both.",
        _SECTION,
        loses=("eps",),
    ),
    Mistake(
        "eps-divided",
        _eps_divided,
        "Your eps is divided by the width: it was added to the sum of the squares. Take the mean first, then add eps.",
        _SECTION,
        loses=("eps",),
    ),
    Mistake(
        "eps-forgotten",
        _eps_forgotten,
        "You did not add eps to the mean square. For vectors of ordinary size it hardly shows; for small ones it does.",
        _SECTION,
        loses=("eps",),
    ),
    Mistake(
        "eps-at-least",
        _eps_at_least,
        "You used eps as a least value of the mean square. It is added, whatever the mean square is.",
        _SECTION,
        loses=("eps",),
    ),
    Mistake(
        "eps-at-least-the-root",
        _eps_at_least_the_root,
        "You used eps as a least value of the root. It is added, to the mean square, whatever that is.",
        _SECTION,
        loses=("eps",),
    ),
    Mistake(
        "eps-fixed",
        _eps_fixed,
        "You added 1e-6 whatever eps is. Use the argument.",
        _SECTION,
        loses=("values", "eps"),
    ),
    Mistake(
        "float64-inside",
        _float64_inside,
        "Your result is float64 where float32 came in. NumPy keeps float32 only as long as nothing wider takes part: "
        "after a step in float64, go back with astype(x.dtype).",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
