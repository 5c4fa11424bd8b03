"""How narrow a latent may be: latent attention of several ranks against multi-head attention, on the copying task."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manyheads import _require
from manyheads.config import AttentionConfig

#: More than the 300 of `copying_run`: a latent that is wide enough may still learn the fourth distance late.
STEPS = 500


@dataclass(frozen=True)
class LatentRankStudy:
    """What `latent_rank` found.

    Parameters
    ----------
    ranks : int array (n,)
        Of the latents, in elements a token.
    losses : float array (n,)
        Of latent attention, on fresh sequences, in nats.
    mha_loss : float
        Of multi-head attention with the same heads.

    Examples
    --------
    >>> import numpy as np
    >>> LatentRankStudy(np.array([2, 8]), np.array([1.9, 0.4]), 0.01).mha_loss
    0.01
    """

    ranks: np.ndarray
    losses: np.ndarray
    mha_loss: float


def latent_rank(seed: int = 0, ranks: Sequence[int] = (2, 4, 8, 12, 16, 24)) -> LatentRankStudy:
    """Train latent attention of each rank, and multi-head attention, on the copying task.

    Parameters
    ----------
    seed : int
        Of the weights and of the data: all models see the same sequences.
    ranks : sequence of int
        The widths of the latent that are tried, in elements.

    Returns
    -------
    LatentRankStudy

    Raises
    ------
    TypeError, ValueError
        If a rank is not a whole number from 1 on, or `seed` not one from 0 on.
    ImportError
        Where torch is missing.

    Notes
    -----
    The task is that of `copying_run`; 4 heads of 16, no rotary part, 500 steps of training. Multi-head attention
    caches ``2 * 4 * 16 = 128`` elements a token, latent attention its rank (DeepSeek-V2, 2024, section 2.1).

    Examples
    --------
    >>> study = latent_rank(ranks=(2, 24))
    >>> bool(study.losses[0] > 1.0 > study.losses[1])
    True
    """
    seed = _require.count("seed", seed, least=0)
    plain = AttentionConfig(d_model=64, n_heads=4)
    latent = [AttentionConfig(d_model=64, n_heads=4, latent_rank=rank) for rank in ranks]
    import manyheads.torch_path as torch_path  # says what to install where torch is missing
    from manyheads.studies import _recall

    def loss(layer) -> float:
        return _recall.trained(layer, seed, STEPS)[-1]

    mha_loss = loss(lambda: torch_path.MultiHeadAttention(plain))
    losses = [loss(lambda c=config: torch_path.LatentAttention(c)) for config in latent]
    return LatentRankStudy(np.array([config.latent_rank for config in latent]), np.array(losses), mha_loss)
