"""Every way in which the torch path computes attention, against the definition written as loops."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from manyheads import reference, torch_path

from .. import oracle
from ..attention_calls import attention_calls, close
from .tensors import tensors, to_array

SETTINGS = settings(max_examples=120, deadline=None)


@SETTINGS
@given(attention_calls())
def test_math_is_the_definition(call):
    q, k, v, options = tensors(call)
    out, weights = torch_path.attention(q, k, v, return_weights=True, backend="math", **options)
    expected, expected_weights, _ = oracle.attention(*call[:3], **call.options)
    assert out.dtype == weights.dtype == q.dtype
    close(to_array(out), expected, call.dtype, 4)
    close(to_array(weights), expected_weights, call.dtype)


@SETTINGS
@given(attention_calls(dtypes=("float16", "bfloat16", "float32", "float64")))
def test_sdpa_is_the_definition(call):
    q, k, v, options = tensors(call)
    options["softcap"] = None
    out = torch_path.attention(q, k, v, backend="sdpa", **options)
    expected, _, _ = oracle.attention(*call[:3], **(call.options | {"softcap": None}))
    assert out.dtype == q.dtype
    # torch's kernel rounds in between where it computes in 16 bits.
    close(to_array(out), expected, call.dtype, 4)


@SETTINGS
@given(attention_calls(), st.tuples(st.integers(1, 4), st.integers(1, 4)))
def test_tiles_of_any_size_change_nothing(call, block):
    q, k, v, options = tensors(call)
    out, lse = torch_path.blocked_attention(q, k, v, block=block, return_lse=True, **options)
    expected, _, expected_lse = oracle.attention(*call[:3], **call.options)
    assert out.dtype == q.dtype
    close(to_array(out), expected, call.dtype, 4)
    close(to_array(lse), expected_lse, "float64" if call.dtype == "float64" else "float32", 4)


@SETTINGS
@given(attention_calls(dtypes=("float64",)), st.sampled_from(reference.STAGES))
def test_stages_are_those_of_the_numpy_path(call, stage):
    q, k, _, options = tensors(call)
    ours = torch_path.attention_scores(q, k, stage=stage, **options)
    close(to_array(ours), reference.attention_scores(call.q, call.k, stage=stage, **call.options), "float64")


@SETTINGS
@given(attention_calls(dtypes=("float64",)), st.integers(0, 2**16))
def test_the_backward_pass_by_hand_is_autograds(call, seed):
    """NumPy's hand-written gradients, torch's autograd through math, and through the tiles."""
    q, k, v, options = tensors(call)
    d_out = np.random.default_rng(seed).standard_normal((*call.q.shape[:3], call.v.shape[-1]))
    by_hand = reference.attention_backward(d_out, *call[:3], **call.options)
    auto = torch_path.attention_backward(torch.from_numpy(d_out), q, k, v, **options)
    for name, mine, theirs in zip("qkvb", by_hand, auto, strict=True):
        if mine is None:
            assert theirs is None and "bias" not in options
        else:
            assert mine.dtype == np.float64
            close(mine, to_array(theirs), "float64", 8), name
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    torch_path.blocked_attention(q, k, v, block=(2, 3), **options).backward(torch.from_numpy(d_out))
    for mine, x in zip(by_hand, (q, k, v), strict=False):
        close(mine, x.grad.numpy(), "float64", 8)


def test_merged_parts_are_the_whole():
    q, k, v = (torch.randn(2, 3, n, 4, dtype=torch.float64) for n in (5, 7, 7))
    mask = torch.rand(5, 7) < 0.5
    mask[2] = False
    cuts = [slice(0, 3), slice(3, 3), slice(3, 7)]
    parts = [torch_path.blocked_attention(q, k[:, :, s], v[:, :, s], mask=mask[:, s], return_lse=True) for s in cuts]
    out, lse = torch_path.merge_attention(parts)
    whole, whole_lse = torch_path.blocked_attention(q, k, v, mask=mask, return_lse=True)
    close(out.numpy(), whole.numpy(), "float64")
    close(lse.numpy(), whole_lse.numpy(), "float64")
    assert (out[:, :, 2] == 0).all() and (lse[:, :, 2] == -torch.inf).all()


def options_for_grad(name):
    mask = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])  # the second row is empty
    return {
        "plain": {},
        "causal": {"causal": True},
        "window": {"causal": True, "window": 2},
        "mask with an empty row": {"mask": mask},
        "more queries than keys": {"causal": True, "k_len": 2},
        "softcap": {"softcap": 1.5, "mask": mask},
    }[name]


@pytest.mark.parametrize("backend", ["math", "sdpa"])
@pytest.mark.parametrize(
    "name", ["plain", "causal", "window", "mask with an empty row", "more queries than keys", "softcap"]
)
@pytest.mark.parametrize("with_bias", [False, True])
def test_gradcheck(backend, name, with_bias):
    options = dict(options_for_grad(name))
    if name == "softcap" and backend == "sdpa":
        options.pop("softcap")
    k_len = options.pop("k_len", 4)
    torch.manual_seed(0)
    q = torch.randn(1, 6, 3, 2, dtype=torch.float64, requires_grad=True)
    k = torch.randn(1, 2, k_len, 2, dtype=torch.float64, requires_grad=True)
    v = torch.randn(1, 2, k_len, 5, dtype=torch.float64, requires_grad=True)
    inputs = [q, k, v]
    if with_bias:
        inputs.append(torch.randn(1, 6, 3, k_len, dtype=torch.float64, requires_grad=True))

    def function(q, k, v, bias=None):
        return torch_path.attention(q, k, v, bias=bias, backend=backend, **options)

    assert torch.autograd.gradcheck(function, inputs)


@pytest.mark.parametrize("function", ["math", "sdpa", "blocked"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("heads_axis", [1, 6])
def test_no_nan_leaks_from_a_slot_that_nobody_reads(function, dtype, heads_axis):
    """Padding of one sequence and the keys outside everyone's window hold NaN and infinity."""
    torch.manual_seed(1)
    q, k, v = (torch.randn(3, h, n, 4).to(dtype) for h, n in ((6, 5), (2, 9), (2, 9)))
    mask = torch_path.padding_mask([9, 4, 0], 9).expand(3, heads_axis, 1, 9)
    clean = [x.clone().requires_grad_() for x in (q, k, v)]
    k[1, :, 4:], v[1, :, 4:] = torch.nan, torch.inf
    k[2], v[2] = -torch.inf, torch.nan
    dirty = [x.clone().requires_grad_() for x in (q, k, v)]

    def run(q, k, v):
        if function == "blocked":
            return torch_path.blocked_attention(q, k, v, mask=mask, causal=True, block=(2, 3))
        return torch_path.attention(q, k, v, mask=mask, causal=True, backend=function)

    out, expected = run(*dirty), run(*clean)
    assert torch.equal(out, expected)
    assert (out[2] == 0).all()
    out.sum().backward()
    expected.sum().backward()
    for one, other in zip(dirty, clean, strict=True):
        assert one.grad.isfinite().all()
        assert torch.equal(one.grad, other.grad)


@pytest.mark.parametrize("function", ["math", "sdpa", "blocked"])
def test_an_empty_row_gives_zero_and_finite_gradients(function):
    torch.manual_seed(2)
    q, k, v = (torch.randn(2, 3, n, 4, requires_grad=True) for n in (5, 7, 7))
    bias = torch.zeros(5, 7)
    bias[1] = -torch.inf
    bias.requires_grad_()
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[3] = False
    if function == "blocked":
        out = torch_path.blocked_attention(q, k, v, mask=mask, bias=bias, block=(2, 3))
    else:
        out = torch_path.attention(q, k, v, mask=mask, bias=bias, backend=function)
    assert (out[:, :, [1, 3]] == 0).all()
    assert (out[:, :, [0, 2, 4]] != 0).all()
    out.square().sum().backward()
    for x in (q, k, v, bias):
        assert x.grad.isfinite().all()
    assert (q.grad[:, :, [1, 3]] == 0).all()
    assert (q.grad[:, :, [0, 2, 4]] != 0).any()
