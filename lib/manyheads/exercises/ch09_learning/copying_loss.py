"""copying-loss: the cross-entropy of a language model on the part of each sequence that is a copy."""

import numpy as np

from manyheads.exercises import sizes
from manyheads.exercises.ch09_learning.copying_loss_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(logits, tokens, first):
    terms = []
    for rows, row_tokens in zip(logits, tokens, strict=True):
        for i in range(first, len(row_tokens)):
            row = rows[i - 1] - rows[i - 1].max()
            terms.append(np.log(np.exp(row).sum()) - row[row_tokens[i]])
    return float(np.mean(terms))


def _inputs(rng, first, spread=2.0, **ranges):
    """`first` is given seq."""
    s = sizes.draw(rng, **{"batch": (2, 4), "seq": (7, 9), "vocabulary": (10, 13), **ranges})
    logits = spread * sizes.normal(rng, s["batch"], s["seq"], s["vocabulary"])
    tokens = rng.integers(0, s["vocabulary"], (s["batch"], s["seq"]))
    return {"logits": logits, "tokens": tokens, "first": first(s["seq"])}


def _values(rng):
    return [
        Case("the second half is copied", _inputs(rng, lambda seq: seq // 2 + 1)),
        Case("everything but the first token counts", _inputs(rng, lambda seq: 1)),
        Case("the last two tokens count", _inputs(rng, lambda seq: seq - 2)),
        Case("one sequence", _inputs(rng, lambda seq: seq // 2, batch=(1, 1))),
    ]


def _large(rng):
    high = _inputs(rng, lambda seq: seq // 2)
    high["logits"][:, ::2] += 1000  # of the rows next to them one exponential is infinite, or the other comes out as 0
    low = _inputs(rng, lambda seq: seq // 2 + 1)
    low["logits"] -= 1000
    far = _inputs(rng, lambda seq: seq // 2 + 1)
    far["logits"][0, -2, far["tokens"][0, -1]] -= 900  # the only token that the model holds impossible, and it comes
    sure = _inputs(rng, lambda seq: seq // 2)
    sure["logits"][-1, -2, sure["tokens"][-1, -1]] += 900  # far above the mean of its row
    return [
        Case("logits near 1000 in every other row", high),
        Case("logits near -1000", low),
        Case("a token that the model did not expect at all", far),
        Case("a token that the model was sure of", sure),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _token_by_token(logits, tokens, first):
    total = count = 0
    for b in range(tokens.shape[0]):
        for i in range(first, tokens.shape[1]):
            row = logits[b, i - 1]
            total += np.logaddexp.reduce(row) - row[tokens[b, i]]
            count += 1
    return total / count


def _one_hot(logits, tokens, first):
    shifted = logits - logits.max(axis=2, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=2, keepdims=True))
    hot = np.eye(logits.shape[2])[tokens[:, first:]]
    return -(logs[:, first - 1 : -1] * hot).sum() / tokens[:, first:].size


def _taken_along_the_axis(logits, tokens, first):
    wanted = tokens[:, first:, None]
    used = logits[:, first - 1 : -1]
    return (np.logaddexp.reduce(used, axis=2) - np.take_along_axis(used, wanted, 2).squeeze(2)).mean()


def _masked(logits, tokens, first):
    batch, seq = tokens.shape
    at = np.arange(seq - 1)
    own = logits[np.arange(batch)[:, None], at, tokens[:, 1:]]
    each = np.logaddexp.reduce(logits[:, :-1], axis=2) - own
    return np.average(each, weights=np.tile(at + 1 >= first, (batch, 1)))


def _sequence_by_sequence(logits, tokens, first):
    means = []
    for rows, row in zip(logits, tokens):  # noqa: B905 - as many of these as of those
        rows = rows - rows.max(axis=1, keepdims=True)
        at = range(first, len(row))
        means.append(np.mean([np.log(np.exp(rows[i - 1]).sum()) - rows[i - 1, row[i]] for i in at]))
    return float(np.mean(means))


EXERCISE = Exercise(
    name="copying-loss",
    title="The loss on the copied part",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter("logits", "float array (batch, seq, vocabulary): row i is the prediction of token i + 1"),
        Parameter("tokens", "integer array (batch, seq): from 0 to vocabulary - 1"),
        Parameter("first", "whole number from 1 to seq - 1: the first position whose token counts"),
    ),
    returns=(Output("result", None, "float", "the mean loss in nats, a number (`float`)"),),
    reference=_reference,
    tolerance={"float64": 1e-12},  # logits of a thousand lose three digits
    example="""
>>> logits = np.log(np.array([[[0.5, 0.5], [0.75, 0.25], [0.5, 0.5]]]))
>>> tokens = np.array([[0, 1, 1]])
>>> round(float(copying_loss(logits, tokens, 1)), 4), round(float(copying_loss(logits, tokens, 2)), 4)
(1.0397, 1.3863)
""",
    hints=(
        "Which row of the logits predicts the token at position first, and which the last token? Both slices, that of "
        "the logits and that of the tokens, have seq - first positions.",
        "The loss of one prediction is minus the logarithm of a probability: the logarithm of the sum of the "
        "exponentials of all logits in the row, minus the logit of the token that came.",
        "An exponential beyond 709 is infinite. Take the largest logit of each row away from the row first: the loss "
        "stays the same. And do not compute the probability on the way: it can be 0.",
        "np.take_along_axis picks one entry of each row; it wants the tokens with an axis of size 1 at the end. Then "
        "one mean over everything that is left.",
    ),
    aspects=(
        Aspect("values", 2, "the right part, shifted by one, as a mean in nats", _values),
        Aspect("large logits", 1, "logits near 1000 and -1000, and tokens with no chance", _large),
    ),
    alternatives={
        "token by token": _token_by_token,
        "one-hot": _one_hot,
        "taken along the axis": _taken_along_the_axis,
        "masked": _masked,
        "sequence by sequence": _sequence_by_sequence,
    },
    mistakes=MISTAKES,
)
