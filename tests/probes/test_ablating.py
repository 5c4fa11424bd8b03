"""A model without a head, against the same by hand; and as it was after."""

import numpy as np
import pytest
import torch
from manyheads.probes import ablated, ablation, attention_maps
from torch import nn

from .models import BATCH, HEADS, KINDS, SEQ, WIDTH, Nested, WithSdpa, layer, tokens


def replaced(results, heads, how):
    """The heads' results (batch, heads, seq, width), by hand."""
    results = results.clone()
    for head in heads:
        results[:, head] = 0.0 if how == "zero" else results[:, head].mean(dim=(0, 1))
    return results


def near(one, other):
    torch.testing.assert_close(one, other, rtol=0, atol=1e-6)


@pytest.mark.parametrize("how", ["zero", "mean"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_to_write_attention(kind, how):
    model, x = kind().eval(), tokens(BATCH, SEQ, WIDTH)
    before = model(x)
    results = model.expected(x)[1]
    for heads in ([1], [2, 0]):
        with ablated(model, {kind.__name__: heads}, how):
            out = model(x)
        near(out, model.out(replaced(results, heads, how).transpose(1, 2).flatten(2)))
        assert (out - before).abs().max() > 1e-3
    assert torch.equal(model(x), before)


def head_results(theirs, x):
    """What reaches W_O of a torch module, (batch, heads, seq, head_dim)."""
    plain = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    plain.load_state_dict(theirs.state_dict())
    with torch.no_grad():
        plain.out_proj.weight.copy_(torch.eye(WIDTH))
        plain.out_proj.bias.zero_()
        return plain(x, x, x)[0].unflatten(-1, (HEADS, -1)).transpose(1, 2)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
def test_torchs_module_is_its_output_projection_without_columns(batch_first, need_weights):
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first).eval()
    nn.init.normal_(theirs.out_proj.bias)
    x = tokens(BATCH, SEQ, WIDTH)
    given = x if batch_first else x.transpose(0, 1)
    with ablated(theirs, {"MultiheadAttention": [1]}):
        out, weights = theirs(given, given, given, need_weights=need_weights)
    with torch.no_grad():
        expected_weights = theirs(given, given, given)[1]
        columns = theirs.out_proj.weight[:, 4:8].clone()
        theirs.out_proj.weight[:, 4:8] = 0
        near(out, theirs(given, given, given)[0])
        theirs.out_proj.weight[:, 4:8] = columns
    assert (weights is not None) == need_weights
    if need_weights:
        near(weights, expected_weights)
    with ablated(theirs, {"MultiheadAttention": [1]}, "mean"):
        out = theirs(given, given, given)[0]
    joined = replaced(head_results(theirs, x), [1], "mean").transpose(1, 2).flatten(2)
    near(out if batch_first else out.transpose(0, 1), theirs.out_proj(joined))


def test_torchs_module_without_a_batch():
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    x = tokens(1, SEQ, WIDTH)
    with ablated(theirs, {"MultiheadAttention": [2]}):
        near(theirs(x[0], x[0], x[0])[0], theirs(x, x, x)[0][0])


@pytest.mark.parametrize("name", ["mha", "gqa", "mla"])
def test_our_layers_are_their_output_projection_without_rows(name):
    one, x = layer(name), tokens(BATCH, SEQ, WIDTH)
    width = one.config.v_head_dim
    for options in [{}, {"return_weights": True}, *([{"absorbed": True}] if name == "mla" else [])]:
        with ablated(one, {type(one).__name__: [2]}):
            out = one(x, causal=True, **options)
        out = out[0] if isinstance(out, tuple) else out
        rows = one.w_o.detach()[2 * width : 3 * width].clone()
        with torch.no_grad():
            one.w_o[2 * width : 3 * width] = 0
            near(out, one(x, causal=True))
            one.w_o[2 * width : 3 * width] = rows


def test_an_encoder_keeps_its_padding():
    torch.manual_seed(0)
    block = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True).eval()
    x, padding = tokens(2, 5, WIDTH), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    with torch.no_grad(), ablated(block, {"self_attn": [0]}):
        out = block(x, src_key_padding_mask=padding)
    with torch.no_grad():
        block.self_attn.out_proj.weight[:, :6] = 0
        near(out[0], block(x, src_key_padding_mask=padding)[0])
        near(out[1, :3], block(x, src_key_padding_mask=padding)[1, :3])


