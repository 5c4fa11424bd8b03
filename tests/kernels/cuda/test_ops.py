"""The operator as torch sees it, on CPU tensors: there the very same kernels are emulated."""

import sys

import numpy as np
import pytest
import torch
from manyheads import reference, torch_path
from manyheads.kernels import cuda
from manyheads.kernels.cuda.gradients import attention_gradients, visible_pairs
from manyheads.kernels.cuda.ops import cuda_attention, kernel_for
from manyheads.kernels.launching import NotHere

from tests.kernels.cuda.calls import Sizes, allowed, assert_near, call, expected, expected_lse

SIZES = Sizes(2, 6, 3, 5, 9, 16, 18)
# lengths, left, right, scale, softcap: what the operator is given, and how the same call reads elsewhere.
OPTIONS = {
    "everything": ((None, None, None, 0.25, None), {}),
    "causal": ((None, None, 0, 0.25, None), {"causal": True}),
    "a window": ((None, 3, 2, 0.25, None), {"window": (3, 2)}),
    "lengths": (([9, 4], None, None, 0.25, None), {"lengths": [9, 4]}),
    "an empty item": (([0, 7], None, 0, 0.25, None), {"lengths": [0, 7], "causal": True}),
    "softcap and scale": ((None, None, 0, -0.7, 1.5), {"causal": True, "scale": -0.7, "softcap": 1.5}),
}


def _given(name, sizes=SIZES, views=False):
    options, elsewhere = OPTIONS[name]
    drawn = call(1, sizes, **elsewhere)
    q, k, v = (torch.from_numpy(x.copy()) for x in (drawn.q, drawn.k, drawn.v))
    if views:
        q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
    lengths = None if options[0] is None else torch.tensor(options[0], dtype=torch.int32)
    return drawn, (q, k, v, lengths, *options[1:])


@pytest.mark.parametrize("views", [False, True])
@pytest.mark.parametrize("name", OPTIONS)
def test_output_and_lse(name, views):
    drawn, given = _given(name, views=views)
    out, lse = cuda_attention(*given)
    assert out.is_contiguous() != views
    assert_near(np.ascontiguousarray(out), expected(drawn, "float64"), expected(drawn, "float32"))
    assert_near(lse.numpy(), expected_lse(drawn, "float64"), expected_lse(drawn, "float32"))


@pytest.mark.parametrize("name", OPTIONS)
def test_gradients(name):
    """Against the reference's formulas in float64: at most twice as far as the step by step path in float32."""
    drawn, (q, k, v, *options) = _given(name)
    d_out = torch.randn(2, 6, 5, 18, generator=torch.Generator().manual_seed(0))
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    (cuda_attention(*leaves, *options)[0] * d_out).sum().backward()

    mask = allowed(drawn)[:, None]
    how = {name: value for name, value in drawn.options.items() if name in ("scale", "softcap")}
    arrays = (x.double().numpy() for x in (d_out, q, k, v))
    exact = reference.attention_backward(*arrays, mask=mask, **how)[:3]
    others = [x.clone().requires_grad_() for x in (q, k, v)]
    out = torch_path.attention(*others, mask=torch.from_numpy(mask), backend="math", **how)
    (out * d_out).sum().backward()
    for leaf, right, other in zip(leaves, exact, others, strict=True):
        assert leaf.grad is not None and other.grad is not None
        assert_near(leaf.grad.numpy(), right, other.grad.numpy())


