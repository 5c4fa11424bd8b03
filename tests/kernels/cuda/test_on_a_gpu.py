"""What only a GPU can show: that the launch works, where it reads, and on which stream."""

import numpy as np
import pytest
import torch
from manyheads.kernels import cuda
from manyheads.kernels.cuda.launches import lesson_launch
from manyheads.kernels.cuda.on_gpu import launch_on_gpu

from tests.kernels.cuda.calls import Call, Sizes, assert_near, call, expected, expected_lse, pairwise

pytestmark = pytest.mark.gpu

LENGTHS = (1, 2, 17, 64, 129, 1000)
DIMS = ((16, 16), (40, 40), (64, 64), (80, 80), (128, 128), (192, 128), (256, 256), (17, 5))
ROWS = pairwise(
    LENGTHS, LENGTHS, DIMS, ({}, {"causal": True}, {"causal": True, "window": 70}, {"window": (9, 4)}), (False, True)
)


def _on_gpu(drawn: Call, views=False):
    arrays = [torch.from_numpy(x).cuda() for x in (drawn.q, drawn.k, drawn.v)]
    if views:
        arrays = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in arrays]
    lengths = None if drawn.lengths is None else torch.from_numpy(drawn.lengths).cuda()
    return arrays, {"lengths": lengths, **drawn.options}


@pytest.mark.parametrize("q_len, k_len, dims, visible, views", ROWS)
def test_numbers(q_len, k_len, dims, visible, views):
    drawn = call(q_len, Sizes(3, 6, 2, q_len, k_len, *dims), lengths=[k_len, 0, (k_len + 1) // 2], **visible)
    arrays, options = _on_gpu(drawn, views)
    out, lse = cuda.attention(*arrays, return_lse=True, **options)
    assert_near(np.ascontiguousarray(out.cpu()), expected(drawn, "float64"), expected(drawn, "float32"))
    assert_near(lse.cpu().numpy(), expected_lse(drawn, "float64"), expected_lse(drawn, "float32"))


@pytest.mark.parametrize("k_len", [33, 400])  # 400 x 64 floats are 100 KiB: more than a launch gets unasked
def test_the_lesson(k_len):
    drawn = call(1, Sizes(3, 6, 2, 150, k_len, 64, 64), causal=True)
    arrays, _ = _on_gpu(drawn)
    out = launch_on_gpu("lesson", lesson_launch(*arrays, causal=True), arrays[0].device)["out"]
    assert_near(out.cpu().numpy(), expected(drawn, "float64"), expected(drawn, "float32"))


def test_the_same_bits_a_hundred_times():
    """A race between threads would show sooner or later."""
    arrays, options = _on_gpu(call(1, Sizes(3, 6, 2, 300, 500, 64, 64), causal=True))
    first = cuda.attention(*arrays, **options)
    assert all(torch.equal(first, cuda.attention(*arrays, **options)) for _ in range(100))


def test_a_packed_projection_is_read_in_place():
    drawn = call(1, Sizes(3, 4, 4, 500, 500, 64, 64), causal=True)
    packed = torch.stack([torch.from_numpy(x).cuda().transpose(1, 2) for x in (drawn.q, drawn.k, drawn.v)], dim=2)
    q, k, v = packed.permute(2, 0, 3, 1, 4)
    cuda.attention(q, k, v, causal=True)  # built and loaded
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    out = cuda.attention(q, k, v, causal=True)
    taken = torch.cuda.max_memory_allocated() - before
    assert taken < 1.1 * out.nbytes + 4 * 3 * 4 * 500, "more than the output and lse: something was copied"
    assert out.transpose(1, 2).is_contiguous()
    assert_near(np.ascontiguousarray(out.cpu()), expected(drawn, "float64"), expected(drawn, "float32"))


def test_it_waits_for_torchs_stream_and_for_no_other():
    """The queries are written late, on a stream of their own; a launch elsewhere would read what was there before."""
    drawn = call(1, Sizes(2, 4, 2, 65, 129, 64, 64))
    (q, k, v), _ = _on_gpu(drawn)
    late = torch.zeros_like(q)
    cuda.attention(late, k, v)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        late.copy_(q)
        out = cuda.attention(late, k, v)
        assert not stream.query(), "the launch waited for the GPU"
    stream.synchronize()
    assert_near(out.cpu().numpy(), expected(drawn, "float64"), expected(drawn, "float32"))


def test_a_captured_graph_runs_it_again():
    (q, k, v), _ = _on_gpu(call(1, Sizes(2, 4, 2, 65, 129, 64, 64)))
    right = cuda.attention(2 * q, k, v)
    graph, given = torch.cuda.CUDAGraph(), q.clone()
    with torch.cuda.graph(graph):
        out = cuda.attention(given, k, v)
    given.copy_(2 * q)
    graph.replay()
    assert torch.equal(out, right)


def test_gradients_and_the_compiler():
    drawn = call(1, Sizes(2, 4, 2, 65, 129, 64, 64), causal=True)
    arrays, _ = _on_gpu(drawn)
    grads = []
    for way in (cuda.attention, torch.compile(cuda.attention, fullgraph=True)):
        leaves = [x.clone().requires_grad_() for x in arrays]
        way(*leaves, causal=True).square().sum().backward()
        grads.append([leaf.grad for leaf in leaves])
    torch.testing.assert_close(grads[0], grads[1])
    assert all(grad.isfinite().all() and grad.any() for grad in grads[0])
