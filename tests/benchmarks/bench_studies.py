"""What the studies find, over many seeds: losses by heads and by rank, and the heads of the two-layer model."""

import numpy as np
from manyheads.studies import copying, induction, latent_rank

from . import table

SEEDS = 20
HEADS = (1, 2, 4, 8, 16)


def verdict(before: np.ndarray, after: np.ndarray) -> str:
    """By the differences of each seed: beyond two standard errors of their mean, or not told apart."""
    differences = after - before
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if abs(differences.mean()) <= 2 * error:
        word = "no difference beyond 2 standard errors"
    else:
        word = "helped" if differences.mean() < 0 else "hurt"
    return f"{word} ({differences.mean():+.4f}, standard error {error:.4f})"


def compared(losses: dict[int, np.ndarray], what: str) -> None:
    """The mean of each, then each against the one before it."""
    for n, found in losses.items():
        table.line(f"{what} {n}: mean of {len(found)} seeds ({found.min():.4f} to {found.max():.4f})", found.mean())
    for one, other in zip(losses, list(losses)[1:], strict=False):
        print(f"  {what} {one} to {other}: {verdict(losses[one], losses[other])}")


def test_copying():
    table.title(f"copying: loss in nats, {SEEDS} seeds")
    compared({n: np.array([copying(n, seed) for seed in range(SEEDS)]) for n in HEADS}, "heads")


def test_latent_rank():
    found = [latent_rank(seed) for seed in range(5)]
    table.title("copying with a latent: loss in nats, 5 seeds")
    losses = np.array([study.losses for study in found])
    compared(dict(zip(found[0].ranks.tolist(), losses.T, strict=True)), "rank")
    table.line("multi-head attention, mean", np.mean([study.mha_loss for study in found]))


def test_induction():
    table.title(f"induction: two layers of two heads, {SEEDS} seeds")
    rows = []
    for seed in range(SEEDS):
        study = induction(seed)
        later = np.arange(study.first, study.tokens.shape[1])
        previous = np.diagonal(study.maps, -1, axis1=-2, axis2=-1).mean(axis=(1, 3))
        matched = study.maps[..., later, later - study.first + 1].mean(axis=(1, 3))
        rise = np.array([[study.loss(layer, head) - study.loss() for head in range(2)] for layer in range(2)])
        rows.append((study.loss(), previous[0].max(), matched[1].max(), rise[0].max(), rise[1].max()))
    loss, previous, matched, first_layer, second_layer = np.array(rows).T
    table.line("loss on the repeated half, largest", loss.max(), at_most=0.1, unit=" nats")
    table.line("the same, mean", loss.mean(), unit=" nats")
    table.line("1 - score of the best previous-token head, largest", 1 - previous.min(), at_most=0.5)
    table.line("1 - score of the best induction head, largest", 1 - matched.min(), at_most=0.5)
    table.line("rise without the first layer's most needed head, smallest", first_layer.min(), unit=" nats")
    table.line("rise without the second layer's most needed head, smallest", second_layer.min(), unit=" nats")
    table.line("seeds whose most needed head is in the second layer", float((second_layer > first_layer).sum()))
