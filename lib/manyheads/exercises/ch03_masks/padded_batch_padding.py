"""Wrong answers to padded-batch: what the padding holds gets through to the result."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _padding_forgotten(q, k, v, lengths):
    real = np.arange(q.shape[2]) < lengths[:, None]
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return weights @ v * real[:, None, :, None]


def _no_lengths(q, k, v, lengths):
    return reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5) @ v


def _padding_rows_kept(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ np.where(keys.swapaxes(2, 3), v, 0)


def _padding_zeroed(q, k, v, lengths):
    real = (np.arange(q.shape[2]) < lengths[:, None])[:, None, :, None]
    k, v = np.where(real, k, 0), np.where(real, v, 0)
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return np.where(real, weights @ v, 0)


def _not_renormalised(q, k, v, lengths):
    real = reference.padding_mask(lengths, k.shape[2])
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return weights * real @ v * real.swapaxes(2, 3)


def _stand_in(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys & keys.swapaxes(2, 3), q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -1e9)
    return reference.softmax(scores) @ np.where(keys.swapaxes(2, 3), v, 0)


def _stand_in_too_high(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    rows = keys.swapaxes(2, 3)
    scores = np.where(keys, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -1e4)
    return np.where(rows, reference.softmax(scores) @ np.where(rows, v, 0), 0)


def _too_little_added(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    rows = keys.swapaxes(2, 3)
    q, k, v = (np.nan_to_num(x, posinf=0, neginf=0) for x in (q, k, v))
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5 + np.where(keys, 0, -1e4).astype(q.dtype)
    return np.where(rows, reference.softmax(scores) @ v, 0)


def _infinity_added(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    rows = keys.swapaxes(2, 3)
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5 + np.where(keys, 0, -np.inf).astype(q.dtype)
    return np.where(rows, reference.softmax(scores) @ np.where(rows, v, 0), 0)


def _only_nan_replaced(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys & keys.swapaxes(2, 3), q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ np.where(np.isnan(v), 0, v)


def _only_nan_replaced_rows_cleared(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return np.where(keys.swapaxes(2, 3), reference.softmax(scores) @ np.where(np.isnan(v), 0, v), 0)


def _no_maximum(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    rows = keys.swapaxes(2, 3)
    e = np.exp(np.where(keys & rows, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ np.where(rows, v, 0)


def _nan_let_through(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys & keys.swapaxes(2, 3), q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ v


def _nan_in_real_rows(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return np.where(keys.swapaxes(2, 3), reference.softmax(scores) @ v, 0)


MISTAKES = (
    Mistake(
        "padding-forgotten",
        _padding_forgotten,
        "Your real tokens attend to the padding. Nothing crashes, and the more padding a sentence has, the worse "
        "it gets: its result depends on the longest sentence in its batch. Padding keys must get no weight.",
        "Padding",
    ),
    Mistake(
        "no-lengths",
        _no_lengths,
        "Your result does not depend on the lengths: real tokens attend to padding, and padding gets results. "
        "Keys in the padding must get no weight, and queries in the padding get 0.",
        "Padding",
    ),
    Mistake(
        "padding-rows-kept",
        _padding_rows_kept,
        "The real tokens are right. The rows of the padding queries still hold results, because these queries see "
        "the real keys; here they have to be 0.",
        "Padding",
    ),
    Mistake(
        "padding-zeroed",
        _padding_zeroed,
        "Each padding token takes a share of the weights as from a score of 0, and e^0 = 1. That happens where "
        "the padding (or its scores) is set to 0 and not masked before the softmax. Its score has to be minus "
        "infinity.",
        "Before the softmax",
    ),
    Mistake(
        "not-renormalised",
        _not_renormalised,
        "You took the padding out after the softmax. It had its share of each row already, and what is left does "
        "not sum to 1. Mask before the softmax.",
        "Before the softmax",
    ),
    Mistake(
        "stand-in",
        _stand_in,
        "A padding query, which may see nothing, gets a mean over all tokens of the row, as from a large negative "
        "number in the place of minus infinity, or from any row of equal scores. It should get 0.",
        "Rows with no key",
    ),
    Mistake(
        "stand-in-too-high",
        _stand_in_too_high,
        "In the rows whose real scores are very low, the padding got the weight: the number that stands for minus "
        "infinity is above the real scores there. Only minus infinity is below every score.",
        "Before the softmax",
        loses=("values",),
    ),
    Mistake(
        "too-little-added",
        _too_little_added,
        "Where padding has a very high score, it still wins: what you added to its score is not enough to "
        "outweigh it. Write minus infinity over the score instead, whatever it was.",
        "Before the softmax",
        loses=("values", "padding contents"),
    ),
    Mistake(
        "infinity-added",
        _infinity_added,
        "You added minus infinity to the scores of the padding. Where such a score is NaN or infinity, the sum is "
        "NaN, and the softmax spreads it over the row. Write minus infinity over the score instead, whatever it "
        "was.",
        "What goes wrong and does not crash",
        loses=("padding contents",),
    ),
    Mistake(
        "only-nan-replaced",
        _only_nan_replaced,
        "NaN in the padding no longer gets through, but infinity does: 0 times infinity is NaN, too. Replace what "
        "stands in the padding of v because it is padding, not because it is NaN.",
        "What goes wrong and does not crash",
        loses=("padding contents",),
    ),
    Mistake(
        "only-nan-replaced-rows-cleared",
        _only_nan_replaced_rows_cleared,
        "NaN in the padding no longer gets through, but infinity does: in the real rows it is multiplied by a weight "
        "of 0, and that is NaN, too. Replace what stands in the padding of v because it is padding, not because it is "
        "NaN.",
        "What goes wrong and does not crash",
        loses=("padding contents",),
    ),
    Mistake(
        "no-maximum",
        _no_maximum,
        "Your exponentials overflow to infinity or vanish where scores are large, and infinity divided by infinity is "
        "NaN. Subtract each row's largest real score first, which changes no weight; reference.softmax does.",
        "Before the softmax",
        loses=("values",),
    ),
    Mistake(
        "nan-let-through",
        _nan_let_through,
        "The weights of the padding are 0, but its values are still multiplied by them, and 0 times NaN is NaN. "
        "Padding may hold anything: replace it in v before the product.",
        "What goes wrong and does not crash",
        loses=("padding contents",),
    ),
    Mistake(
        "nan-in-real-rows",
        _nan_in_real_rows,
        "You set the rows of the padding to 0 in the result, but the real rows are NaN: there the padding's "
        "values are multiplied by a weight of 0, and 0 times NaN is NaN. Replace them in v before the product.",
        "What goes wrong and does not crash",
        loses=("padding contents",),
    ),
)
