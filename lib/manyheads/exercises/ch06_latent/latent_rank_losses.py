"""The known mistakes of latent-rank that are made in choosing among the candidates."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _nats_for_bits(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= 1)]
    return most, int(good[0]) if good.size else -1


def _turned_the_wrong_way(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & ((losses - mha_loss) * np.log(2) <= 1)]
    return most, int(good[0]) if good.size else -1


def _twice_the_loss(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses <= 2 * mha_loss)]
    return most, int(good[0]) if good.size else -1


def _beside_the_best(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - losses.min() <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _rounded_to_7_tenths(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= 0.7)]
    return most, int(good[0]) if good.size else -1


def _two_digits_of_ln_2(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= 0.69)]
    return most, int(good[0]) if good.size else -1


def _rank_below_most(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks < most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _no_loss_allowed(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses <= mha_loss)]
    return most, int(good[0]) if good.size else -1


def _both_ways(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (abs(losses - mha_loss) <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _losses_ignored(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[ranks <= most]
    return most, int(good[0]) if good.size else -1


def _cache_ignored(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[losses - mha_loss <= np.log(2)]
    return most, int(good[0]) if good.size else -1


def _largest_that_will_do(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[-1]) if good.size else -1


def _best_loss(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[np.argmin(losses[np.isin(ranks, good)])]) if good.size else -1


def _best_loss_of_all(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    best = int(ranks[np.argmin(losses)])
    good = losses.min() - mha_loss <= np.log(2)
    return most, best if good and best <= most else -1


def _stopped_at_a_gap(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    bad = ~((ranks <= most) & (losses - mha_loss <= np.log(2)))
    bad[: int(np.argmax(ranks > most)) if ranks[-1] > most else len(ranks)][:0] = True
    good = ranks[(ranks <= most) & (np.cumsum((bad & (ranks <= most))[::-1])[::-1] == 0)]
    return most, int(good[0]) if good.size else -1


def _index_for_rank(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(np.argmax(np.isin(ranks, good))) if good.size else -1


def _none_is_0(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else 0


def _none_is_the_last(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else int(ranks[-1])


_HOW_SMALL_LATENT_MAY_BE = "How small the latent may be"

LOSSES = (
    Mistake(
        "nats-for-bits",
        _nats_for_bits,
        "You allowed 1 nat. The losses are in nats, and 1 bit is ln 2 = 0.693 nats.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "turned-the-wrong-way",
        _turned_the_wrong_way,
        "You multiplied nats by ln 2 to make bits, and so allowed 1.44 nats. A nat is more than a bit, 1.44 of them:"
        " divide by ln 2.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "twice-the-loss",
        _twice_the_loss,
        "You allowed twice MHA's loss. Within 1 bit is a difference: at most ln 2 nats more.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "beside-the-best",
        _beside_the_best,
        "You measured from the best loss of the candidates. A loss must be within 1 bit of MHA's, mha_loss.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "rounded-to-7-tenths",
        _rounded_to_7_tenths,
        "You took a rank whose loss is a little more than 1 bit above MHA's, as 0.7 for ln 2 does. Use np.log(2).",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values",),
    ),
    Mistake(
        "two-digits-of-ln-2",
        _two_digits_of_ln_2,
        "You passed over a rank whose loss is a little less than 1 bit above MHA's, as 0.69 for ln 2 does. Use "
        "np.log(2).",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values",),
    ),
    Mistake(
        "rank-below-most",
        _rank_below_most,
        "You passed over a candidate that is just your largest rank. That one is small enough already: a candidate "
        "may be most itself.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values",),
    ),
    Mistake(
        "no-loss-allowed",
        _no_loss_allowed,
        "You asked for a loss no larger than MHA's. It may be larger by 1 bit.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit"),
    ),
    Mistake(
        "both-ways",
        _both_ways,
        "You passed over a rank whose loss is more than 1 bit below MHA's. A lower loss is better: only what lies "
        "above MHA's is limited.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values",),
    ),
    Mistake(
        "losses-ignored",
        _losses_ignored,
        "You looked at the cache alone. The loss must also be within 1 bit of MHA's.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "cache-ignored",
        _cache_ignored,
        "Where no rank that is small enough has a good enough loss, you returned a larger one. It must be at most "
        "your first number; if there is none, the answer is -1.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("at the limit", "none"),
    ),
    Mistake(
        "largest-that-will-do",
        _largest_that_will_do,
        "You returned the largest rank that will do. Asked is the smallest: it has the smallest cache.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit"),
    ),
    Mistake(
        "best-loss",
        _best_loss,
        "You returned the rank with the best loss among those that will do. All of them are good enough: asked is "
        "the smallest.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit"),
    ),
    Mistake(
        "best-loss-of-all",
        _best_loss_of_all,
        "You looked at the rank with the best loss of all, and returned -1 if it is too large. A smaller one may be "
        "good enough: asked is the smallest that is.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit"),
    ),
    Mistake(
        "stopped-at-a-gap",
        _stopped_at_a_gap,
        "With noisy losses you came to too large a rank, as one does who goes down from the largest to the first that "
        "is not good enough, or halves a range. A smaller rank may be good enough again: look at every candidate.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values",),
    ),
    Mistake(
        "index-for-rank",
        _index_for_rank,
        "You returned where the rank stands in ranks. Asked is the rank itself: ranks[i].",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit"),
    ),
    Mistake(
        "none-is-0",
        _none_is_0,
        "Where no candidate will do, you returned 0 for the rank. Return -1.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("at the limit", "none"),
    ),
    Mistake(
        "none-is-the-last",
        _none_is_the_last,
        "Where no candidate will do, you returned the largest. Return -1.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("at the limit", "none"),
    ),
)
