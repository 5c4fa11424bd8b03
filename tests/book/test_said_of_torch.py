"""What the notation page says of torch in its prose, beyond what its cells print."""

import numpy as np
import pytest
import torch
from manyheads import reference, torch_path
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from .attention_elsewhere import by_onnx, module_and_ours, on_arrays, ours, random_call, sdpa
from .notation_page import near, says


def test_a_padding_mask_the_wrong_way_round_looks_right():
    says("where every sequence has some padding, all attend to the padding alone, and nothing looks wrong")
    module, layer = module_and_ours()
    x = torch.randn(2, 3, 4)
    real = torch_path.padding_mask(torch.tensor([2, 1]), 3)
    wrong, weights = module(x, x, x, key_padding_mask=real[:, 0, 0])
    assert torch.isfinite(wrong).all()
    assert near(wrong.detach(), layer(x, mask=~real).detach())
    assert not weights[real[:, 0].expand(2, 3, 3)].any()


def test_a_mask_beside_torchs_flag():
    says("With a mask *and* `is_causal=True`, some of torch's kernels refuse and others combine the two.")
    mask = np.array([[True, True, True, True], [False, True, True, True]])
    with sdpa_kernel(SDPBackend.MATH), pytest.raises(RuntimeError, match="Explicit attn_mask should not be set"):
        sdpa(2, 4, mask=mask, causal=True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        assert near(sdpa(2, 4, mask=mask, causal=True), [[1, 0, 0, 0], [0, 1, 0, 0]])


def test_the_modules_hint():
    says("It is a hint that your mask is causal, and needs the mask beside it. Without weights the hint is believed")
    module, layer = module_and_ours()
    x, context = torch.randn(1, 2, 4), torch.randn(1, 4, 4)
    mask = reference.flip_mask(torch_path.causal_mask(2, 4))
    top_left = layer(x, context=context, mask=torch_path.top_left_causal_mask(2, 4))
    for need_weights, expected in ((True, layer(x, context=context, causal=True)), (False, top_left)):
        got, _ = module(x, context, context, attn_mask=mask, is_causal=True, need_weights=need_weights)
        assert near(got.detach(), expected.detach())
    with pytest.raises(RuntimeError, match="Need attn_mask"):
        module(x, context, context, is_causal=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("kernel", [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION])
def test_an_empty_row_in_sdpa_is_0_and_its_gradients_are_finite(kernel, dtype):
    says("This course says 0, and so does SDPA.")
    mask = torch.tensor([[True, False, True], [False, False, False]])
    for given in (mask, torch_path.mask_to_bias(mask, dtype)):
        q, k, v = (torch.randn(1, 1, n, 4, dtype=dtype, requires_grad=True) for n in (2, 3, 3))
        with sdpa_kernel(kernel):
            out = scaled_dot_product_attention(q, k, v, attn_mask=given)
            out.sum().backward()
        assert not out[0, 0, 1].any() and out[0, 0, 0].any()
        assert all(x.grad is not None and torch.isfinite(x.grad).all() for x in (q, k, v))


def test_an_empty_row_in_the_module():
    says("When the weights are asked for, which is the default: NaN. When they are not: 0, and $W_O$'s bias on top. "
         "In evaluation without gradients, where torch takes a shortcut: NaN again.")  # fmt: skip
    module, _ = module_and_ours()
    nn.init.constant_(module.out_proj.bias, 7)
    x, mask = torch.randn(1, 2, 4), torch.tensor([[False, True], [True, True]])

    def second(**options):
        return module(x, x, x, attn_mask=mask, **options)[0][0, 1].detach()

    for training in (True, False):
        module.train(training)
        assert second().isnan().all()
        assert second(need_weights=False).tolist() == [7, 7, 7, 7]
        with torch.no_grad():
            assert second(need_weights=False).isnan().all() == (not training)


def test_a_stand_in_gives_an_empty_row_the_mean():
    says("But a row with no key comes out as the mean of all values, forbidden as they are.")
    mask = np.array([[True, False], [False, False]])
    assert near(sdpa(2, 2, mask=np.where(mask, 0, -1e9).astype(np.float32)), [[1, 0], [1 / 2, 1 / 2]])
    says("refuses numbers that are more than a mask")
    with pytest.raises(ValueError, match="more than a mask"):
        reference.bias_to_mask(np.array([0.0, -0.5]))


def test_a_tiled_model_is_converted_by_its_weights():
    says("To convert the model itself, reorder the heads in $W_Q$'s columns and in $W_O$'s rows.")
    rng = np.random.default_rng(0)
    heads, kv_heads, d, width = 6, 2, 3, 7
    x, w_q, w_o = rng.standard_normal((1, 5, width)), rng.standard_normal((width, 18)), rng.standard_normal((18, width))
    w_k, w_v = rng.standard_normal((2, width, kv_heads * d))
    k, v = (np.tile(reference.split_heads(x @ w, kv_heads), (1, heads // kv_heads, 1, 1)) for w in (w_k, w_v))
    tiled = reference.mix_heads(reference.attention(reference.split_heads(x @ w_q, heads), k, v), w_o)

    def grouped(columns):
        return reference.combine_heads(reference.group_heads(reference.split_heads(columns[None], heads), kv_heads))[0]

    converted = grouped(w_q), w_k, w_v, grouped(w_o.T).T
    assert near(reference.gqa(x, *converted, n_heads=heads, n_kv_heads=kv_heads), tiled)


def test_windows_elsewhere():
    says("Pass the 4096 of Mistral 7B to a library that counts neighbours, and a token sees 4097.")
    assert reference.sliding_window_mask(1, 5000, (4096, 0)).sum() == 4097
    assert reference.sliding_window_mask(1, 5000, 4096).sum() == 4096
    says("jax, and ONNX without a past, put the first query at the first key")
    at_the_first = by_onnx(2, 4, left_window_size=1, right_window_size=0)
    assert near(at_the_first, [[1, 0, 0, 0], [1 / 2, 1 / 2, 0, 0]])
    assert near(by_onnx(2, 4, left_window_size=1, right_window_size=0, past=2), ours(2, 4, causal=True, window=2))


def test_zeros_keep_torch_clean():
    says("For torch, put zeros there first.")
    q, k, v = random_call()
    mask = reference.padding_mask(np.array([5, 3]), 5)
    clean = reference.attention(q, k, v, mask=mask)
    k[1, :, 3:] = v[1, :, 3:] = np.nan
    k, v = (np.where(mask.swapaxes(2, 3), x, np.float32(0)) for x in (k, v))
    assert near(on_arrays("SDPA")(q, k, v, mask=mask), clean)
