"""The known mistakes of copying-loss."""

import numpy as np

from manyheads.exercises.ch09_learning.copying_loss_large import LARGE
from manyheads.exercises.ch09_learning.copying_loss_parts import PARTS
from manyheads.exercises.definition import Mistake


def _sum(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).sum()


def _sum_for_each_sequence(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    each = np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]
    return each.sum(axis=1).mean()


def _bits(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    each = np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]
    return each.mean() / np.log(2)


def _base_ten(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    each = np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]
    return each.mean() / np.log(10)


def _negative(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    return (np.take_along_axis(used, wanted, 2)[:, :, 0] - np.logaddexp.reduce(used, axis=2)).mean()


def _probability(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    logs = np.take_along_axis(used, wanted, 2)[:, :, 0] - np.logaddexp.reduce(used, axis=2)
    return np.exp(logs).mean()


def _missing_probability(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    logs = np.take_along_axis(used, wanted, 2)[:, :, 0] - np.logaddexp.reduce(used, axis=2)
    return 1 - np.exp(logs).mean()


def _log_of_the_mean(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    logs = np.take_along_axis(used, wanted, 2)[:, :, 0] - np.logaddexp.reduce(used, axis=2)
    return -np.log(np.exp(logs).mean())


def _perplexity(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    each = np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]
    return np.exp(each.mean())


def _no_softmax(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    return -np.take_along_axis(used, wanted, 2).mean()


def _share_wrong(logits, tokens, first):
    return float((logits[:, first - 1 : -1].argmax(axis=2) != tokens[:, first:]).mean())


def _over_the_positions(logits, tokens, first):
    logs = logits - np.logaddexp.reduce(logits, axis=1)[:, None]
    return -np.take_along_axis(logs[:, first - 1 : -1], tokens[:, first:, None], 2).mean()


def _over_the_used_positions(logits, tokens, first):
    used = logits[:, first - 1 : -1]
    logs = used - np.logaddexp.reduce(used, axis=1)[:, None]
    return -np.take_along_axis(logs, tokens[:, first:, None], 2).mean()


def _mean_over_the_vocabulary_too(logits, tokens, first):
    used = logits[:, first - 1 : -1]
    logs = used - np.logaddexp.reduce(used, axis=2)[:, :, None]
    return -(np.eye(logits.shape[2])[tokens[:, first:]] * logs).mean()


def _first_sequence_only(logits, tokens, first):
    used, wanted = logits[0, first - 1 : -1], tokens[0, first:, None]
    return (np.logaddexp.reduce(used, axis=1) - np.take_along_axis(used, wanted, 1)[:, 0]).mean()


_LOSS = "The loss on the copied part"

MISTAKES = (
    *PARTS,
    Mistake(
        "sum",
        _sum,
        "You returned the sum of all losses. A mean does not grow with the number of tokens: divide by the number of "
        "predictions.",
        _LOSS,
    ),
    Mistake(
        "sum-for-each-sequence",
        _sum_for_each_sequence,
        "You added the losses of a sequence up and averaged over the sequences only. The mean is over all predictions "
        "of all sequences.",
        _LOSS,
    ),
    Mistake(
        "bits",
        _bits,
        "Your loss is in bits: the logarithm has the base 2. Nats have the natural logarithm, np.log.",
        _LOSS,
    ),
    Mistake(
        "base-10",
        _base_ten,
        "Your logarithm has the base 10. Nats have the natural logarithm, np.log.",
        _LOSS,
    ),
    Mistake(
        "negative",
        _negative,
        "Your loss has the wrong sign. The logarithm of a probability is negative, and the loss is minus that.",
        _LOSS,
    ),
    Mistake(
        "probability",
        _probability,
        "You averaged the probabilities of the tokens. The loss averages minus their logarithms, so that a token "
        "which was held impossible costs much.",
        _LOSS,
    ),
    Mistake(
        "missing-probability",
        _missing_probability,
        "You averaged 1 minus the probability. That is 0 for a sure prediction too, but it is not the cross-entropy: "
        "that is minus the logarithm of the probability.",
        _LOSS,
    ),
    Mistake(
        "log-of-the-mean",
        _log_of_the_mean,
        "You took the mean of the probabilities and then the logarithm. Each prediction has a loss of its own: first "
        "the logarithm, then the mean.",
        _LOSS,
    ),
    Mistake(
        "perplexity",
        _perplexity,
        "That is the perplexity, the exponential of the mean loss. Asked is the loss itself, in nats.",
        _LOSS,
    ),
    Mistake(
        "no-softmax",
        _no_softmax,
        "You averaged the logits of the tokens. A logit alone says nothing: the logarithm of the sum of the "
        "exponentials of its whole row has to be set against it.",
        _LOSS,
    ),
    Mistake(
        "share-of-wrong-guesses",
        _share_wrong,
        "You counted how often the largest logit is not at the right token. That is the error rate; the loss also "
        "says how sure the model was.",
        _LOSS,
    ),
    Mistake(
        "over-the-positions",
        _over_the_positions,
        "Your softmax runs over the positions of the sequence. The probabilities of one prediction sum to 1 over the "
        "vocabulary, the last axis.",
        _LOSS,
    ),
    Mistake(
        "over-the-used-positions",
        _over_the_used_positions,
        "Your softmax runs over the positions that count. The probabilities of one prediction sum to 1 over the "
        "vocabulary, the last axis.",
        _LOSS,
    ),
    Mistake(
        "mean-over-the-vocabulary-too",
        _mean_over_the_vocabulary_too,
        "Your loss is too small by the size of the vocabulary: the mean ran over the zeros of a one-hot array too. "
        "There is one loss for each prediction.",
        _LOSS,
    ),
    Mistake(
        "first-sequence-only",
        _first_sequence_only,
        "Only the first sequence is in your mean. The first axis counts the sequences, and all of them count.",
        _LOSS,
    ),
    *LARGE,
)
