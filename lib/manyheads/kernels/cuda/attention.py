"""Attention on tensors of a GPU by our CUDA kernels, and when they cannot do it."""

from manyheads import _arguments, _require
from manyheads.kernels.aot.missing import missing
from manyheads.kernels.cuda.tiles import tiles_for
from manyheads.kernels.launching import NotHere

_ELSEWHERE = "use backend 'math', 'sdpa' or 'triton'"


def attention(q, k, v, *, causal=False, window=None, lengths=None, scale=None, softcap=None, return_lse=False):
    """Attention on a GPU, by the CUDA kernels of this folder. Differentiable; works compiled.

    Contiguous tensors go to ``tiled_attention.cu``, other views to ``head_stride_attention.cu``: there are no copies,
    unless the dims of a head do not lie side by side.

    Parameters
    ----------
    q : float32 tensor (batch, heads, q_len, head_dim), on a GPU
    k : float32 tensor (batch, kv_heads, k_len, head_dim)
    v : float32 tensor (batch, kv_heads, k_len, v_head_dim)
    causal, window, scale, softcap
        As in `manyheads.torch_path.attention`.
    lengths : integer tensor (batch,), optional
        How many keys of each batch item there are; more than k_len is k_len.
    return_lse : bool
        Give the logarithm of each row's sum of exponentials (batch, heads, q_len) as well.

    Returns
    -------
    float32 tensor (batch, heads, q_len, v_head_dim); with `return_lse` a pair
        A query that may attend to nothing gets 0 and an lse of minus infinity. Views give a view of
        (batch, q_len, heads, v_head_dim).

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or the kernels cannot do what is asked; `cannot` says why beforehand.
    NotHere
        If there is no compiler for CUDA C++.

    Notes
    -----
    ``out = softmax(scale q k^T) v`` (Vaswani et al. 2017, section 3.2.1). The backward pass computes the scores again
    in plain torch and keeps all of them at once: the Triton path trains with less memory.

    Examples
    --------
    >>> import torch
    >>> if torch.cuda.is_available():
    ...     q, k = torch.zeros(1, 2, 2, 4, device="cuda"), torch.ones(1, 1, 2, 4, device="cuda")
    ...     assert attention(q, k, k, causal=True).equal(torch.ones_like(q))
    """
    sizes = _arguments.queries_and_keys(q, k, _require.TORCH)
    _arguments.keys_and_values(k, v, _require.TORCH)
    band = _arguments.band(causal, window)
    capped = _arguments.softcap(softcap)
    if lengths is not None:
        _require.axes("lengths", lengths, "batch", kind=_require.TORCH)
        _require.devices(q=q, lengths=lengths)
        _require.same("batch of q", sizes.batch, "lengths' only axis", lengths.shape[0])
        if "int" not in _require.dtype_name(lengths):
            raise TypeError(f"lengths must be whole numbers, got {_require.dtype_name(lengths)}")
    why = cannot(q, k, v)
    if why is not None:
        raise (NotHere if _no_compiler() == why else ValueError)(f"the CUDA kernels cannot do this: {why}")
    from manyheads.kernels.cuda.ops import cuda_attention

    out, lse = cuda_attention(q, k, v, lengths, *band, _arguments.scale(scale, sizes.head_dim), capped)
    return (out, lse) if return_lse else out


def cannot(q, k, v, *, mask=None, bias=None, return_weights=False, **_) -> str | None:
    """Why `attention` cannot do a call, and what can; None if it can.

    Parameters
    ----------
    q, k, v, mask, bias, return_weights
        As in `manyheads.torch_path.attention`, which fit together. Other options are all known here.

    Returns
    -------
    str or None

    Examples
    --------
    >>> import torch
    >>> x = torch.zeros(1, 2, 3, 16)
    >>> cannot(x, x, x)
    'they run on tensors of a GPU, and q is on cpu; manyheads.kernels.emulate runs them on NumPy arrays'
    """
    given = {"mask": mask is not None, "bias": bias is not None, "return_weights": return_weights}
    lacks = [name for name, is_given in given.items() if is_given]
    if lacks:
        return f"they know no {' and no '.join(lacks)}; {_ELSEWHERE}"
    if q.device.type != "cuda":
        return (
            f"they run on tensors of a GPU, and q is on {q.device}; manyheads.kernels.emulate runs them on NumPy arrays"
        )
    for name, x in (("q", q), ("k", k), ("v", v)):
        if _require.dtype_name(x) != "float32":
            return f"they are float32, and {name} is {_require.dtype_name(x)}; {_ELSEWHERE}"
    return _too_large(q, k, v) or _no_compiler()


def _too_large(q, k, v) -> str | None:
    try:
        tiles_for(q.shape[3], v.shape[3])
    except ValueError as error:
        return f"{error}; {_ELSEWHERE}"
    if max(q.shape[:2]) > 65535:  # blocks along an axis of the grid
        return f"they take up to 65535 batch items and heads, and q has {q.shape[0]} and {q.shape[1]}; {_ELSEWHERE}"
    for name, x in (("q", q), ("k", k), ("v", v)):
        if any(size > 1 and stride >= 2**31 for size, stride in zip(x.shape, x.stride(), strict=True)):
            return f"they count strides in 32 bits, and {name} has strides {tuple(x.stride())}; copy it"
    return None


def _no_compiler() -> str | None:
    import torch

    # A compiled function is traced; whether there is a compiler is then found out at the launch.
    return None if torch.compiler.is_compiling() else missing("cuda")
