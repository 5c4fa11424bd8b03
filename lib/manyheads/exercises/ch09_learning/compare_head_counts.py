"""compare-head-counts: whether more heads helped, hurt, or nobody can tell, from runs with several seeds."""

import numpy as np

from manyheads.exercises.ch09_learning.compare_head_counts_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter
from manyheads.exercises.supply import Supply


def _reference(train, head_counts, seeds):
    losses = [[train(n_heads, seed) for seed in seeds] for n_heads in head_counts]
    verdicts = []
    for i in range(1, len(losses)):
        differences = np.subtract(losses[i - 1], losses[i])
        error = differences.std(ddof=1) / len(differences) ** 0.5
        mean = differences.mean()
        verdicts.append(int(np.sign(mean)) if abs(mean) > 2 * error else 0)
    return np.mean(losses, axis=1), np.array(verdicts)


def _noise(rng, n_seeds):
    """Mean 0, standard deviation 1. The lowest is such that all seeds agree in other steps than those that count."""
    low, high = (0.6, 0.72) if n_seeds < 5 else (0.9, 0.97)
    noise = np.zeros(n_seeds)
    while not low < -noise.min() < high:
        noise = rng.standard_normal(n_seeds)
        noise = (noise - noise.mean()) / noise.std(ddof=1)
    return noise


def _differences(rng, mean, errors, n_seeds):
    """Differences with this mean that is so many standard errors away from 0."""
    return mean * (1 + _noise(rng, n_seeds) * n_seeds**0.5 / errors)


def _case(rng, about, n_seeds, sign, asks=False):
    """Steps that are clear, that the spread over the seeds hides unless it is paired, and that cannot be told.

    The sizes of the steps, in standard errors, tell apart: two of them from one, a standard error from a standard
    deviation, `ddof` 1 from 0, 2 from 1.96, the number of seeds from another, the spread of a step from that of all.
    """
    clear = [(0.4 * sign, 12.0), (-0.08 * sign, 3.0)]  # the second goes back a little of what the first gained
    close = [
        (0.06 * sign, 5.0),
        (-0.2 * sign, 2.2),
        (0.15 * sign, 1.98),
        (-0.12 * sign, 1.85),
        (-0.1 * sign, 1.3),
        (0.07 * sign, 0.95),
        (0.05 * sign, 0.5),
    ]
    steps = clear + [close[i] for i in rng.permutation(len(close))]
    head_counts = sorted(2**power for power in rng.permutation(11)[: len(steps) + 1].tolist())
    seeds = rng.permutation(30)[:n_seeds].tolist()
    falls = np.array([np.zeros(n_seeds), *(_differences(rng, *step, n_seeds) for step in steps)]).cumsum(axis=0)
    spread = rng.permutation(np.linspace(-2, 2, n_seeds)) + rng.uniform(-0.2, 0.2, n_seeds)
    losses = rng.uniform(5, 6) + spread - falls

    def answer(n_heads, seed):
        if n_heads not in head_counts or seed not in seeds:
            raise ValueError(f"no run with n_heads={n_heads}, seed={seed}; there are {head_counts} and {seeds}")
        return float(losses[head_counts.index(n_heads), seeds.index(seed)])

    return Case(about, {"train": Supply(answer), "head_counts": head_counts, "seeds": seeds}, asks=asks)


def _values(rng):
    sign = int(rng.choice([-1, 1]))
    return [_case(rng, "three seeds", 3, sign), _case(rng, "five seeds", 5, -sign)]


def _calls(rng):
    sign = int(rng.choice([-1, 1]))
    return [
        _case(rng, "what your function trains, with three seeds", 3, sign, asks=True),
        _case(rng, "what your function trains, with five seeds", 5, -sign, asks=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _whole_arrays(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for n in head_counts] for seed in seeds])
    d = -np.diff(losses)
    mean = d.mean(axis=0)
    error = d.std(axis=0, ddof=1) / np.sqrt(len(d))
    return losses.mean(axis=0), np.where(abs(mean) > 2 * error, np.sign(mean), 0).astype(int)


