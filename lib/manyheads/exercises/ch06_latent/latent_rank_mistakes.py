"""The known mistakes of latent-rank."""

import numpy as np

from manyheads.exercises.ch06_latent.latent_rank_losses import LOSSES
from manyheads.exercises.definition import Mistake


def _not_strictly(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max(2 * n_heads * head_dim // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _rounded_up(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max(int(np.ceil(2 * n_heads * head_dim / 8)) - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _one_too_few(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max(2 * n_heads * head_dim // 8 - 1 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _keys_only(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _one_head(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _two_latents(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max(((2 * n_heads * head_dim - 1) // 8 - rope_head_dim) // 2, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _rotary_key_left_out(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = (2 * n_heads * head_dim - 1) // 8
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _rotary_key_for_each_head(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - n_heads * rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _rotary_key_in_mha(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * (head_dim + rope_head_dim) - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _below_0(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = (2 * n_heads * head_dim - 1) // 8 - rope_head_dim
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most, int(good[0]) if good.size else -1


def _no_rank_is_minus_1(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = (2 * n_heads * head_dim - 1) // 8 - rope_head_dim
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return most if most > 0 else -1, int(good[0]) if good.size else -1


def _other_order(n_heads, head_dim, rope_head_dim, ranks, losses, mha_loss):
    most = max((2 * n_heads * head_dim - 1) // 8 - rope_head_dim, 0)
    good = ranks[(ranks <= most) & (losses - mha_loss <= np.log(2))]
    return int(good[0]) if good.size else -1, most


_HOW_SMALL_LATENT_MAY_BE = "How small the latent may be"

MISTAKES = (
    Mistake(
        "not-strictly",
        _not_strictly,
        "Your largest rank has a cache of just an eighth of MHA's. Asked is one that is strictly under it.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("at the limit",),
    ),
    Mistake(
        "rounded-up",
        _rounded_up,
        "Your largest rank is one too large: the limit was rounded up. A rank under it is below the limit, whether "
        "that is a whole number or not.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "at the limit", "none"),
    ),
    Mistake(
        "one-too-few",
        _one_too_few,
        "Where an eighth of MHA's cache is no whole number, your largest rank is one too small: you rounded down and"
        " then took one away. The number that was rounded down is under the limit already.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("values", "none"),
    ),
    Mistake(
        "keys-only",
        _keys_only,
        "You compared with half of MHA's cache, or counted yours twice. MHA keeps a key and a value for each head, 2"
        " * n_heads * head_dim numbers; your cache has one latent and one rotary key.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "one-head",
        _one_head,
        "You compared with the cache of one head. MHA keeps a key and a value for each of n_heads heads.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "two-latents",
        _two_latents,
        "Your rank is counted twice, as if keys and values had a latent each. They are made from the same one.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "rotary-key-left-out",
        _rotary_key_left_out,
        "The rotary key is left out of your cache, or counts for too little. It is kept beside the latent: rank + "
        "rope_head_dim numbers have to be under the limit.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "rotary-key-for-each-head",
        _rotary_key_for_each_head,
        "You counted a rotary key for each head. All heads share one.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "rotary-key-in-mha",
        _rotary_key_in_mha,
        "You gave MHA's heads a rotary part as well. This MHA keeps 2 * n_heads * head_dim numbers.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    Mistake(
        "below-0",
        _below_0,
        "Your largest rank is negative where the rotary key takes an eighth by itself. There is no such rank, and "
        "the answer is then 0.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("none",),
    ),
    Mistake(
        "no-rank-is-minus-1",
        _no_rank_is_minus_1,
        "Where not even rank 1 is small enough, you returned -1 for the largest rank. It is 0 then; -1 is for a rank "
        "that is not among the candidates.",
        _HOW_SMALL_LATENT_MAY_BE,
        loses=("none",),
    ),
    Mistake(
        "other-order",
        _other_order,
        "You returned the candidate first. Asked is most, then rank.",
        _HOW_SMALL_LATENT_MAY_BE,
    ),
    *LOSSES,
)
