"""torch's own attention functions: their weights computed from their arguments, their heads' results changed."""

import inspect

import torch
from torch import Tensor
from torch.nn.functional import linear, multi_head_attention_forward

_SCALED = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")  # it has no signature that can be asked
_MULTI_HEAD = inspect.signature(multi_head_attention_forward)


def scaled_dot_product(found, func, args, kwargs):
    """`scaled_dot_product_attention`; fewer axes than four are one head, more are all heads."""
    given = {**dict(zip(_SCALED, args, strict=False)), **kwargs}
    heads = as_four(given["query"]).shape[1]
    change = found(heads, lambda: as_four(_weights(**given)))
    out = func(*args, **kwargs)
    return out if change is None else change(as_four(out)).reshape(out.shape)


def _weights(query, key, attn_mask=None, is_causal=False, scale=None, enable_gqa=False, **_) -> Tensor:
    """What torch's documentation says that it computes, in float32 or wider."""
    wide = torch.promote_types(query.dtype, torch.float32)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)
    scores = query.to(wide) @ key.to(wide).mT * scale
    if is_causal:  # torch's corner is the upper left
        scores = scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(), -torch.inf)
    if attn_mask is not None:
        if hasattr(attn_mask, "_materialize"):  # torch.nn.attention.bias: a mask that is only described
            attn_mask = attn_mask._materialize(query.device)
        if attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attn_mask, -torch.inf)
        else:
            scores = scores + attn_mask
    # A query that may attend to nothing has weights of 0.
    return torch.softmax(scores, dim=-1).masked_fill(torch.isneginf(scores).all(-1, keepdim=True), 0.0)


def multi_head(found, func, args, kwargs):
    """`multi_head_attention_forward`, which every `nn.MultiheadAttention` calls."""
    call = _MULTI_HEAD.bind(*args, **kwargs)
    call.apply_defaults()
    given = call.arguments

    def weights() -> Tensor:
        # Not in training: torch gives the weights after dropout.
        asked = {**given, "training": False, "need_weights": True, "average_attn_weights": False}
        return _batched(func(**asked)[1])

    heads = given["num_heads"]
    change = found(heads, weights)
    if change is None:
        return func(*args, **kwargs)
    w_o, b_o = given["out_proj_weight"], given["out_proj_bias"]
    # With the identity for W_O the heads' results come out side by side.
    plain = {"out_proj_weight": torch.eye(len(w_o), dtype=w_o.dtype, device=w_o.device), "out_proj_bias": None}
    out, shown = func(**{**given, **plain})
    *rest, width = out.shape  # (q_len, batch, width), or without batch
    split = out.reshape(rest[0], -1, heads, width // heads).permute(1, 2, 0, 3)
    joined = change(split).permute(2, 0, 1, 3).reshape(out.shape)
    return linear(joined, w_o, b_o), shown


def _batched(weights: Tensor) -> Tensor:
    """(heads, q_len, k_len) is one batch item here."""
    return weights[None] if weights.ndim == 3 else weights


def as_four(x: Tensor) -> Tensor:
    """Four axes: (batch, q_len, …) is one head; of more than four, all between the first and last two are heads."""
    if x.ndim == 2:
        return x[None, None]
    if x.ndim == 3:
        return x[:, None]
    return x.flatten(1, -3)
