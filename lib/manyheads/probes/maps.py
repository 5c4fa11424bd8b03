"""The attention weights of a whole model, by module, whatever computes them."""

from collections.abc import Callable

import numpy as np


def attention_maps(model: Callable, *inputs: object, **keywords: object) -> dict[str, np.ndarray]:
    """Run a model once and give the weights of every attention in it.

    Parameters
    ----------
    model : nn.Module, or a function
        It stays in its mode (training or not), and no gradients are kept.
    *inputs, **keywords
        What the model is called with.

    Returns
    -------
    dict of str to float32 array (batch, heads, q_len, k_len)
        In the order in which they were computed, under the name that `named_modules` gives the module; the model
        itself goes by the name of its class, a function by its own. A module's second attention in one run has
        " #2" after its name. Weights are those before dropout.

    Raises
    ------
    TypeError
        If `model` cannot be called.
    ValueError
        If no attention was seen; the message says what was looked for.
    ImportError
        Where torch is missing.

    Notes
    -----
    What is seen: `manyheads.torch_path.attention` with any backend; torch's own ``scaled_dot_product_attention`` and
    ``nn.MultiheadAttention``, so that ``weights = softmax(scale q k^T + mask)`` is computed again from its arguments;
    and attention that is written out: a softmax over the last of three or more axes, whose result is then the first
    factor of a matrix product. Three axes are taken for (batch, q_len, k_len) with one head. Not seen: weights that
    are never held as a whole (`manyheads.torch_path.blocked_attention`, torch's flex attention, foreign kernels).

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.TransformerEncoderLayer(12, 3, 16, batch_first=True).eval()
    >>> maps = attention_maps(layer, torch.ones(2, 5, 12))
    >>> {name: weights.shape for name, weights in maps.items()}
    {'self_attn': (2, 3, 5, 5)}
    """
    if not callable(model):
        raise TypeError(f"model must be an nn.Module or a function, got {type(model).__name__}")
    import manyheads.torch_path  # noqa: F401  says what to install where torch is missing
    from manyheads.probes._watch import run_and_record

    return run_and_record(model, inputs, keywords)
