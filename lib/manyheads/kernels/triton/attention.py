"""Attention on tensors by the Triton kernels: arguments checked, then the operator called."""

from manyheads import _arguments, _require
from manyheads.kernels.launching import NotHere
from manyheads.kernels.triton.support import cannot, not_here


def attention(
    q, k, v, *, mask=None, bias=None, causal=False, window=None, lengths=None, scale=None, softcap=None,
    return_lse=False,
):  # fmt: skip
    """Attention in one kernel that never holds all the scores. Differentiable in q, k and v; works compiled.

    Parameters
    ----------
    q : float tensor (batch, heads, q_len, head_dim)
        Of any strides, as all tensors here. On a GPU, or on the CPU under ``TRITON_INTERPRET=1``.
    k : float tensor (batch, kv_heads, k_len, head_dim)
    v : float tensor (batch, kv_heads, k_len, v_head_dim)
    mask, bias, causal, window, scale, softcap
        As in `manyheads.torch_path.attention`; a bias is a constant here.
    lengths : int tensor (batch,), optional
        Keys of each batch item, from 0 to k_len, which stand at its start; the others are not read.
    return_lse : bool
        Give each query's log-sum-exp of its scores as well: float32 (batch, heads, q_len).

    Returns
    -------
    float tensor (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_lse` a pair
        A query that may attend to nothing gets 0, a log-sum-exp of minus infinity, and gradients of 0. Gradients
        are the same bits every time.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or the kernels cannot do what is asked.
    NotHere
        If there is no triton, no GPU that it knows, and no interpreter either.

    Notes
    -----
    ``out = softmax(scale q k^T) v``, block by block with the online softmax; the backward pass makes the weights again
    from the log-sum-exp (Dao 2023, FlashAttention-2, algorithms 1 and 2).

    Examples
    --------
    >>> import os
    >>> _ = os.environ.setdefault("TRITON_INTERPRET", "1")  # before triton is imported
    >>> import torch
    >>> q, k = torch.zeros(1, 2, 2, 4), torch.ones(1, 1, 2, 4)
    >>> v = torch.tensor([[[[10.0], [20.0]]]])
    >>> attention(q, k, v, causal=True)[0, 0, :, 0]
    tensor([10., 15.])
    """
    sizes = _arguments.queries_and_keys(q, k, _require.TORCH)
    _arguments.keys_and_values(k, v, _require.TORCH)
    _arguments.mask(mask, sizes, _require.TORCH)
    _arguments.bias(bias, sizes, _require.TORCH)
    _require.devices(q=q, mask=mask, bias=bias, lengths=lengths)
    band = _arguments.band(causal, window)
    scale = _arguments.scale(scale, sizes.head_dim)
    softcap = _arguments.softcap(softcap)
    if lengths is not None:
        _require.axes("lengths", lengths, "batch", kind=_require.TORCH)
        _require.same("batch of q", sizes.batch, "lengths' only axis", lengths.shape[0])
        if "int" not in _require.dtype_name(lengths):
            raise TypeError(f"lengths must be whole numbers, got {_require.dtype_name(lengths)}")
        lengths = lengths.int().contiguous()
    why = cannot(q, k, v, mask=mask, bias=bias)
    if why is not None:
        raise ValueError(f"the Triton kernels cannot do {why}; use backend 'math'")
    lacks = not_here(q.device)
    if lacks is not None:
        raise NotHere(lacks)
    from manyheads.kernels.triton import ops  # imports triton

    out, lse = ops.forward(q, k, v, _four(mask), _four(bias), lengths, *band, scale, softcap)
    return (out, lse) if return_lse else out


def _four(x):
    """A (q_len, k_len) mask or bias with its axes of batch and heads."""
    return x if x is None or x.ndim == 4 else x[None, None]
