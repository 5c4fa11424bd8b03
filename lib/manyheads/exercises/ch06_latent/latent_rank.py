"""latent-rank: how large a rank still saves seven eighths of the cache, and how small a one still does the work."""

import numpy as np

from manyheads.exercises.ch06_latent.latent_rank_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = 0
    while 8 * (most + 1 + rope_head_dim) < 2 * n_heads * head_dim:
        most += 1
    for rank, loss in zip(ranks, losses, strict=True):
        if rank <= most and loss - mha_loss <= np.log(2):
            return most, int(rank)
    return most, -1


#: Losses above MHA's, in nats, by what they tell: 1 bit is 0.69 nats, 1 nat is 1.44 bits, and MHA's is 1.7 or more.
_FAR, _TWICE, _TWO_BITS, _IN_NATS = (2.6, 3.0), (1.5, 1.65), (1.1, 1.35), (0.75, 0.95)
_HALF, _LITTLE, _LESS, _BETTER = (0.4, 0.6), (0.2, 0.3), (0.05, 0.15), (-0.1, -0.02)
_MUCH_BETTER = (-0.65, -0.45)  #: a bit above such a loss is less than _HALF above MHA's
_JUST_OVER, _JUST_WITHIN = (0.695, 0.699), (0.691, 0.6925)
_BAD = (_FAR, _TWICE, _TWO_BITS, _IN_NATS)
_STEADY, _NOISY = (*_BAD, _HALF, _LITTLE, _LESS), (*_BAD, _HALF, _IN_NATS, _LESS, _LITTLE)

_CLOSE = (*_BAD, _JUST_OVER, _JUST_WITHIN, _LESS)
_ABOVE_MHA = (_FAR, _IN_NATS, (-1.0, -0.8), (-1.3, -1.2), _LITTLE)


def _heads(rng, rest, rope=None):
    """n_heads, head_dim and rope_head_dim, with this rest of the first two's product divided by 4; and `most`."""
    while True:
        n_heads, head_dim = int(rng.integers(3, 9)), int(rng.integers(9, 20))
        rope_head_dim = int(rng.choice([2, 3, 4])) if rope is None else rope
        most = (n_heads * head_dim - 1) // 4 - rope_head_dim
        if n_heads * head_dim % 4 == rest and most >= 12:
            return (n_heads, head_dim, rope_head_dim), most


def _case(rng, about, heads, gaps, beyond=(), probe=False, full=False):
    """`gaps`: bounds of the losses above MHA's, of ranks up to `most`; `beyond`: of larger ones, from `most` + 1 on.

    `full`: the last of the ranks up to `most` is `most`.
    """
    numbers, most = heads
    inside = np.sort(rng.permutation(np.arange(2, most))[: len(gaps)])
    inside[-1:] = most if full else inside[-1:]
    outside = most + 1 + np.arange(len(beyond)) * int(rng.integers(2, 5))
    mha_loss = float(rng.uniform(1.7, 2.4))
    losses = mha_loss + np.array([rng.uniform(*bounds) for bounds in (*gaps, *beyond)])
    names = (p.name for p in _PARAMETERS)
    ranks = np.concatenate([inside, outside])
    return Case(about, dict(zip(names, (*numbers, ranks, losses, mha_loss), strict=True)), probe)


def _values(rng):
    return [
        _case(rng, "losses that fall steadily", _heads(rng, 1), _STEADY, (_BETTER, _BETTER)),
        _case(rng, "losses with noise", _heads(rng, 2), _NOISY, (_LITTLE, _MUCH_BETTER)),
        _case(rng, "losses a little over 1 bit above, and a little under", _heads(rng, 2), _CLOSE, (_BETTER,)),
        # A narrow rotary key: counted for each head, it still leaves a rank, and not that of the cache of one head.
        _case(rng, "ranks that do better than MHA", _heads(rng, 3, rope=2), _ABOVE_MHA, (_LESS,)),
        _case(
            rng, "the largest rank is the only one that will do", _heads(rng, 1), (*_BAD, _HALF), (_LESS,), full=True
        ),
    ]


def _at_the_limit(rng):
    lesson = (4, 16, 0), 15
    return [
        _case(rng, "d_model 64, no rotary key", lesson, _STEADY, (_MUCH_BETTER,)),
        _case(rng, "only a rank with just an eighth of MHA's cache would do", _heads(rng, 0), _BAD, (_LITTLE, _LESS)),
        # These tell mistakes apart that need noise, a better loss than MHA's, or a limit that is no whole number.
        _case(rng, "ranks that do better than MHA", _heads(rng, 0), _ABOVE_MHA, (_LESS,), probe=True),
        _case(rng, "losses with noise", _heads(rng, 0), _NOISY, (_LITTLE, _BETTER), probe=True),
        _case(rng, "a limit that is no whole number", _heads(rng, 3), _NOISY, (_LITTLE, _BETTER), probe=True),
    ]


