"""torch's fused attention, given this course's conventions in torch's terms."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from manyheads.torch_path._call import Call, drop_unread


def sdpa(q: Tensor, k: Tensor, v: Tensor, call: Call) -> Tensor:
    """`scaled_dot_product_attention`, with bottom-right causal masks, empty rows of 0, and unread slots not read."""
    sizes = call.sizes
    options = {
        "scale": call.scale,
        "enable_gqa": sizes.heads != sizes.kv_heads,
    }
    plain = call.mask is None and call.bias is None
    square = sizes.q_len == sizes.k_len
    if plain and call.band == (None, None):
        out = scaled_dot_product_attention(q, k, v, **options)
        return out.to(q.dtype)
    if plain and call.band == (None, 0) and square:  # both corners agree
        out = scaled_dot_product_attention(
            q, k, v, is_causal=True, **options
        )
        return out.to(q.dtype)
    allowed = call.allowed()
    assert allowed is not None  # something is forbidden, or there is a bias
    read = call.read(allowed)
    k, v = drop_unread(k, read), drop_unread(v, read)
    some = allowed.any(dim=-1, keepdim=True)
    # A row with no key has no softmax: let it see all, and take its result away after.
    opened = allowed | ~some
    if call.bias is None:
        attn_mask = opened
    else:
        bias = torch.where(allowed, call.bias.to(q.dtype), -torch.inf)
        attn_mask = torch.where(some, bias, 0.0)
    out = scaled_dot_product_attention(
        q, k, v, attn_mask=attn_mask, **options
    )
    return torch.where(some, out, 0.0).to(q.dtype)
