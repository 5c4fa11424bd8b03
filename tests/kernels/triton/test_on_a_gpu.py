"""What only a GPU can show: bfloat16, real launches, races."""

import pytest
import torch
from manyheads import torch_path
from manyheads.kernels.triton import attention

pytestmark = pytest.mark.gpu


def given(dtype, q_len=300, k_len=333, dims=(128, 128), heads=(8, 2)):
    torch.manual_seed(0)
    shapes = (2, heads[0], q_len, dims[0]), (2, heads[1], k_len, dims[0]), (2, heads[1], k_len, dims[1])
    return [torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True) for shape in shapes]


OPTIONS = [
    {},
    {"causal": True},
    {"causal": True, "window": 70},
    {"window": (90, 40), "softcap": 5.0},
    {"mask": "made", "bias": "made"},
]


@pytest.mark.parametrize("dims", [(64, 64), (80, 80), (128, 128), (192, 128), (256, 256)])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_numbers(dtype, options, dims):
    """At most twice the error of the same sums by torch in that dtype; float32 without TF32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    given_ = given(dtype, dims=dims)
    options = dict(options)
    if "mask" in options:
        options["mask"] = torch.rand(2, 1, 300, 333, device="cuda") < 0.7
        options["bias"] = torch.randn(1, 8, 300, 333, device="cuda").to(dtype)
    wide = [x.detach().double().requires_grad_() for x in given_]
    exact = {name: x.double() if name == "bias" else x for name, x in options.items()}
    results = []
    for inputs, how, call in (
        (given_, options, attention),
        (given_, options, lambda *x, **o: torch_path.attention(*x, **o, backend="math")),
        (wide, exact, lambda *x, **o: torch_path.attention(*x, **o, backend="math")),
    ):
        out = call(*inputs, **how)
        torch.manual_seed(1)
        d_out = torch.randn(out.shape, device="cuda").to(out.dtype)
        results.append([x.double() for x in (out, *torch.autograd.grad(out, inputs, d_out))])
    unit = torch.finfo(dtype).eps
    for got, plain, want in zip(*results, strict=True):
        error, by_math = (got - want).abs().max(), (plain - want).abs().max()
        # "math" keeps float32 between its steps, and the kernels round weights to 16 bits as every fast kernel does.
        assert error <= 2 * by_math + 4 * unit * want.abs().max()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_same_bits_a_hundred_times(dtype):
    """A race would show as other bits."""
    inputs = given(dtype)
    d_out = torch.randn(2, 8, 300, 128, device="cuda", dtype=dtype)
    first = None
    for _ in range(100):
        out = attention(*inputs, causal=True)
        results = (out, *torch.autograd.grad(out, inputs, d_out))
        first = first or results
        assert all(one.equal(other) for one, other in zip(first, results, strict=True))


def test_a_packed_slice_and_slots_full_of_nan():
    packed = torch.randn(2, 90, 3, 4, 64, device="cuda", dtype=torch.float16)
    q, k, v = (packed[:, :, i].transpose(1, 2) for i in range(3))
    lengths = torch.tensor([90, 13], device="cuda")
    want = attention(q, k, v, lengths=lengths)
    packed[1, 13:, 1:] = torch.nan
    assert attention(q, k, v, lengths=lengths).equal(want)


def test_it_runs_on_the_current_stream_and_inductor_compiles_it():
    inputs = given(torch.float16)
    want = attention(*inputs, causal=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        compiled = torch.compile(lambda *x: attention(*x, causal=True), fullgraph=True)(*inputs)
    stream.synchronize()
    assert compiled.equal(want)


def test_auto_takes_triton_where_torch_would_be_slow():
    q, k, v = given(torch.float16)
    assert torch_path.attention(q, k, v, causal=True, explain=True).backend == "triton"
    assert torch_path.attention(q, k, v, explain=True).backend == "sdpa"
    assert torch_path.attention(q, k, v, softcap=5.0, explain=True).backend == "triton"
