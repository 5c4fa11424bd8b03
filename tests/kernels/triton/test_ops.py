"""The operators as torch sees them: gradients, tracing, compilation."""

import pytest
import torch
from manyheads.kernels.triton import attention, configs, ops


def given(dtype=torch.float64, grad=True):
    torch.manual_seed(0)
    shapes = (1, 2, 3, 4), (1, 1, 5, 4), (1, 1, 5, 6)
    return [torch.randn(shape, dtype=dtype, requires_grad=grad) for shape in shapes]


@pytest.mark.parametrize("options", [{"causal": True}, {"window": (1, 1), "softcap": 0.5}])
def test_gradients_are_the_slopes(options):
    assert torch.autograd.gradcheck(lambda *x: attention(*x, **options), given(), fast_mode=True)


def test_operators_pass_torchs_own_checks():
    q, k, v = given()
    mask, lengths = torch.rand(1, 1, 3, 5) < 0.7, torch.tensor([4], dtype=torch.int32)
    arguments = (mask, None, lengths, None, 0, 0.5, 2.0)
    tests = ("test_schema", "test_autograd_registration", "test_faketensor")
    torch.library.opcheck(ops.forward, (q, k, v, *arguments), test_utils=tests)
    with torch.no_grad():
        out, lse = ops.forward(q, k, v, *arguments)
        d_out = torch.randn_like(out)
        torch.library.opcheck(
            ops.backward, (d_out, q.detach(), k.detach(), v.detach(), out, lse, *arguments),
            test_utils=("test_schema", "test_faketensor"),
        )  # fmt: skip


def test_compiled_it_gives_and_trains_the_same():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def layer(q, k, v):
        return attention(q * 2, k, v, causal=True).square().sum()

    q, k, v = given()
    compiled = torch.autograd.grad(layer(q, k, v), (q, k, v))
    plain = torch.autograd.grad(attention(q * 2, k, v, causal=True).square().sum(), (q, k, v))
    for one, other in zip(compiled, plain, strict=True):
        torch.testing.assert_close(one, other)


def test_a_trace_knows_the_shapes():
    q = torch.empty(2, 6, 5, 8, dtype=torch.bfloat16, device="meta")
    k, v = (torch.empty(2, 3, 7, dim, dtype=torch.bfloat16, device="meta") for dim in (8, 12))
    out, lse = ops.forward(q, k, v, None, None, None, None, 0, 0.5, None)
    assert (out.shape, out.dtype) == ((2, 6, 5, 12), torch.bfloat16)
    assert (lse.shape, lse.dtype) == ((2, 6, 5), torch.float32)


def test_forced_blocks_end_with_their_context():
    ships = configs.choose("keys", 128, 2)
    with configs.blocks(16, 32):
        assert configs.choose("keys", 128, 2)[:2] == (16, 32)
    assert configs.choose("keys", 128, 2) == ships
    assert configs.choose("keys", 128, 2, demanding=True) != ships
