"""The known mistakes of compare-head-counts."""

import numpy as np

from manyheads.exercises.ch09_learning.compare_head_counts_bounds import BOUNDS
from manyheads.exercises.definition import Mistake


def _one_seed(train, head_counts, seeds):
    losses = np.array([train(n, seeds[0]) for n in head_counts])
    return losses, np.sign(losses[:-1] - losses[1:]).astype(int)


def _last_seed(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])[:, -1]
    return losses, np.sign(losses[:-1] - losses[1:]).astype(int)


def _best_seed(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.min(axis=1), np.sign(d.mean(1)).astype(int) * told


def _medians(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return np.median(losses, axis=1), np.sign(d.mean(1)).astype(int) * told


def _no_spread(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    return losses.mean(1), np.sign(losses[:-1].mean(1) - losses[1:].mean(1)).astype(int)


def _unpaired(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    means, variances = losses.mean(1), losses.var(1, ddof=1) / len(seeds)
    d, error = means[:-1] - means[1:], (variances[:-1] + variances[1:]) ** 0.5
    return means, np.sign(d).astype(int) * (abs(d) > 2 * error)


def _reversed(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[1:] - losses[:-1]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _against_the_first(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[0] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _helped_only(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    return losses.mean(1), (d.mean(1) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5).astype(int)


def _hurt_where_not_helped(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    return losses.mean(1), np.where(d.mean(1) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5, 1, -1)


def _float_verdicts(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)) * told


def _trained_twice(train, head_counts, seeds):
    means = np.array([np.mean([train(n, seed) for seed in seeds]) for n in head_counts])
    verdicts = []
    for i in range(len(head_counts) - 1):
        d = np.array([train(head_counts[i], seed) - train(head_counts[i + 1], seed) for seed in seeds])
        told = abs(d.mean()) > 2 * d.std(ddof=1) / len(seeds) ** 0.5
        verdicts.append(int(np.sign(d.mean())) if told else 0)
    return means, np.array(verdicts)


_HELPED = "Helped, stopped helping, or hurt"

MISTAKES = (
    *BOUNDS,
    Mistake(
        "one-seed",
        _one_seed,
        "You trained with the first seed only. One run more or less tells nothing: train each number of heads with "
        "every seed, and take the mean.",
        _HELPED,
    ),
    Mistake(
        "last-seed",
        _last_seed,
        "Your numbers are those of the last seed. Keep the losses of all seeds, and take the mean over them.",
        _HELPED,
    ),
    Mistake(
        "best-seed",
        _best_seed,
        "Your means are the smallest losses. The best of several runs is a matter of luck; take the mean.",
        _HELPED,
    ),
    Mistake(
        "medians",
        _medians,
        "Your means are medians. Asked is the mean over the seeds.",
        _HELPED,
    ),
    Mistake(
        "no-spread",
        _no_spread,
        "You never say 0: your verdicts are the signs of all mean differences, however small these are. One counts "
        "only if it is more than two standard errors away from 0, and these come from np.std, not from np.var.",
        _HELPED,
    ),
    Mistake(
        "unpaired",
        _unpaired,
        "All your verdicts are 0. Perhaps you took the spread of the losses, which the seeds make large. Subtract seed "
        "by seed first, and take the spread of the differences: what a seed does to both goes away.",
        _HELPED,
    ),
    Mistake(
        "sign-reversed",
        _reversed,
        "Your verdicts have the wrong sign. A smaller loss is better: +1 means that the loss fell, so the difference "
        "is before minus after.",
        _HELPED,
    ),
    Mistake(
        "against-the-first",
        _against_the_first,
        "You compared each number of heads with the first. Each is compared with the one before it in the list.",
        _HELPED,
    ),
    Mistake(
        "helped-only",
        _helped_only,
        "You never say -1. Where the mean difference is more than two standard errors below 0, more heads hurt: "
        "compare its absolute value, or look at both sides.",
        _HELPED,
    ),
    Mistake(
        "hurt-where-not-helped",
        _hurt_where_not_helped,
        "You never say 0. What did not help has not hurt yet: between the two bounds nobody can tell.",
        _HELPED,
    ),
    Mistake(
        "float-verdicts",
        _float_verdicts,
        "Your verdicts are floats, as np.sign returns them. Make whole numbers of them with .astype(int).",
        "What goes wrong and does not crash",
    ),
    Mistake(
        "trained-twice",
        _trained_twice,
        "Your answer is right, but you trained some models more than once. Keep the losses in an array, and work "
        "with that.",
        _HELPED,
        loses=("calls",),
    ),
)