def _two_bounds(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    d = losses[:-1] - losses[1:]
    margin = 2 * (d.var(axis=1, ddof=1) / len(seeds)) ** 0.5
    helped, hurt = d.mean(axis=1) - margin > 0, d.mean(axis=1) + margin < 0
    return losses.mean(axis=1), helped.astype(int) - hurt


def _sums_of_squares(train, head_counts, seeds):
    n = len(seeds)
    rows = [[train(heads, seed) for seed in seeds] for heads in head_counts]
    verdicts = []
    for i in range(1, len(rows)):
        d = [rows[i - 1][s] - rows[i][s] for s in range(n)]
        squares = sum(x * x for x in d) - sum(d) ** 2 / n
        told = sum(d) ** 2 * (n - 1) > 4 * n * squares
        verdicts.append(int(np.sign(sum(d))) * told)
    return np.array([sum(row) / n for row in rows]), np.array(verdicts)


def _kept_in_a_dictionary(train, head_counts, seeds):
    found = {(n, seed): train(n, seed) for seed in seeds for n in head_counts}
    means = [np.mean([found[n, seed] for seed in seeds]) for n in head_counts]
    verdicts = []
    for i, n in enumerate(head_counts[1:]):
        d = np.array([found[head_counts[i], seed] - found[n, seed] for seed in seeds])
        t = d.mean() / d.std(ddof=1) * len(d) ** 0.5
        verdicts.append(int(t > 2) - int(t < -2))
    return np.array(means), np.array(verdicts)


def _covariances(train, head_counts, seeds):
    losses = np.array([[train(n, seed) for seed in seeds] for n in head_counts])
    means, verdicts = losses.mean(axis=1), []
    for i in range(1, len(losses)):
        a, b = losses[i - 1], losses[i]
        shared = ((a - a.mean()) * b).sum() / (len(seeds) - 1)
        variance = a.var(ddof=1) + b.var(ddof=1) - 2 * shared
        fall = a.mean() - b.mean()
        verdicts.append(round(np.sign(fall)) if fall**2 * len(seeds) > 4 * variance else 0)
    return means, np.array(verdicts)


EXERCISE = Exercise(
    name="compare-head-counts",
    title="Helped, stopped helping, or hurt",
    chapter="09-learning",
    version=1,
    parameters=(
        Parameter("train", "a function: train(n_heads, seed) trains a model and returns its final loss, a float"),
        Parameter("head_counts", "list of whole numbers, two or more: the numbers of heads to try, from few to many"),
        Parameter("seeds", "list of whole numbers, three or more: each number of heads is trained with each of them"),
    ),
    returns=(
        Output("means", ("n_counts",), "float", "a float array (n_counts,): the mean loss of each number of heads"),
        Output("verdicts", ("step",), "int", "an array of whole numbers (n_counts - 1,): 1, -1 or 0"),
    ),
    reference=_reference,
    tolerance={"float64": 1e-13},
    example="""
>>> losses = {1: [6.0, 4.0, 5.0], 2: [5.0, 3.1, 3.9], 4: [5.1, 3.0, 3.9]}
>>> means, verdicts = compare_head_counts(lambda n_heads, seed: losses[n_heads][seed], [1, 2, 4], [0, 1, 2])
>>> means.round(6).tolist(), verdicts.tolist()
([5.0, 4.0, 4.0], [1, 0])
""",
    hints=(
        "Fill an array first, a row for each number of heads and a column for each seed. Everything else follows from "
        "it, without training anything again.",
        "The differences between a row and the next: before minus after, for each seed. What does a positive one say "
        "about more heads?",
        "For each row of differences you need the mean and the standard error: np.std with ddof=1, divided by the "
        "square root of the number of seeds.",
        "The verdict is the sign of the mean where the mean is more than two standard errors away from 0, on either "
        "side, and else 0. np.sign returns floats; the verdicts are whole numbers.",
    ),
    aspects=(
        Aspect("values", 3, "the means, and the verdict on each step", _values),
        Aspect("calls", 1, "each number of heads is trained once with each seed", _calls),
    ),
    alternatives={
        "whole arrays": _whole_arrays,
        "two bounds": _two_bounds,
        "sums of squares": _sums_of_squares,
        "kept in a dictionary": _kept_in_a_dictionary,
        "covariances": _covariances,
    },
    mistakes=MISTAKES,
)
