"""Attention on tensors of any device, with a choice of what computes it."""

from manyheads import _require
from manyheads.reference._grouping import stack_group, unstack_group
from manyheads.torch_path._call import Call, checked, drop_unread
from manyheads.torch_path._observe import observable
from manyheads.torch_path._precision import own_precision
from manyheads.torch_path._sdpa import sdpa
from manyheads.torch_path._shapes import Bool, Float, Tensor
from manyheads.torch_path.scores import scores_up_to

BACKENDS = ("auto", "math", "sdpa", "triton", "cuda")


@observable
def attention(
    q: Float[Tensor, "batch heads q_len head_dim"],
    k: Float[Tensor, "batch kv_heads k_len head_dim"],
    v: Float[Tensor, "batch kv_heads k_len v_head_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    window: int | tuple[int | None, int | None] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    return_weights: bool = False,
    backend: str = "auto",
) -> (
    Float[Tensor, "batch heads q_len v_head_dim"]
    | tuple[
        Float[Tensor, "batch heads q_len v_head_dim"],
        Float[Tensor, "batch heads q_len k_len"],
    ]
):
    """Scaled dot-product attention, for MHA, GQA and MQA alike. Differentiable; works compiled and under autocast.

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap, return_weights
        As in `manyheads.reference.attention`, on tensors of one device. Beyond it, `bias` may ask for gradients.
    backend : {"auto", "math", "sdpa", "triton", "cuda"}
        ``"math"`` computes it step by step and can do everything; ``"sdpa"`` calls torch's fused
        `scaled_dot_product_attention`, which knows no softcap and gives no weights; ``"auto"`` takes "sdpa"
        where it can. ``"triton"`` and ``"cuda"`` are not part of this version.

    Returns
    -------
    float tensor (batch, heads, q_len, v_head_dim), the dtype of `q`; with `return_weights` a pair
        A query that may attend to nothing gets 0, and gradients of 0. A K/V slot that no query of its batch
        item may attend is not read: a NaN there comes out neither forward nor backward.

    Raises
    ------
    TypeError, ValueError
        If arguments do not fit together, or the backend cannot do what is asked; the message says which.

    Notes
    -----
    ``out = softmax(scale q k^T) v`` (Vaswani et al. 2017, section 3.2.1). "math" computes 16-bit inputs in float32.
    Masks go to torch in its own terms: bottom-right causal as a mask, a row with no allowed key opened and its
    result replaced by 0.

    Examples
    --------
    >>> import torch
    >>> q, k = torch.zeros(1, 2, 2, 4), torch.ones(1, 1, 2, 4)
    >>> v = torch.tensor([[[[10.0], [20.0]]]])
    >>> attention(q, k, v, causal=True)[0, 0, :, 0]
    tensor([10., 15.])
    """
    call = checked(
        q,
        k,
        v,
        mask=mask,
        bias=bias,
        causal=causal,
        window=window,
        scale=scale,
        softcap=softcap,
    )
    chosen = _chosen(backend, call, return_weights)
    with own_precision(q):
        if chosen == "sdpa":
            return sdpa(q, k, v, call)
        allowed = call.allowed()
        weights = scores_up_to("weights", q, k, call, allowed)
        v = drop_unread(v.to(weights.dtype), call.read(allowed))
        stacked = stack_group(weights, call.sizes.kv_heads) @ v
        out = unstack_group(stacked, call.sizes.heads).to(q.dtype)
    return (out, weights.to(q.dtype)) if return_weights else out


def _chosen(backend: str, call: Call, return_weights: bool) -> str:
    """ "math" or "sdpa"."""
    check_backend(backend, return_weights, call.softcap)
    lacks = return_weights or call.softcap is not None
    # torch's kernels do not take an axis of length 0.
    empty = 0 in call.sizes
    return "math" if backend == "math" or lacks or empty else "sdpa"


def check_backend(
    backend="auto", return_weights=False, softcap=None, **_
) -> None:
    """A backend that can do what is asked of it."""
    _require.one_of("backend", backend, BACKENDS)
    if backend in ("triton", "cuda"):
        raise ValueError(
            f"backend={backend!r} is not part of this version; use 'auto', 'math' or 'sdpa'"
        )
    lacks = []
    if return_weights:
        lacks.append("return_weights")
    if softcap is not None:
        lacks.append("softcap")
    if backend == "sdpa" and lacks:
        raise ValueError(
            f"backend='sdpa' cannot do {' and '.join(lacks)}; use 'math' or 'auto'"
        )
