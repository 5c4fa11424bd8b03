"""Two layers that learn to continue a repeated sequence: a previous-token head, and an induction head above it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyheads import _require


@dataclass(frozen=True)
class InductionStudy:
    """What `induction` found.

    Parameters
    ----------
    tokens : int array (batch, seq)
        Fresh sequences. The second half repeats the first, in which no token comes twice.
    maps, untrained_maps : float array (layers, batch, heads, seq, seq)
        The weights on these tokens, after training and before.
    logits : float array (batch, seq, vocabulary)
        Of the trained model: those at position i are for token i + 1.
    first : int
        Where the repeated half begins.
    n_layers, n_heads : int
    steps : int array (points,)
        At which the training loss was noted, from 0.
    losses : float array (points,)
        The training loss at these steps, in nats.
    model : nn.Module
        Its ``layers`` are of `MultiHeadAttention`.

    Examples
    --------
    >>> study = induction(seed=0)
    >>> bool((study.tokens[:, study.first :] == study.tokens[:, : study.first]).all())
    True
    >>> study.maps.shape
    (2, 64, 2, 32, 32)
    """

    tokens: np.ndarray
    maps: np.ndarray
    untrained_maps: np.ndarray
    logits: np.ndarray
    first: int
    n_layers: int
    n_heads: int
    steps: np.ndarray
    losses: np.ndarray
    model: Any

    def loss(self, layer: int = -1, head: int = -1) -> float:
        """Mean loss in nats on the repeated half, without one head.

        Parameters
        ----------
        layer, head : int
            The head whose result is replaced by 0, both from 0; (-1, -1) keeps every head.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is no such head.
        """
        _require.whole("layer", layer)
        _require.whole("head", head)
        known = 0 <= layer < self.n_layers and 0 <= head < self.n_heads
        if not known and (layer, head) != (-1, -1):
            raise ValueError(
                f"there is no head {head} in layer {layer}: layers are 0 to {self.n_layers - 1}, "
                f"heads 0 to {self.n_heads - 1}, and (-1, -1) keeps every head"
            )
        import torch

        from manyheads.studies import _two_layers

        return _two_layers.loss_without(self.model, torch.from_numpy(self.tokens), int(layer), int(head))


def induction(seed: int = 0) -> InductionStudy:
    """Train two attention layers, and nothing else, to continue sequences that repeat themselves.

    Parameters
    ----------
    seed : int
        Of the weights and of the data. The caller's random state stays as it is.

    Returns
    -------
    InductionStudy
        The same numbers every time on one machine.

    Raises
    ------
    TypeError, ValueError
        If `seed` is not a whole number from 0 on.
    ImportError
        Where torch is missing.

    Notes
    -----
    Every sequence has a period p of its own: ``x[i] = x[i - p]``. A head at position i finds x[i] earlier, at i - p,
    and has to read what came after it, at ``i - p + 1``. It can do so if a head below has told every token what stands
    before it: two layers, an induction head above a previous-token head (Olsson et al. 2022). Positions are rotary:
    queries and keys know their distance.

    Examples
    --------
    >>> study = induction(seed=0)
    >>> study.loss() < 0.1 < study.loss(0, 0) + study.loss(0, 1)
    True
    """
    seed = _require.count("seed", seed, least=0)
    import manyheads.torch_path  # noqa: F401  says what to install where torch is missing
    from manyheads.studies import _two_layers

    model, steps, losses, tokens, untrained = _two_layers.trained(seed)
    return InductionStudy(
        tokens=tokens.numpy(),
        maps=model.maps(tokens).numpy(),
        untrained_maps=untrained.numpy(),
        logits=model(tokens).detach().numpy(),
        first=_two_layers.HALF,
        n_layers=_two_layers.N_LAYERS,
        n_heads=_two_layers.N_HEADS,
        steps=steps,
        losses=losses,
        model=model,
    )
