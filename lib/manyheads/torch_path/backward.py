"""The gradients of attention, as autograd finds them: to hold hand-written ones against."""

import torch

from manyheads import _arguments, _require
from manyheads.reference.backward import AttentionGradients
from manyheads.torch_path._call import checked
from manyheads.torch_path._shapes import Bool, Float, Tensor
from manyheads.torch_path.attention import attention


def softmax_backward(
    weights: Float[Tensor, "*axes"],
    d_weights: Float[Tensor, "*axes"],
    axis: int = -1,
) -> Float[Tensor, "*axes"]:
    """The gradient of a loss with respect to the scores, from that with respect to the weights.

    Parameters
    ----------
    weights : float tensor of any shape
        What `softmax` gave.
    d_weights : float tensor of the same shape
    axis : int
        The axis along which the weights sum to one.

    Returns
    -------
    float tensor, the shape and dtype of `weights`

    Raises
    ------
    TypeError, ValueError
        If the two are not tensors of floats of one shape and dtype.

    Notes
    -----
    ``dS = P * (dP - sum_j P_j dP_j)``; as `manyheads.reference.softmax_backward`, with its source.

    Examples
    --------
    >>> import torch
    >>> softmax_backward(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 0.0]))
    tensor([ 0.2500, -0.2500])
    """
    _require.array("weights", weights, _require.TORCH)
    _require.array("d_weights", d_weights, _require.TORCH)
    _require.floats(weights=weights, d_weights=d_weights)
    _require.axis("weights", weights, axis)
    if weights.shape != d_weights.shape:
        raise ValueError(
            f"weights have shape {tuple(weights.shape)}, but d_weights {tuple(d_weights.shape)}; they must be equal"
        )
    average = (weights * d_weights).sum(axis, keepdim=True)
    return weights * (d_weights - average)


def attention_backward(
    d_out: Float[Tensor, "batch heads q_len v_head_dim"],
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
) -> AttentionGradients:
    """The gradients of a loss with respect to what `attention` was given.

    Parameters
    ----------
    d_out : float tensor (batch, heads, q_len, v_head_dim)
        The gradient with respect to the output of `attention`.
    q, k, v, mask, bias, causal, window, scale, softcap
        As given to `attention`.

    Returns
    -------
    AttentionGradients
        ``.q``, ``.k``, ``.v`` and ``.bias`` (None without a bias), each with the shape and dtype of its tensor.

    Raises
    ------
    TypeError, ValueError
        As in `attention`; and if `d_out` does not have the output's shape and dtype.

    Notes
    -----
    Computed by autograd through the "math" backend; `manyheads.reference.attention_backward` has the formulas,
    and their source.

    Examples
    --------
    >>> import torch
    >>> q = k = torch.zeros(1, 1, 2, 4)
    >>> v = torch.tensor([[[[10.0], [20.0]]]])
    >>> attention_backward(torch.ones(1, 1, 2, 1), q, k, v).v[0, 0, :, 0]
    tensor([1., 1.])
    """
    options = {
        "mask": mask,
        "causal": causal,
        "window": window,
        "scale": scale,
        "softcap": softcap,
    }
    checked(q, k, v, bias=bias, **options)
    _arguments.gradient(d_out, q, v, _require.TORCH)
    inputs = [x.detach().requires_grad_() for x in (q, k, v)]
    if bias is not None:
        inputs.append(bias.detach().requires_grad_())
    with torch.enable_grad():
        out = attention(
            *inputs[:3],
            bias=None if bias is None else inputs[3],
            backend="math",
            **options,
        )
    assert isinstance(out, Tensor)  # no weights were asked for
    found = torch.autograd.grad(out, inputs, d_out)
    return AttentionGradients(*found, *([None] * (4 - len(found))))
