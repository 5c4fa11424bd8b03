"""Wrong answers to masked-attention: the mask is used too late, with the wrong numbers, or not at all."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _no_mask(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(scores) @ v


def _not_renormalised(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return (reference.softmax(scores) * mask) @ v


def _masked_too_late(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    weights = reference.softmax(scores) * mask
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def _scores_zeroed(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(scores * mask) @ v


def _mask_added(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(scores + mask) @ v


def _inverted(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, -np.inf, scores)) @ v


def _first_mask_for_all(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    first = mask[:1] if mask.ndim == 4 else mask
    return reference.softmax(np.where(first, scores, -np.inf)) @ v


def _stand_in_too_high(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    weights = reference.softmax(np.where(mask, scores, -1e4))
    return (weights * mask.any(axis=-1, keepdims=True)) @ v


def _too_little_added(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5 + np.where(mask, 0, -1e4).astype(q.dtype)
    return (reference.softmax(scores) * mask.any(axis=-1, keepdims=True)) @ v


def _one_maximum_for_all(q, k, v, mask):
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max())
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def _no_maximum(q, k, v, mask):
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    e = np.exp(scores)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def _exponentials_masked(q, k, v, mask):
    e = np.exp(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ v


def _stand_in(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask, scores, -1e9)) @ v


def _stand_in_added(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(scores + np.where(mask, 0, -1e9).astype(q.dtype)) @ v


def _unmasked_if_empty(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return reference.softmax(np.where(mask | ~mask.any(axis=-1, keepdims=True), scores, -np.inf)) @ v


def _nan_if_empty(q, k, v, mask):
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


MISTAKES = (
    Mistake(
        "no-mask",
        _no_mask,
        "Your result does not depend on the mask: every query uses every key. The mask belongs between the scores "
        "and the softmax.",
        "Before the softmax",
    ),
    Mistake(
        "not-renormalised",
        _not_renormalised,
        "You masked after the softmax. The forbidden keys already had their share of each row, so what is left no "
        "longer sums to 1. Mask the scores before the softmax.",
        "Before the softmax",
    ),
    Mistake(
        "masked-too-late",
        _masked_too_late,
        "Where a forbidden key has by far the highest score, your result is 0: beside it, the exponentials of the "
        "allowed keys vanished before it was taken away. Forbid first, then find the largest score and take "
        "exponentials.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "scores-zeroed",
        _scores_zeroed,
        "The forbidden scores became 0. A score of 0 has the weight e^0 = 1 before normalising, often more than "
        "an allowed key. It has to be minus infinity.",
        "Before the softmax",
    ),
    Mistake(
        "mask-added",
        _mask_added,
        "You added the booleans to the scores, so that allowed keys gained 1 and nothing was forbidden. What is "
        "added must be 0 where allowed and minus infinity elsewhere.",
        "Three conventions",
    ),
    Mistake(
        "inverted",
        _inverted,
        "You forbade what the mask allows. In this course True means: may attend.",
        "Who may attend",
    ),
    Mistake(
        "first-mask-for-all",
        _first_mask_for_all,
        "Every sequence got the mask of the first. A mask of four axes has one for each sequence of the batch.",
        "Padding",
    ),
    Mistake(
        "stand-in-too-high",
        _stand_in_too_high,
        "In the rows whose allowed scores are very low, your result is made of forbidden keys: the number that "
        "stands for minus infinity is above the allowed scores there. Only minus infinity is below every score.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "too-little-added",
        _too_little_added,
        "Where a forbidden key has a very high score, it still wins: what you added to its score is not enough to "
        "outweigh it. Only minus infinity outweighs every score.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "one-maximum-for-all",
        _one_maximum_for_all,
        "Rows whose scores are far below the largest of the array became 0: all their exponentials vanish when "
        "that is subtracted. Subtract from each row its own largest allowed score; reference.softmax does.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "no-maximum",
        _no_maximum,
        "Your exponentials overflow to infinity or vanish where scores are large, and infinity divided by "
        "infinity is NaN. Subtract each row's largest allowed score first, which changes no weight; "
        "reference.softmax does.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "exponentials-masked",
        _exponentials_masked,
        "With large scores you get NaN: from infinity times 0, infinity divided by infinity or 0 divided by 0, "
        "because exponentials overflow beside a high forbidden score, or vanish. Forbid first, then subtract each "
        "row's largest score.",
        "Before the softmax",
        loses=("values", "float32"),
    ),
    Mistake(
        "stand-in",
        _stand_in,
        "A query that may attend to nothing gets the mean of all values, as from a large negative number in the "
        "place of minus infinity, or from any row of equal scores. It should get 0.",
        "Rows with no key",
        loses=("empty rows",),
    ),
    Mistake(
        "stand-in-added",
        _stand_in_added,
        "A large negative number added to every score of a row takes nothing away from any: a query that may "
        "attend to nothing attends to everything as if there were no mask. It should get 0.",
        "Rows with no key",
        loses=("empty rows",),
    ),
    Mistake(
        "unmasked-if-empty",
        _unmasked_if_empty,
        "Where a query may attend to nothing, yours attends to everything, as if there were no mask. Lifting the mask "
        "there avoids NaN, but reads what is forbidden; adding one number to a whole row changes nothing. Such a query "
        "gets 0.",
        "Rows with no key",
        loses=("empty rows",),
    ),
    Mistake(
        "nan-if-empty",
        _nan_if_empty,
        "A query that may attend to nothing gets NaN. Minus infinity minus itself is NaN, and so is 0 divided by "
        "0, a sum of no weights. It should get 0; reference.softmax takes care of that where all scores are minus "
        "infinity.",
        "Rows with no key",
        loses=("empty rows",),
    ),
)
