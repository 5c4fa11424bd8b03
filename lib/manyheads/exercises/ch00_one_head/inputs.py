"""What several exercises of the chapter draw: scores and weights, (batch, q_len, k_len)."""

import numpy as np

from manyheads.exercises import sizes


def shape(rng, **ranges) -> tuple[int, int, int]:
    """(batch, q_len, k_len), pairwise different, more keys than queries unless the ranges say otherwise."""
    s = sizes.draw(rng, **{"batch": (2, 4), "q_len": (3, 5), "k_len": (6, 9), **ranges})
    return s["batch"], s["q_len"], s["k_len"]


def forbid(rng, scores):
    """Minus infinity here and there; every sequence has a row without it, a row of nothing else, and mixed ones."""
    batch, q_len, k_len = scores.shape
    for b in range(batch):
        rows = rng.permutation(q_len)
        scores[b, rows[0]] = -np.inf
        for i in rows[2:]:
            scores[b, i, rng.permutation(k_len)[: int(rng.integers(1, k_len - 2))]] = -np.inf
    return scores


def far_from_zero(rng, near, most, forbidden=False):
    """`near` with a height added to each row: in each sequence `most`, half of it or more, and minus that for the rest.

    With `forbidden`, some keys of the rows are, all of another one, and none of one that is far below 0. The rows are
    shuffled. Heights are whole eighths.
    """
    height = most * rng.uniform(0.5, 0.7, near.shape[:2])
    height[:, 0] = most
    height[:, 2:] *= -1
    scores = near + np.round(8 * height)[..., None] / 8
    if forbidden:
        scores[:, 4] = -np.inf
        for b in range(len(scores)):
            for i in (0, 1, 2, *range(5, scores.shape[1])):
                scores[b, i, rng.permutation(scores.shape[2])[: int(rng.integers(1, scores.shape[2] - 2))]] = -np.inf
    return shuffled(rng, scores)


def shuffled(rng, scores):
    """The rows of each sequence in another order."""
    return np.stack([rows[rng.permutation(len(rows))] for rows in scores])


def weights(rng, dtype="float64", **ranges):
    """Softmax of random scores: rows from nearly even to nearly all on one key, and one with about 0.7 on one."""
    batch, q_len, k_len = shape(rng, **ranges)
    sharpness = rng.permutation(np.linspace(0.5, 3, q_len))[:, None]
    scores = sharpness * sizes.normal(rng, batch, q_len, k_len)
    scores[-1, -1] = sizes.normal(rng, k_len) / 5
    scores[-1, -1, int(rng.integers(k_len))] = 3
    e = np.exp(scores)
    return (e / e.sum(axis=-1, keepdims=True)).astype(dtype)
