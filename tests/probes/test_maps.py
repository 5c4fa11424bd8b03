"""The weights of a model: what an oracle computes, once for each attention, under the right name."""

import numpy as np
import pytest
import torch
from manyheads import torch_path
from manyheads.probes import attention_maps
from torch import nn
from torch.nn import functional

from .models import BATCH, HEADS, KINDS, SEQ, WIDTH, Nested, WithSdpa, layer, tokens


def only(maps):
    assert len(maps) == 1, list(maps)
    (weights,) = maps.values()
    assert weights.dtype == np.float32 and type(weights) is np.ndarray
    return weights


def near(weights, expected):
    assert weights.shape == tuple(expected.shape)
    np.testing.assert_allclose(weights, np.asarray(expected.detach()), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("training", [False, True])
def test_every_way_to_write_attention_is_seen_once(kind, training):
    model, x = kind().train(training), tokens(BATCH, SEQ, WIDTH)
    maps = attention_maps(model, x)
    assert list(maps) == [kind.__name__]
    near(only(maps), model.expected(x)[0])
    assert model.training is training


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_torchs_module_as_it_says_itself(need_weights, batch_first, training):
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first, dropout=0.5).train(training)
    q, kv = tokens(BATCH, SEQ, WIDTH), tokens(BATCH, 7, WIDTH)
    q, kv = (q, kv) if batch_first else (q.transpose(0, 1), kv.transpose(0, 1))
    weights = only(attention_maps(theirs, q, kv, kv, need_weights=need_weights))
    near(weights, theirs.eval()(q, kv, kv, average_attn_weights=False)[1])


def test_torchs_module_with_a_mask_and_without_a_batch():
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(WIDTH, HEADS).eval()
    x, mask = tokens(SEQ, WIDTH), ~torch.ones(SEQ, SEQ, dtype=torch.bool).tril()
    weights = only(attention_maps(theirs, x, x, x, attn_mask=mask, need_weights=False))
    near(weights, theirs(x, x, x, attn_mask=mask, average_attn_weights=False)[1][None])


def test_torchs_encoder_with_padding():
    """Two heads: torch would take its nested tensors, and its fast path."""
    torch.manual_seed(0)
    one = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True)
    encoder = nn.TransformerEncoder(one, 2).eval()
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    maps = attention_maps(encoder, tokens(2, 5, WIDTH), src_key_padding_mask=padding)
    assert list(maps) == ["layers.0.self_attn", "layers.1.self_attn"]
    assert all((weights[1, ..., 3:] == 0).all() for weights in maps.values())
    np.testing.assert_allclose(maps["layers.1.self_attn"].sum(-1), 1, atol=1e-6)


def test_a_decoder_has_both_kinds():
    decoder = nn.TransformerDecoderLayer(WIDTH, HEADS, 16, batch_first=True).eval()
    maps = attention_maps(decoder, tokens(2, 5, WIDTH), tokens(2, 7, WIDTH))
    assert {name: weights.shape for name, weights in maps.items()} == {
        "self_attn": (2, 3, 5, 5),
        "multihead_attn": (2, 3, 5, 7),
    }


@pytest.mark.parametrize("backend", ["auto", "math", "sdpa"])
@pytest.mark.parametrize("name", ["mha", "gqa", "mla"])
def test_our_layers_as_they_say_themselves(name, backend):
    one, x = layer(name), tokens(BATCH, SEQ, WIDTH)
    mask = torch_path.padding_mask([5, 3], 5)
    weights = only(attention_maps(one, x, causal=True, mask=mask, backend=backend))
    near(weights, one(x, causal=True, mask=mask, return_weights=True)[1])
    near(only(attention_maps(one, x, return_weights=True)), one(x, return_weights=True)[1])


def test_a_latent_that_is_not_unpacked():
    one, x = layer("mla"), tokens(BATCH, SEQ, WIDTH)
    near(only(attention_maps(one, x, absorbed=True)), one(x, return_weights=True)[1])


def test_a_function_and_more_than_one_call():
    q, k, v = tokens(2, 6, 5, 4), tokens(2, 2, 7, 4), tokens(2, 2, 7, 4)

    def two(q, k, v):
        torch_path.attention(q, k, v, window=(1, 2))
        return functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    maps = attention_maps(two, q, k, v)
    assert list(maps) == ["two", "two #2"]
    near(maps["two"], torch_path.attention(q, k, v, window=(1, 2), return_weights=True)[1])
    near(maps["two #2"], torch_path.attention(q, k, v, return_weights=True)[1])


