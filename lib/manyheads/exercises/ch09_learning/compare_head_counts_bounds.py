"""Known mistakes of compare-head-counts: how far from 0 a mean difference has to be."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _with_ddof_zero(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _standard_deviation(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1)
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _standard_deviation_with_ddof_zero(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1)
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _one_seed_too_few(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / (len(seeds) - 1) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _without_the_root(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(seeds)
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _one_error(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _every_seed_agrees(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    return losses.mean(1), (d > 0).all(1).astype(int) - (d < 0).all(1)


def _one_standard_deviation(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > d.std(1, ddof=1)
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _root_of_the_counts(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(1, ddof=1) / len(losses) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _one_spread_for_all(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 2 * d.std(ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


def _of_a_normal_distribution(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    told = abs(d.mean(1)) > 1.96 * d.std(1, ddof=1) / len(seeds) ** 0.5
    return losses.mean(1), np.sign(d.mean(1)).astype(int) * told


_HELPED = "Helped, stopped helping, or hurt"

BOUNDS = (
    Mistake(
        "ddof-0",
        _with_ddof_zero,
        "Your standard deviation is too small: np.std divides by the number of seeds unless told ddof=1. With few "
        "seeds that calls chance a result.",
        _HELPED,
    ),
    Mistake(
        "standard-deviation",
        _standard_deviation,
        "You compared with the standard deviation of the differences. The mean of several is surer than one: divide "
        "by the square root of the number of seeds.",
        _HELPED,
    ),
    Mistake(
        "standard-deviation-with-ddof-0",
        _standard_deviation_with_ddof_zero,
        "You compared with the standard deviation of the differences, and one that is too small: ddof=1 is missing, "
        "and the division by the square root of the number of seeds.",
        _HELPED,
    ),
    Mistake(
        "one-seed-too-few",
        _one_seed_too_few,
        "You divided by the square root of one seed less. With ddof=1 the standard deviation has that correction "
        "already: divide by the square root of the number of seeds.",
        _HELPED,
    ),
    Mistake(
        "without-the-root",
        _without_the_root,
        "You divided the standard deviation by the number of seeds. The standard error has its square root.",
        _HELPED,
    ),
    Mistake(
        "one-standard-error",
        _one_error,
        "You asked for one standard error. Chance alone gives that in more than a third of all cases; asked are two.",
        _HELPED,
    ),
    Mistake(
        "every-seed-agrees",
        _every_seed_agrees,
        "You asked whether all seeds agree. The rule is another one: the mean difference is more than two standard "
        "errors away from 0.",
        _HELPED,
    ),
    Mistake(
        "one-standard-deviation",
        _one_standard_deviation,
        "You compared with one standard deviation of the differences. Asked are two standard errors: divide the "
        "standard deviation by the square root of the number of seeds, and take it twice.",
        _HELPED,
    ),
    Mistake(
        "root-of-the-head-counts",
        _root_of_the_counts,
        "You divided by the square root of how many numbers of heads there are. Each mean difference is a mean over "
        "the seeds: divide by the square root of the number of seeds.",
        _HELPED,
    ),
    Mistake(
        "one-spread-for-all",
        _one_spread_for_all,
        "You have one spread for all steps: the standard deviation of all differences together, which the steps make "
        "large. Each step has its own, over the seeds: give np.std the axis of the seeds.",
        _HELPED,
    ),
    Mistake(
        "of-a-normal-distribution",
        _of_a_normal_distribution,
        "You asked for a little less than two standard errors, perhaps for 1.96. The rule here is two.",
        _HELPED,
    ),
)