def test_only_the_one_that_is_named():
    """The module that runs twice counts its runs, from the first in every call of the model."""
    model, x = Nested(), tokens(BATCH, SEQ, WIDTH)
    whole = attention_maps(model, x)
    for _ in range(2):
        with ablated(model, {"one #2": [0]}):
            out, again = model(x), model(x)
            inside = attention_maps(model, x)
        near(out, again)
    assert list(inside) == list(whole)
    assert (out - model(x)).abs().max() > 1e-3
    with ablated(model, {"one": [0], "blocks.0": [1]}):
        maps = attention_maps(model, x)
    np.testing.assert_array_equal(maps["one"], whole["one"])
    assert np.abs(maps["blocks.0"] - whole["blocks.0"]).max() > 1e-4


def test_gradients_go_around_it():
    model, x = WithSdpa(), tokens(BATCH, SEQ, WIDTH)
    with ablated(model, {"WithSdpa": [1]}):
        model(x).square().sum().backward()
    assert (model.out.weight.grad[:, 4:8] == 0).all()
    assert (model.out.weight.grad[:, :4] != 0).all()


def test_the_model_is_as_before_after_an_error():
    model, x = Nested(), tokens(BATCH, SEQ, WIDTH)
    before = model(x)
    with pytest.raises(KeyError), ablated(model, {"one": [0]}):
        model(x)
        raise KeyError
    with pytest.raises(RuntimeError), ablated(model, {"one": [0]}):
        model(x[..., :3])
    assert torch.equal(model(x), before)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_ablation_of_every_head():
    model, x = Nested(), tokens(BATCH, SEQ, WIDTH)

    def loss():
        return model(x).square().mean().item()

    rises = ablation(model, loss)
    names = ["one", "blocks.0", "blocks.1.self_attn", "one #2"]
    assert list(rises) == [(name, head) for name in names for head in range(HEADS)]
    with ablated(model, {"blocks.0": [2]}), torch.no_grad():
        without = loss()
    assert abs(rises["blocks.0", 2] - (without - loss())) < 1e-6
    assert all(isinstance(rise, float) and rise != 0 for rise in rises.values())
    assert ablation(model, loss, how="mean")["one", 0] != rises["one", 0]


def test_what_does_not_exist_is_refused_at_once():
    model = Nested()
    with pytest.raises(ValueError, match=r"heads names 'two', which is no module of the model; there are 'blocks.1.se"):
        ablated(model, {"two": [0]})
    with pytest.raises(ValueError, match=r"heads\['blocks.1.self_attn'\] has head 3, but its heads are 0 to 2"):
        ablated(model, {"blocks.1.self_attn": [0, 3]})
    one = layer("gqa")
    with pytest.raises(ValueError, match=r"has head 6, but its heads are 0 to 5"):
        ablated(one, {"GroupedQueryAttention": [6]})
    with pytest.raises(ValueError, match=r"heads\['one'\] must be at least 0, got -1"):
        ablated(model, {"one": [-1]})
    with pytest.raises(TypeError, match=r"heads\['one'\] must be a list of heads, got 0"):
        ablated(model, {"one": 0})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"heads must be a dict of module name to list of heads, got list"):
        ablated(model, [0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"model must be an nn.Module, got function"):
        ablated(lambda x: x, {"one": [0]})
    with pytest.raises(ValueError, match=r"how must be one of 'zero', 'mean', got 'meen'; did you mean 'mean'"):
        ablated(model, {"one": [0]}, how="meen")


def test_what_only_a_call_can_tell_is_refused_there():
    model, x = Nested(), tokens(BATCH, SEQ, WIDTH)
    with pytest.raises(ValueError, match=r"heads\['blocks.0'\] has head 3, but"), ablated(model, {"blocks.0": [3]}):
        model(x)
    with pytest.raises(ValueError, match=r"no attention was seen in 'mlp'; there are 'one', "):  # noqa: SIM117
        with ablated(model, {"mlp": [0]}):
            model(x)
    with pytest.raises(ValueError, match=r"no attention was seen in 'one #3'"), ablated(model, {"one #3": [0]}):
        model(x)
    with pytest.raises(ValueError, match="no attention was seen in Linear"):
        ablation(nn.Linear(3, 3), lambda: 0.0)
    with pytest.raises(TypeError, match="loss must be a function without arguments, got float"):
        ablation(model, 0.0)  # type: ignore[arg-type]


def test_an_einsum_whose_heads_cannot_be_told():
    class Summed(WithSdpa):
        def attend(self, q, k, v):
            summed = torch.einsum("bhqk,bhkd->bqd", self.weights(q, k), v)
            return summed[:, None].expand(-1, HEADS, -1, -1)

    model = Summed()
    assert attention_maps(model, tokens(BATCH, SEQ, WIDTH))
    with pytest.raises(ValueError, match=r"the einsum 'bhqk,bhkd->bqd', so no head"), ablated(model, {"Summed": [0]}):
        model(tokens(BATCH, SEQ, WIDTH))
