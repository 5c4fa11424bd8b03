"""ALiBi on tensors: distance as a bias on the scores."""

import torch

from manyheads import _require
from manyheads.reference.alibi import alibi_slopes
from manyheads.torch_path._shapes import Float, Tensor


def alibi_bias(
    n_heads: int,
    q_len: int,
    k_len: int,
    dtype: torch.dtype = torch.float32,
    *,
    device: torch.device | str | None = None,
) -> Float[Tensor, "1 n_heads q_len k_len"]:
    """A bias that takes from each score in proportion to the distance.

    Parameters
    ----------
    n_heads, q_len, k_len : int
        Aligned at the bottom right: the last query stands at the last key.
    dtype : torch float dtype
    device : torch device, optional

    Returns
    -------
    float tensor (1, n_heads, q_len, k_len)
        For `attention`'s ``bias=``.

    Raises
    ------
    TypeError, ValueError
        If a number is not whole or too small.

    Notes
    -----
    ``bias[0, h, i, j] = -slope_h |i + k_len - q_len - j|``; as `manyheads.reference.alibi_bias`, with its source.

    Examples
    --------
    >>> alibi_bias(8, 2, 3)[0, 0]
    tensor([[-0.5000,  0.0000, -0.5000],
            [-1.0000, -0.5000,  0.0000]])
    """
    slopes = torch.tensor(
        alibi_slopes(n_heads), dtype=torch.float64, device=device
    )
    q_len = _require.count("q_len", q_len, 0)
    k_len = _require.count("k_len", k_len, 0)
    position = torch.arange(q_len, device=device)[:, None] + (k_len - q_len)
    distance = (position - torch.arange(k_len, device=device)).abs()
    bias = -slopes[:, None, None] * distance
    bias = (bias + 0.0)[None].to(dtype)  # + 0.0: no negative zero
    _require.floats(dtype=bias)
    return bias
