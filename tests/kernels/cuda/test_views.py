"""Heads where a projection left them: strides, shared memory, and what lies between."""

import difflib

import numpy as np
import pytest
from manyheads.kernels.cuda import head_stride_launch, source, tiled_launch
from manyheads.kernels.cuda.launches import full_lengths

from tests.kernels.cuda.calls import Call, Sizes, assert_near, assert_right, call, expected, run

SIZES = Sizes(3, 6, 2, 37, 37, 16, 16)


def _packed(drawn: Call) -> Call:
    """q, k and v as views of one fused projection, as wide as W_qkv is: q's heads, then k's, then v's."""
    rows = [x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1) for x in (drawn.q, drawn.k, drawn.v)]
    fused = np.concatenate(rows, axis=2)
    views, first = [], 0
    for x, row in zip((drawn.q, drawn.k, drawn.v), rows, strict=True):
        part = fused[:, :, first : first + row.shape[2]]
        views.append(part.reshape(*part.shape[:2], x.shape[1], x.shape[3]).transpose(0, 2, 1, 3))
        assert np.shares_memory(views[-1], fused)
        first += row.shape[2]
    return drawn._replace(q=views[0], k=views[1], v=views[2])


def _inside_nan(drawn: Call) -> Call:
    """Every array as a part of a larger one that is NaN all around."""

    def inside(x):
        larger = np.full([size + 3 for size in x.shape], np.nan, np.float32)
        larger[tuple(slice(1, size + 1) for size in x.shape)] = x
        return larger[tuple(slice(1, size + 1) for size in x.shape)]

    return drawn._replace(q=inside(drawn.q), k=inside(drawn.k), v=inside(drawn.v))


def _one_kv_head_for_all(drawn: Call) -> Call:
    """K and V expanded over heads and batch: strides of 0."""
    k, v = (np.broadcast_to(x[:1, :1], (x.shape[0], drawn.q.shape[1], *x.shape[2:])) for x in (drawn.k, drawn.v))
    return drawn._replace(k=k, v=v)


@pytest.mark.parametrize("check", [None, "memory"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lay", [_packed, _inside_nan, _one_kv_head_for_all])
def test_views_are_read_where_they_lie(lay, causal, check):
    drawn = lay(call(1, SIZES, causal=causal))
    launch = head_stride_launch(drawn.q, drawn.k, drawn.v, full_lengths(3, 37))
    assert all(np.shares_memory(launch.arguments[name], getattr(drawn, name)) for name in "qkv")
    assert_right(drawn, "head_stride", check=check)


@pytest.mark.parametrize("lay", [_packed, _inside_nan, _one_kv_head_for_all])
@pytest.mark.parametrize("kernel", ["lesson", "tiled"])
def test_the_others_get_copies(kernel, lay):
    assert_right(lay(call(1, SIZES, causal=True)), kernel)


def test_the_output_lies_as_the_output_projection_wants_it():
    drawn = call(1, SIZES)
    out = run(drawn, "head_stride")
    rows = out.transpose(0, 2, 1, 3)
    assert rows.flags.c_contiguous
    assert np.shares_memory(rows.reshape(3, 37, 6 * 16), out)
    assert_near(out, expected(drawn, "float64"), expected(drawn, "float32"))


def test_lse_is_batch_heads_rows_whatever_the_output_is():
    drawn = call(1, SIZES, causal=True)
    assert run(drawn, "head_stride", return_lse=True)[1].shape == (3, 6, 37)


def test_the_two_kernels_have_the_same_bits():
    drawn = call(1, Sizes(2, 6, 3, 65, 129, 16, 18), causal=True, window=30)
    assert run(drawn, "tiled").tobytes() == np.ascontiguousarray(run(drawn, "head_stride")).tobytes()


def test_only_addresses_differ_between_the_two_sources():
    """The book says so, and what is mended in one must be mended in the other."""
    tiled, strided = (source(name).split('extern "C"')[1].splitlines() for name in ("tiled", "head_stride"))
    changed = [line for line in difflib.ndiff(tiled, strided) if line[0] in "-+"]
    words = ("_stride", "HEAD_DIM;", "+ d]", "_attention(", "float* __restrict__", "int* __restrict__", "int kv_heads")
    assert len(changed) > 20
    assert [line for line in changed if not any(word in line for word in words)] == []


def test_views_that_no_kernel_can_read_are_refused():
    x, lengths = np.zeros((3, 2, 5, 16), np.float32), full_lengths(3, 5)
    with pytest.raises(ValueError, match="neighbouring dims of k lie 2 floats apart; the kernel needs them side by"):
        head_stride_launch(x[..., :8], x[..., ::2], x[..., :8], lengths)
    with pytest.raises(ValueError, match="the row stride of v is -16 floats; it must be 0 to 2"):
        head_stride_launch(x, x, x[:, :, ::-1], lengths)


def test_an_axis_of_one_may_have_any_stride():
    """NumPy and torch give it whatever they like, beyond 32 bits too."""
    x = np.zeros((1, 2, 5, 16), np.float32)
    far = np.lib.stride_tricks.as_strided(x, x.shape, (2**40, *x.strides[1:]))
    assert head_stride_launch(far, x, x, full_lengths(1, 5)).arguments["q_batch_stride"] == 0


def test_tiled_launch_walks_as_many_tiles_as_there_are_rows():
    q, k = np.zeros((3, 6, 65, 16), np.float32), np.zeros((3, 2, 7, 16), np.float32)
    launch = tiled_launch(q, k, k, full_lengths(3, 7))
    assert launch.grid == (3, 6, 3)
    assert launch.constants == {"HEAD_DIM": 16, "V_HEAD_DIM": 16, "BLOCK_Q": 32, "BLOCK_K": 32}
    assert (launch.arguments["left"], launch.arguments["right"]) == (72, 72)