def by_hand(q, k, v, mask, is_causal, scale):
    """The documented meaning, entry by entry."""
    weights = np.zeros((*q.shape[:3], k.shape[2]))
    for b, h, i in np.ndindex(*q.shape[:3]):
        scores = np.full(k.shape[2], -np.inf)
        for j in range(k.shape[2]):
            if is_causal and j > i:
                continue
            score = float(q[b, h, i] @ k[b, h * k.shape[1] // q.shape[1], j]) * scale
            if mask is not None:
                m = mask.expand(*weights.shape)[b, h, i, j]
                score = (score if m else -np.inf) if mask.dtype == torch.bool else score + float(m)
            scores[j] = score
        if np.isfinite(scores).any():
            powers = np.exp(scores - scores.max())
            weights[b, h, i] = powers / powers.sum()
    return torch.from_numpy(weights)


@pytest.mark.parametrize("case", ["plain", "causal", "bool", "float", "empty row"])
def test_torchs_function_by_hand(case):
    q, k, v = tokens(2, 6, 5, 4), tokens(2, 2, 7, 4), tokens(2, 2, 7, 3)
    mask = None
    if case in ("bool", "empty row"):
        mask = tokens(2, 1, 5, 7) > 0
        mask[..., 0] = True
        if case == "empty row":
            mask[1, :, 2] = False
    if case == "float":
        mask = tokens(6, 5, 7)
    options = {"attn_mask": mask, "is_causal": case == "causal", "scale": 0.3}
    run = lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, enable_gqa=True, **options)  # noqa: E731
    near(only(attention_maps(run, q, k, v)), by_hand(q, k, v, mask, options["is_causal"], 0.3))


def test_torchs_described_mask_and_three_axes():
    from torch.nn.attention.bias import causal_lower_right

    q, k = tokens(2, 5, 4), tokens(2, 7, 4)
    weights = only(attention_maps(functional.scaled_dot_product_attention, q, k, k))
    near(weights, torch_path.attention(q[:, None], k[:, None], k[:, None], return_weights=True)[1])
    q, k = q[:, None], k[:, None]
    run = lambda: functional.scaled_dot_product_attention(q, k, k, attn_mask=causal_lower_right(5, 7))  # noqa: E731
    near(only(attention_maps(run)), torch_path.attention(q, k, k, causal=True, return_weights=True)[1])


def test_three_axes_written_out_are_one_head():
    q, k = tokens(2, 5, 4), tokens(2, 7, 4)
    weights = only(attention_maps(lambda: torch.bmm(torch.softmax(q @ k.mT, dim=2), k)))
    near(weights, torch.softmax(q @ k.mT, dim=2)[:, None])


def test_what_is_no_attention_is_not_taken_for_it():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.attend, self.experts = WithSdpa(), nn.Linear(WIDTH, 4)

        def forward(self, x):
            x = self.attend(x)
            gates = self.experts(x).softmax(-1)  # no product follows
            over_tokens = x.softmax(1) @ x.mT  # not over the last axis
            return functional.log_softmax(x, -1), gates, over_tokens

    assert list(attention_maps(Mixed(), tokens(BATCH, SEQ, WIDTH))) == ["attend"]


def test_names_in_a_larger_model():
    maps = attention_maps(Nested(), tokens(BATCH, SEQ, WIDTH))
    assert list(maps) == ["one", "blocks.0", "blocks.1.self_attn", "one #2"]
    assert np.abs(maps["one"] - maps["one #2"]).max() > 1e-3


def test_the_model_is_left_as_it_was():
    model, x = Nested(), tokens(BATCH, SEQ, WIDTH).requires_grad_()
    before = model(x)
    attention_maps(model, x)
    assert torch.equal(model(x), before)
    assert x.grad is None
    for module in model.modules():
        assert not module._forward_hooks and not module._forward_pre_hooks
    with pytest.raises(RuntimeError):
        attention_maps(model, x[..., :3])
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert torch.equal(model(x), before)


def test_a_compiled_model():
    model, x = WithSdpa(), tokens(BATCH, SEQ, WIDTH)
    compiled = torch.compile(model, backend="eager")
    compiled(x)
    near(only(attention_maps(compiled, x)), model.expected(x)[0])


def test_sixteen_bits():
    model, x = WithSdpa(), tokens(BATCH, SEQ, WIDTH)
    expected = model.expected(x)[0]
    weights = only(attention_maps(model.bfloat16(), x.bfloat16()))
    np.testing.assert_allclose(weights, expected, atol=0.02)


def test_no_attention():
    with pytest.raises(ValueError, match=r"no attention was seen in Linear: looked for manyheads.torch_path.attention"):
        attention_maps(nn.Linear(3, 3), torch.ones(2, 3))
    with pytest.raises(TypeError, match=r"model must be an nn.Module or a function, got str"):
        attention_maps("model")  # type: ignore[arg-type]
