"""Against torch's own attention, where the conventions allow; and where they do not, what the difference is."""

import numpy as np
import pytest
import torch
from manyheads import torch_path
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
Q, K, V = (torch.randn(2, h, n, d, dtype=torch.float64) for h, n, d in ((6, 5, 4), (3, 7, 4), (3, 7, 8)))
MASK = torch.rand(2, 6, 5, 7) < 0.6


@pytest.mark.parametrize("backend", ["math", "sdpa"])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"scale": 0.3}, {"scale": 0.3}),
        ({"mask": MASK}, {"attn_mask": MASK}),
        ({"bias": torch.ones(5, 7).tril().double()}, {"attn_mask": torch.ones(5, 7).tril().double()}),
        # Their causal flag is aligned at the other corner: ours goes to them as a mask, theirs to us.
        ({"causal": True}, {"attn_mask": torch_path.causal_mask(5, 7)}),
        ({"mask": torch_path.top_left_causal_mask(5, 7)}, {"is_causal": True}),
    ],
    ids=["plain", "scale", "mask", "bias", "our causal", "their causal"],
)
def test_scaled_dot_product_attention(backend, ours, theirs):
    out = torch_path.attention(Q, K, V, backend=backend, **ours)
    expected = scaled_dot_product_attention(Q, K, V, enable_gqa=True, **theirs)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-13)


def test_causal_differs_from_theirs_where_the_lengths_do():
    theirs = scaled_dot_product_attention(Q, K, V, enable_gqa=True, is_causal=True)
    ours = torch_path.attention(Q, K, V, causal=True)
    assert (ours - theirs).abs().max() > 0.1
    square = [x[:, :, :5] for x in (Q, K, V)]
    theirs = scaled_dot_product_attention(*square, enable_gqa=True, is_causal=True)
    torch.testing.assert_close(torch_path.attention(*square, causal=True), theirs, rtol=0, atol=1e-13)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kdim", [None, 9])
def test_multi_head_attention_with_their_weights(bias, kdim):
    torch.manual_seed(1)
    theirs = torch.nn.MultiheadAttention(12, 3, bias=bias, kdim=kdim, vdim=kdim, batch_first=True, dtype=torch.float64)
    if bias:
        torch.nn.init.normal_(theirs.in_proj_bias)
        torch.nn.init.normal_(theirs.out_proj.bias)
    ours = torch_path.MultiHeadAttention.from_torch(theirs)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    context = torch.randn(2, 7, kdim or 12, dtype=torch.float64)
    forbidden = torch.rand(5, 7) < 0.3
    padding = torch.tensor([[False] * 7, [False] * 4 + [True] * 3])  # True: must not
    expected, expected_weights = theirs(
        x, context, context, attn_mask=forbidden, key_padding_mask=padding, average_attn_weights=False
    )
    mask = torch_path.combine_masks(
        torch_path.flip_mask(forbidden), torch_path.padding_mask(torch_path.flip_mask(padding))
    )
    out, weights = ours(x, context=context, mask=mask, return_weights=True)
    torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(weights, expected_weights, rtol=0, atol=1e-12)
    assert out.dtype == torch.float64 and out.requires_grad


def test_self_attention_causal_with_their_weights():
    theirs = torch.nn.MultiheadAttention(12, 4, batch_first=True).eval()
    ours = torch_path.MultiHeadAttention.from_torch(theirs)
    x = torch.randn(3, 6, 12)
    forbidden = torch.nn.Transformer.generate_square_subsequent_mask(6)
    expected, _ = theirs(x, x, x, attn_mask=forbidden, need_weights=False)
    torch.testing.assert_close(ours(x, causal=True), expected, rtol=1e-5, atol=1e-6)
    assert torch.equal(torch_path.bias_to_mask(forbidden), torch_path.causal_mask(6, 6))


@pytest.mark.parametrize(("layout", "kv_heads"), [("concatenated", 2), ("per_head", 6), ("per_group", 2)])
@pytest.mark.parametrize("bias", [False, True])
def test_loading_a_fused_layer(layout, kv_heads, bias):
    """The layer's output is that of the fused product, split by hand."""
    from manyheads import AttentionConfig

    torch.manual_seed(2)
    config = AttentionConfig(12, 6, n_kv_heads=kv_heads, head_dim=4)
    linear = torch.nn.Linear(12, (6 + 2 * kv_heads) * 4, bias=bias, dtype=torch.float64)
    back = torch.nn.Linear(24, 12, bias=bias, dtype=torch.float64)
    layer = torch_path.GroupedQueryAttention(config, bias=bias, dtype=torch.float64)
    loaded = layer.load_fused(
        torch_path.transpose_linear(linear.weight),
        torch_path.transpose_linear(back.weight),
        layout=layout,
        b_qkv=linear.bias,
        b_o=back.bias,
    )
    assert loaded is layer
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    q, k, v = torch_path.split_qkv(linear(x), 6, kv_heads, layout)
    expected = back(scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2))
    torch.testing.assert_close(layer(x, causal=True), expected, rtol=0, atol=1e-12)


def test_a_refused_load_changes_nothing():
    from manyheads import AttentionConfig

    layer = torch_path.GroupedQueryAttention(AttentionConfig(12, 6, n_kv_heads=2))
    before = {name: p.detach().clone() for name, p in layer.named_parameters()}
    with pytest.raises(ValueError, match="w_o must be"):
        layer.load_fused(torch.ones(12, 20), torch.ones(11, 12))
    assert all(torch.equal(p, before[name]) for name, p in layer.named_parameters())


def test_bfloat16_is_within_a_rounding_of_the_numpy_path():
    import ml_dtypes
    from manyheads import reference

    arrays = [x.bfloat16() for x in (Q, K, V)]
    numpy = [x.float().numpy().astype(ml_dtypes.bfloat16) for x in arrays]
    expected = reference.attention(*numpy, causal=True).astype(np.float32)
    out = torch_path.attention(*arrays, causal=True, backend="math").float().numpy()
    np.testing.assert_allclose(out, expected, rtol=2**-7, atol=2**-9)
