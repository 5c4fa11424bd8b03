"""Known mistakes of copying-loss: exponentials that overflow, and probabilities that come out as 0."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _largest_of_all(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    used = used - used.max()
    return (np.log(np.exp(used).sum(axis=2)) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _no_maximum(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    return (np.log(np.exp(used).sum(axis=2)) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _largest_taken_away_once(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    powers = np.exp(used - used.max(axis=2, keepdims=True))
    return (np.log(powers.sum(axis=2)) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _mean_for_the_largest(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    used = used - used.mean(axis=2, keepdims=True)
    return (np.log(np.exp(used).sum(axis=2)) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _log_of_the_softmax(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.take_along_axis(chances, tokens[:, first:, None], 2)).mean()


def _epsilon(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.take_along_axis(chances, tokens[:, first:, None], 2) + 1e-9).mean()


def _smaller_epsilon(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.take_along_axis(chances, tokens[:, first:, None], 2) + 1e-12).mean()


def _clipped(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.maximum(np.take_along_axis(chances, tokens[:, first:, None], 2), 1e-12)).mean()


def _clipped_higher(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.maximum(np.take_along_axis(chances, tokens[:, first:, None], 2), 1e-9)).mean()


def _larger_epsilon(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.take_along_axis(chances, tokens[:, first:, None], 2) + 1e-8).mean()


def _middle_epsilon(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.take_along_axis(chances, tokens[:, first:, None], 2) + 1e-10).mean()


def _clipped_between(logits, tokens, first):
    powers = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = (powers / powers.sum(axis=2, keepdims=True))[:, first - 1 : -1]
    return -np.log(np.maximum(np.take_along_axis(chances, tokens[:, first:, None], 2), 1e-10)).mean()


_QUIET = "What goes wrong and does not crash"
_NO_EPSILON = (
    "You added a small number to the probability before the logarithm. That changes every loss a little, and a large "
    "one a lot. Subtract the logarithm of the sum from the logit instead."
)
_NO_BOUND = (
    "You raised tiny probabilities to a bound. A token that the model held impossible then costs far too little. "
    "Subtract the logarithm of the sum from the logit: that works for every probability."
)

LARGE = (
    Mistake(
        "largest-taken-away-once",
        _largest_taken_away_once,
        "You took the largest logit away from the row that is summed and not from the logit of the token. Both belong "
        "to one row: take it away first, and use the new row for both.",
        "The loss on the copied part",
    ),
    Mistake(
        "mean-for-the-largest",
        _mean_for_the_largest,
        "Your exponentials overflow where one logit stands far above the others. Take the largest logit of the row "
        "away, not the mean of the row: then no exponential is above 1.",
        _QUIET,
        loses=("large logits",),
    ),
    Mistake("epsilon-in-the-logarithm", _epsilon, _NO_EPSILON, _QUIET),
    Mistake("smaller-epsilon-in-the-logarithm", _smaller_epsilon, _NO_EPSILON, _QUIET),
    Mistake("clipped", _clipped, _NO_BOUND, _QUIET, loses=("large logits",)),
    Mistake("middle-epsilon-in-the-logarithm", _middle_epsilon, _NO_EPSILON, _QUIET),
    Mistake("larger-epsilon-in-the-logarithm", _larger_epsilon, _NO_EPSILON, _QUIET),
    Mistake("clipped-between", _clipped_between, _NO_BOUND, _QUIET, loses=("large logits",)),
    Mistake("clipped-higher", _clipped_higher, _NO_BOUND, _QUIET, loses=("large logits",)),
    Mistake(
        "largest-of-all",
        _largest_of_all,
        "You took the same number, the largest logit of all, away from every row. In rows far below it all "
        "exponentials come out as 0. Each row needs its own largest: max over the last axis.",
        _QUIET,
        loses=("large logits",),
    ),
    Mistake(
        "no-maximum",
        _no_maximum,
        "Your exponentials overflow or come out as 0: beyond 709 they are infinite. Take the largest logit of each "
        "row away first; the loss stays the same.",
        _QUIET,
        loses=("large logits",),
    ),
    Mistake(
        "log-of-the-softmax",
        _log_of_the_softmax,
        "Your loss is infinite where the probability of the token is too small for a float. Do not compute this "
        "probability on the way, nor 1 over it: subtract the logarithm of the sum from the logit.",
        _QUIET,
        loses=("large logits",),
    ),
)