def _none(rng):
    ranks, gaps = np.array([2, 3, 5, 8]), np.array([0.4, 0.3, 0.2, 0.1]) * rng.uniform(0.8, 1.2)
    numbers = (3, 5, int(rng.integers(9, 15)), ranks, 2.0 + gaps, 2.0)
    return [
        _case(rng, "no candidate that is small enough is good enough", _heads(rng, 1), _BAD, (_HALF, _LESS)),
        _case(rng, "no candidate is good enough", _heads(rng, 3), _BAD, (_IN_NATS,)),
        _case(rng, "only candidates that are too large", _heads(rng, 2), (), (_HALF, _LESS)),
        Case(
            "a rotary key that takes an eighth by itself",
            dict(zip((p.name for p in _PARAMETERS), numbers, strict=True)),
        ),
        # Tells mistakes apart that need a rank that will do.
        _case(rng, "losses with noise", _heads(rng, 3, rope=2), _NOISY, (_LITTLE, _BETTER), probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _quotient_and_rest(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    eighth, rest = divmod(2 * n_heads * head_dim, 8)
    most = eighth - (rest == 0) - rope_head_dim
    most = (most + abs(most)) // 2
    good = ranks[(ranks <= most) & (losses <= mha_loss + np.log(2))]
    return most, int(good.min()) if good.size else -1


def _ranks_counted(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = len(range(int(np.ceil(n_heads * head_dim / 4)) - rope_head_dim - 1))
    bits = (losses - mha_loss) / np.log(2)
    return most, next((int(r) for r, b in zip(ranks, bits) if b <= 1 and r <= most), -1)  # noqa: B905


def _next_below(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    under = int(np.nextafter(n_heads * head_dim / 4, -np.inf))
    most = len(range(rope_head_dim, under))
    good = np.exp(losses - mha_loss) <= 2
    return most, min((int(rank) for rank in ranks[good] if rank <= most), default=-1)


def _first_true(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = len(range(rope_head_dim + 1, -(-n_heads * head_dim // 4)))
    for rank, loss in zip(ranks.tolist(), losses.tolist()):  # noqa: B905
        if mha_loss >= loss - np.log(2):
            return most, rank if rank <= most else -1
    return most, -1


_PARAMETERS = (
    Parameter("n_heads", "whole number"),
    Parameter("head_dim", "whole number"),
    Parameter("rope_head_dim", "whole number: width of the rotary key, 0 or more"),
    Parameter("ranks", "integer array (candidates,): latent ranks that were tried, in rising order"),
    Parameter("losses", "float array (candidates,): the validation loss with each, in nats for a token"),
    Parameter("mha_loss", "a number (`float`): the validation loss of the MHA, in nats for a token"),
)

EXERCISE = Exercise(
    name="latent-rank",
    title="How small the latent may be",
    chapter="06-latent",
    version=1,
    parameters=_PARAMETERS,
    returns=(Output("most", None, "int"), Output("rank", None, "int")),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> latent_rank(4, 16, 0, np.array([4, 8, 12, 16]), np.array([2.8, 2.6, 2.3, 2.1]), 2.0)
(15, 8)
>>> latent_rank(4, 16, 4, np.array([4, 8, 12, 16]), np.array([2.8, 2.8, 2.7, 2.1]), 2.0)
(11, -1)
""",
    hints=(
        "Count the numbers of both caches for one token and layer, and write the condition as a comparison of whole "
        "numbers, without a division.",
        "Strictly under: which whole number is the largest below 16? And below 15.75? A loop over all ranks is fine.",
        "A loss is in nats. How many nats is one bit?",
        "Both conditions have to hold for the same rank, and losses need not fall steadily: look at every candidate, "
        "the smallest first.",
    ),
    aspects=(
        Aspect("values", 2, "losses that fall, losses with noise, and limits that are no whole number", _values),
        Aspect(
            "at the limit",
            1,
            "the limit is a whole number: a rank with just an eighth of the cache is too large",
            _at_the_limit,
        ),
        Aspect("none", 1, "no candidate that will do (-1), and no rank that is small enough (0)", _none),
    ),
    alternatives={
        "quotient and rest": _quotient_and_rest,
        "ranks counted": _ranks_counted,
        "the next number below": _next_below,
        "the first good one": _first_true,
    },
    mistakes=MISTAKES,
)
