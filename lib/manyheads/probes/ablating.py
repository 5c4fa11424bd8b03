"""Taking heads away, and what a model loses without them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from manyheads import _require

WAYS = ("zero", "mean")


def ablated(model: Callable, heads: Mapping[str, Sequence[int]], how: str = "zero") -> AbstractContextManager[None]:
    """Run a model without some heads: for a ``with`` block.

    Parameters
    ----------
    model : nn.Module
    heads : dict of str to list of int
        By module, under its name in `attention_maps`, the heads whose results are replaced.
    how : {"zero", "mean"}
        By 0, or by the head's mean over batch and positions.

    Returns
    -------
    context manager
        Calls of `model` inside are without these heads; after it, also after an error, the model is as it was.

    Raises
    ------
    TypeError, ValueError
        At once if there is no such module, or no such head where the module says how many it has; else in the call in
        which the model turns out to have no such attention or head, or where `how` cannot be done.
    ImportError
        Where torch is missing.

    Notes
    -----
    A head's result is ``weights @ v``, before the output projection; with its slice ``o[:, h]`` at 0, the layer's sum
    of heads lacks that term (Michel et al. 2019). What is seen is what `attention_maps` sees.

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.MultiheadAttention(12, 3, bias=False, batch_first=True).eval()
    >>> x = torch.ones(2, 5, 12)
    >>> with torch.no_grad(), ablated(layer, {"MultiheadAttention": [0, 1, 2]}):
    ...     out, _ = layer(x, x, x)
    >>> bool((out == 0).all())
    True
    """
    import manyheads.torch_path  # noqa: F401  says what to install where torch is missing
    from manyheads.probes._without import Without

    _require.one_of("how", how, WAYS)
    return Without(model, heads, how)


def ablation(model: Callable, loss: Callable[[], float], how: str = "zero") -> dict[tuple[str, int], float]:
    """How much the loss rises without each head, one at a time.

    Parameters
    ----------
    model : nn.Module
    loss : function without arguments
        Calls the model and returns its loss. Let it give the same every time: no dropout, no new data.
    how : {"zero", "mean"}
        As in `ablated`.

    Returns
    -------
    dict of (str, int) to float
        By module and head, the loss without it minus the loss with all: positive where the head helps.

    Raises
    ------
    TypeError, ValueError
        As in `ablated`; and if `loss` runs no attention of the model.
    ImportError
        Where torch is missing.

    Notes
    -----
    ``loss without head h - loss``, for every head that `attention_maps` would find (Michel et al. 2019).

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.MultiheadAttention(12, 3, batch_first=True).eval()
    >>> x = torch.ones(2, 5, 12)
    >>> rises = ablation(layer, lambda: layer(x, x, x)[0].square().sum().item())
    >>> list(rises)
    [('MultiheadAttention', 0), ('MultiheadAttention', 1), ('MultiheadAttention', 2)]
    """
    import manyheads.torch_path  # noqa: F401  says what to install where torch is missing
    from manyheads.probes._without import rises

    _require.one_of("how", how, WAYS)
    return rises(model, loss, how)
