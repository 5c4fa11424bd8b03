"""How many heads a copying task needs: one model for each number of heads, all of one width."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyheads import _require
from manyheads.config import AttentionConfig


@dataclass(frozen=True)
class CopyingRun:
    """One training of `copying_run`.

    Parameters
    ----------
    n_heads : int
    steps : int array (points,)
        At which the loss was noted, from 0.
    losses : float array (points,)
        The training loss at these steps, in nats.
    loss : float
        On fresh sequences after training, in nats.
    model : nn.Module
        Its ``attention`` is a `MultiHeadAttention`. Tokens (batch, seq) of at most 12 go in.

    Examples
    --------
    >>> import numpy as np
    >>> CopyingRun(4, np.array([0, 10]), np.array([3.1, 2.0]), 0.02, None).loss
    0.02
    """

    n_heads: int
    steps: np.ndarray
    losses: np.ndarray
    loss: float
    model: Any


def copying(n_heads: int, seed: int) -> float:
    """The loss that a one-layer model with so many heads reaches on the copying task.

    Parameters
    ----------
    n_heads : int
        Must divide 64, the width of the model.
    seed : int
        Of the weights and of the data.

    Returns
    -------
    float
        Mean cross-entropy on fresh sequences, in nats. Guessing gives ``log(16)``, 2.77.

    Raises
    ------
    TypeError, ValueError
        If `n_heads` does not divide 64, or `seed` is not a whole number from 0 on.
    ImportError
        Where torch is missing.

    Notes
    -----
    The task is that of `copying_run`, which also gives the model and the losses on the way.

    Examples
    --------
    >>> copying(1, seed=0) > 1.0 > copying(4, seed=0)
    True
    """
    return copying_run(n_heads, seed).loss


def copying_run(n_heads: int, seed: int) -> CopyingRun:
    """Train a one-layer model with so many heads on the copying task.

    Parameters
    ----------
    n_heads : int
        Must divide 64, the width of the model: more heads are narrower heads.
    seed : int
        Of the weights and of the data. The caller's random state stays as it is.

    Returns
    -------
    CopyingRun
        The same numbers every time on one machine.

    Raises
    ------
    TypeError, ValueError
        If `n_heads` does not divide 64, or `seed` is not a whole number from 0 on.
    ImportError
        Where torch is missing.

    Notes
    -----
    Sequences are 12 random tokens out of 16. After token ``x[i]`` the model says which tokens ``x[i-1]``, ``x[i-2]``,
    ``x[i-3]`` and ``x[i-4]`` were; the loss is the mean cross-entropy of the four answers. A head makes one weighted
    mean of the tokens, so one head cannot keep four apart. The model is an embedding with sinusoidal positions
    (Vaswani et al. 2017, section 3.5), one `MultiHeadAttention` beside the residual stream, and an unembedding.

    Examples
    --------
    >>> run = copying_run(4, seed=0)
    >>> run.losses[0] > 2.5 > 0.5 > run.loss
    True
    """
    config = AttentionConfig(d_model=64, n_heads=n_heads)
    seed = _require.count("seed", seed, least=0)
    import manyheads.torch_path as torch_path  # says what to install where torch is missing
    from manyheads.studies import _recall

    found = _recall.trained(lambda: torch_path.MultiHeadAttention(config), seed)
    model, steps, losses, fresh = found
    return CopyingRun(config.n_heads, steps, losses, fresh, model)
