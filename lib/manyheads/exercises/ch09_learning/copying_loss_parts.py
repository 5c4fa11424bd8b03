"""Known mistakes of copying-loss: which predictions count, and with which token each is compared."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _no_shift(logits, tokens, first):
    used, wanted = logits[:, first:], tokens[:, first:, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _shifted_back(logits, tokens, first):
    used, wanted = logits[:, first:], tokens[:, first - 1 : -1, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _one_late(logits, tokens, first):
    used, wanted = logits[:, first:-1], tokens[:, first + 1 :, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _one_early(logits, tokens, first):
    start = max(first - 1, 1)
    used, wanted = logits[:, start - 1 : -1], tokens[:, start:, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _last_left_out(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -2], tokens[:, first:-1, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _whole_sequence(logits, tokens, first):
    used, wanted = logits[:, :-1], tokens[:, 1:, None]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]).mean()


def _divided_by_all(logits, tokens, first):
    used, wanted = logits[:, first - 1 : -1], tokens[:, first:, None]
    each = np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2)[:, :, 0]
    return each.sum() / tokens.size


_LOSS = "The loss on the copied part"

PARTS = (
    Mistake(
        "no-shift",
        _no_shift,
        "You compared the logits of a position with the token at the same position. They predict the next one: row "
        "i - 1 of the logits belongs to token i.",
        _LOSS,
    ),
    Mistake(
        "shifted-back",
        _shifted_back,
        "You compared the logits with the token before. The shift goes the other way: row i - 1 of the logits "
        "predicts token i.",
        _LOSS,
    ),
    Mistake(
        "one-late",
        _one_late,
        "Your part begins one token late. The token at position first counts too, and row first - 1 of the logits "
        "predicts it.",
        _LOSS,
    ),
    Mistake(
        "one-early",
        _one_early,
        "Your part begins one token early. The first token that counts is the one at position first; row first - 1 of "
        "the logits predicts it.",
        _LOSS,
    ),
    Mistake(
        "last-left-out",
        _last_left_out,
        "The last token is missing in your mean. Only the last row of the logits has nothing to predict; the row "
        "before it predicts the last token.",
        _LOSS,
    ),
    Mistake(
        "whole-sequence",
        _whole_sequence,
        "You took the mean over the whole sequence. Before first, the tokens are random and nobody can predict them: "
        "only those from position first on count.",
        _LOSS,
    ),
    Mistake(
        "divided-by-all-tokens",
        _divided_by_all,
        "You divided the sum by the number of all tokens. Divide by the number of predictions that you added up: "
        "seq - first in each sequence.",
        _LOSS,
    ),
)
