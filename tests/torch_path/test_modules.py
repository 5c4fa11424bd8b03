"""The modules: as the functions compute, with caches, gradients, compiled and under autocast."""

import pytest
import torch
from manyheads import AttentionConfig, costs, torch_path

CONFIGS = {
    "mha": AttentionConfig(12, 3, head_dim=5, v_head_dim=7),
    "gqa": AttentionConfig(12, 6, n_kv_heads=2),
    "mqa": AttentionConfig(12, 4, n_kv_heads=1, head_dim=6),
    "mla": AttentionConfig(12, 3, head_dim=5, v_head_dim=7, latent_rank=6, rope_head_dim=4),
    "windowed": AttentionConfig(12, 6, n_kv_heads=3, window=3),
}


def layer(name: str, **options):
    torch.manual_seed(0)
    config = CONFIGS[name]
    if name == "mla":
        return torch_path.LatentAttention(config, **options)
    if name == "mha":
        return torch_path.MultiHeadAttention(config, **options)
    return torch_path.GroupedQueryAttention(config, rotary="halves", **options)


@pytest.mark.parametrize("name", CONFIGS)
def test_parameters_are_as_many_as_costs_says(name):
    one = layer(name)
    assert sum(p.numel() for p in one.parameters()) == costs.parameters(CONFIGS[name])
    assert CONFIGS[name].variant in repr(one)
    for parameter in one.parameters():
        if parameter.ndim == 2:
            assert 0 < parameter.std() < 1


@pytest.mark.parametrize("name", CONFIGS)
def test_decoding_with_a_cache_is_one_pass(name):
    one = layer(name, dtype=torch.float64)
    x = torch.randn(2, 9, 12, dtype=torch.float64)
    with torch.no_grad():
        whole = one(x, causal=True)
        cache = one.new_cache(2, 9)
        parts = [one(part, cache=cache) for part in x.split([4, 1, 1, 3], dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=0, atol=1e-12)
    assert cache.lengths.tolist() == [9, 9]


def test_the_configs_window_holds():
    one = layer("windowed", dtype=torch.float64)
    x = torch.randn(1, 8, 12, dtype=torch.float64)
    changed = x.clone()
    changed[:, 2] += 1
    moved = (one(x, causal=True) - one(changed, causal=True)).abs().amax(dim=(0, 2)) > 1e-9
    assert moved.tolist() == [False, False, True, True, True, False, False, False]
    assert (one(x) - one(changed)).abs().amax(dim=(0, 2)).gt(1e-9).all()  # not causal: no window


@pytest.mark.parametrize("name", CONFIGS)
def test_gradients_reach_every_parameter_and_are_the_slopes(name):
    one = layer(name, dtype=torch.float64)
    x = torch.randn(2, 5, 12, dtype=torch.float64, requires_grad=True)
    mask = torch_path.padding_mask([5, 0], 5)
    one(x, causal=True, mask=mask).square().sum().backward()
    for which, parameter in one.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), which
        assert parameter.grad.abs().max() > 0, which
    assert x.grad.isfinite().all() and (x.grad[1] == 0).all()
    parameters = dict(one.named_parameters())

    def loss(w_o):
        return torch.func.functional_call(one, parameters | {"w_o": w_o}, (x,), {"causal": True, "mask": mask})

    assert torch.autograd.gradcheck(loss, (parameters["w_o"][:, :1].detach().expand(-1, 12).clone().requires_grad_(),))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", CONFIGS)
def test_autocast(name, dtype):
    """The products are of 16 bits, scores and sums are not; so the result is near, and its dtype is autocast's."""
    one = layer(name)
    x = torch.randn(2, 5, 12)
    plain = one(x, causal=True)
    with torch.autocast("cpu", dtype=dtype):
        out = one(x, causal=True)
        assert out.dtype == dtype
        out.float().square().sum().backward()
        with torch.no_grad():
            cache = one.new_cache(2, 5, dtype=dtype)
            decoded = torch.cat([one(part, cache=cache) for part in x.split([3, 2], dim=1)], dim=1)
    torch.testing.assert_close(out.float(), plain, rtol=0.05, atol=0.05)
    torch.testing.assert_close(decoded.float(), plain, rtol=0.05, atol=0.05)
    for parameter in one.parameters():
        assert parameter.grad.dtype == torch.float32 and parameter.grad.isfinite().all()


@pytest.mark.parametrize("backend", ["math", "sdpa"])
def test_attention_under_autocast_keeps_the_dtype_of_its_inputs(backend):
    q, k, v = (torch.randn(2, 3, n, 4) for n in (5, 7, 7))
    plain = torch_path.attention(q, k, v, causal=True, backend=backend)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = torch_path.attention(q, k, v, causal=True, backend=backend)
        scores = torch_path.attention_scores(q, k)
    assert out.dtype == scores.dtype == torch.float32
    torch.testing.assert_close(out, plain, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CONFIGS)
def test_compiled_in_one_graph(name):
    """`fullgraph` refuses to compile what it would have to leave to Python."""
    one = layer(name)
    x = torch.randn(2, 5, 12)
    mask = torch_path.padding_mask([5, 3], 5)
    torch._dynamo.reset()
    compiled = torch.compile(one, fullgraph=True, backend="aot_eager")
    out = compiled(x, causal=True, mask=mask)
    torch.testing.assert_close(out, one(x, causal=True, mask=mask), rtol=1e-5, atol=1e-6)
    out.sum().backward()
    assert all(p.grad.isfinite().all() for p in one.parameters())


@pytest.mark.parametrize("options", [{}, {"causal": True, "window": 3}, {"softcap": 2.0}, {"bias": torch.ones(5, 7)}])
@pytest.mark.parametrize("backend", ["auto", "math"])
def test_attention_compiled(options, backend):
    q, k, v = torch.randn(2, 6, 5, 4), torch.randn(2, 2, 7, 4), torch.randn(2, 2, 7, 8)
    torch._dynamo.reset()
    compiled = torch.compile(torch_path.attention, fullgraph=True, backend="aot_eager")
    expected = torch_path.attention(q, k, v, backend=backend, **options)
    torch.testing.assert_close(compiled(q, k, v, backend=backend, **options), expected, rtol=1e-5, atol=1e-6)


def test_compiled_to_machine_code():
    """Once through torch's own compiler, which makes C++ of it."""
    q, k, v = torch.randn(2, 6, 5, 4), torch.randn(2, 2, 7, 4), torch.randn(2, 2, 7, 8)
    torch._dynamo.reset()
    compiled = torch.compile(torch_path.attention, fullgraph=True)
    mask = torch_path.padding_mask([7, 0], 7)
    options = {"causal": True, "mask": mask, "backend": "math"}
    torch.testing.assert_close(compiled(q, k, v, **options), torch_path.attention(q, k, v, **options))


@pytest.mark.parametrize("name", CONFIGS)
def test_shapes_without_memory(name):
    """On the meta device there are shapes and no numbers."""
    out = layer(name, device="meta")(torch.zeros(2, 5, 12, device="meta"), causal=True)
    assert out.shape == (2, 5, 12) and out.device.type == "meta"
    q, k, v = (torch.zeros(2, h, n, 4, device="meta") for h, n in ((6, 5), (2, 7), (2, 7)))
    for backend in ("math", "sdpa"):
        assert torch_path.attention(q, k, v, causal=True, backend=backend).shape == (2, 6, 5, 4)
    assert torch_path.blocked_attention(q, k, v, causal=True).shape == (2, 6, 5, 4)