def test_the_gradient_of_lse():
    """Against differences, in float64: of the formulas, which know no dtype."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, heads, n, 4, dtype=torch.float64) for heads, n in ((6, 3), (2, 5), (2, 5)))
    q, k = q.requires_grad_(), k.requires_grad_()
    visible = visible_pairs(3, 5, None, 0, torch.tensor([5, 4]), "cpu")
    scores = 2 * torch.tanh(0.5 * q @ k.repeat_interleave(3, 1).mT / 2)
    lse = torch.where(visible[:, None], scores, -torch.inf).logsumexp(-1)
    weights = torch.exp(torch.where(visible[:, None], scores, -torch.inf) - lse[..., None])
    out, d_lse = weights @ v.repeat_interleave(3, 1), torch.randn_like(lse)
    right = torch.autograd.grad((lse * d_lse).sum(), (q, k))
    found = attention_gradients(
        *(x.detach() for x in (q, k, v, out, lse)), torch.zeros_like(out), d_lse, visible=visible, scale=0.5, softcap=2
    )
    torch.testing.assert_close(found[:2], right)
    assert not found[2].any()


def test_a_nan_that_nobody_reads_stays_out_of_the_gradients():
    _, (q, k, v, *options) = _given("an empty item")
    assert k.isnan().any() and v.isnan().any()
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out, _ = cuda_attention(*leaves, *options)
    out.sum().backward()
    assert all(leaf.grad is not None and leaf.grad.isfinite().all() for leaf in leaves)
    assert not leaves[0].grad[0].any() and leaves[0].grad[1].any()  # type: ignore[index]


def test_torchs_own_check_of_operators():
    _, (q, k, v, *options) = _given("causal", views=True)
    torch.library.opcheck(cuda_attention, (q.requires_grad_(), k.requires_grad_(), v.requires_grad_(), *options))


def test_shapes_and_strides_are_told_without_computing():
    torch.library.opcheck(cuda_attention, _given("causal")[1], test_utils=("test_schema", "test_faketensor"))


def test_compiled_it_is_the_same():
    _, given = _given("softcap and scale")

    def both(q, k, v, *options):
        out, lse = cuda_attention(q * 1, k, v, *options)
        return out.sum(), lse

    compiled = torch.compile(both, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*given), both(*given), rtol=0, atol=0)


def test_which_kernel_reads_what():
    x = torch.zeros(2, 3, 5, 16)
    views = x.transpose(1, 2).contiguous().transpose(1, 2)
    assert kernel_for(x, x, x) == "tiled"
    assert kernel_for(views, x, x) == kernel_for(x, x, views) == "head_stride"
    assert kernel_for(x, x[:, :1].expand(2, 3, 5, 16), x) == "head_stride"
    assert kernel_for(x, x, x.mT.contiguous().mT) == "tiled"  # on copies: dims apart


X = torch.zeros(2, 4, 3, 16, device="meta")
OURS = sys.modules["manyheads.kernels.cuda.attention"]  # the package has the function by that name


class _OnGpu:
    """A tensor that says it is on a GPU, which is all that `cannot` looks at beside shape, strides and dtype."""

    def __init__(self, tensor):
        self.shape, self.dtype, self.stride, self.device = (
            tensor.shape,
            tensor.dtype,
            tensor.stride,
            torch.device("cuda"),
        )


def _cannot(q=X, k=X, v=X, **options):
    return cuda.cannot(*(_OnGpu(x) for x in (q, k, v)), **options)


def test_what_it_can_do(monkeypatch):
    monkeypatch.setattr(OURS, "missing", lambda language: None)
    assert _cannot(causal=True, window=3, scale=2.0, softcap=1.0) is None


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("they know no mask and no bias; use backend 'math', 'sdpa' or 'triton'", {"mask": 1, "bias": 1}),
        ("they know no return_weights; use", {"return_weights": True}),
        ("they are float32, and k is float16; use", {"k": X.half()}),
        ("head_dim=2048 and v_head_dim=16 need", {"q": X.repeat(1, 1, 1, 128), "k": X.repeat(1, 1, 1, 128)}),
        ("they take up to 65535 batch items and heads, and q has 140000 and 4", {"q": X.repeat(70000, 1, 1, 1)}),
        ("they count strides in 32 bits, and v has strides", {"v": X.as_strided(X.shape, (2**31, 48, 16, 1))}),
    ],
)
def test_what_it_cannot_do(words, wrong):
    assert (_cannot(**wrong) or "").startswith(words)


def test_a_machine_without_a_compiler_is_told_so(monkeypatch):
    monkeypatch.setattr(OURS, "missing", lambda language: f"no compiler for {language}")
    assert _cannot() == "no compiler for cuda"
    monkeypatch.setattr(OURS, "cannot", lambda *_: "no compiler for cuda")
    x = torch.zeros(1, 2, 3, 16)
    with pytest.raises(NotHere, match="the CUDA kernels cannot do this: no compiler for cuda"):
        cuda.attention(x, x, x)


def test_tensors_of_the_cpu_are_sent_to_the_emulation():
    x = torch.zeros(1, 2, 3, 16)
    with pytest.raises(ValueError, match=r"run on tensors of a GPU, and q is on cpu; manyheads\.kernels\.emulate runs"):
        cuda.attention(x, x, x)


@pytest.mark.parametrize(
    ("kind", "words", "wrong"),
    [
        (TypeError, "q must be a torch tensor, got a NumPy array", {"q": np.zeros((1, 2, 3, 16), np.float32)}),
        (ValueError, "head_dim of q is 8, but head_dim of k is 16", {"q": torch.zeros(1, 2, 3, 8)}),
        (ValueError, "window=3 alone does not say", {"window": 3}),
        (ValueError, "batch of q is 1, but lengths' only axis is 2", {"lengths": torch.tensor([1, 2])}),
        (TypeError, "lengths must be whole numbers, got float32", {"lengths": torch.tensor([1.0])}),
        (TypeError, "lengths must be a torch tensor, got list", {"lengths": [1]}),
    ],
)
def test_wrong_arguments(kind, words, wrong):
    x = torch.zeros(1, 2, 3, 16)
    with pytest.raises(kind, match=words):
        cuda.attention(**({"q": x, "k": x, "v": x} | wrong))
