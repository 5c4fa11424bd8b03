"""The sharp and quick ones: awkward sizes in three orders, and races. What breaks a kernel should break these."""

import numpy as np
import pytest
from manyheads.kernels import emulate
from manyheads.kernels.cuda import source
from manyheads.kernels.cuda.emulated import numpy_launch

from tests.kernels.cuda.calls import ORDERS, Sizes, assert_near, assert_right, call, expected, run

# batch, heads, kv_heads, q_len, k_len, head_dim, v_head_dim: several tiles, the last one not full; fewer dims than
# lanes at the end of v; group and kv_heads different.
LONG_KEYS = Sizes(2, 6, 3, 35, 81, 16, 18)
LONG_QUERIES = Sizes(2, 6, 3, 81, 35, 16, 18)
IN_TILES = {
    "everything": (LONG_KEYS, {}),
    "causal": (LONG_KEYS, {"causal": True, "lengths": [81, 50]}),
    "causal, empty rows": (LONG_QUERIES, {"causal": True, "lengths": [0, 33]}),
    "a causal window": (LONG_KEYS, {"causal": True, "window": 9}),
    "a window to both sides": (LONG_KEYS, {"window": (5, 3), "lengths": [70, 81]}),
    "a window to the right": (LONG_QUERIES, {"window": (None, 20)}),
    "softcap and scale": (LONG_KEYS, {"softcap": 1.5, "scale": -0.7}),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", IN_TILES)
@pytest.mark.parametrize("kernel", ["tiled", "head_stride"])
def test_tiles(kernel, name, order):
    sizes, options = IN_TILES[name]
    assert_right(call(1, sizes, **options), kernel, order=order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("sizes", [LONG_KEYS, Sizes(2, 6, 3, 150, 35, 16, 18)])
def test_the_lesson(sizes, causal, order):
    assert_right(call(2, sizes, causal=causal), "lesson", order=order)


@pytest.mark.parametrize("kernel", ["tiled", "head_stride"])
def test_scores_of_any_size(kernel):
    """Without subtracting the largest score exp overflows, or all weights are 0."""
    drawn = call(3, LONG_KEYS, causal=True, scale=40.0)
    assert_right(drawn, kernel)
    assert_right(drawn._replace(q=np.abs(drawn.q), k=-10 * np.abs(drawn.k)), kernel)


def test_the_lesson_with_scores_of_any_size():
    drawn = call(3, LONG_KEYS, causal=True, scale=40.0)
    assert_right(drawn, "lesson")
    assert_right(drawn._replace(q=np.abs(drawn.q), k=-10 * np.abs(drawn.k)), "lesson")


@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
def test_no_race(kernel):
    drawn = call(4, Sizes(1, 2, 1, 33, 70, 16, 18), causal=True)
    out = run(drawn, kernel, check="races")
    assert_near(out, expected(drawn, "float64"), expected(drawn, "float32"))


@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
def test_every_access_inside(kernel):
    options = {} if kernel == "lesson" else {"lengths": [70, 40]}
    drawn = call(5, Sizes(2, 2, 1, 33, 70, 16, 18), causal=True, **options)
    out = run(drawn, kernel, check="memory")
    assert_near(out, expected(drawn, "float64"), expected(drawn, "float32"))


@pytest.mark.parametrize("kernel", ["tiled", "head_stride"])
def test_lengths_beyond_the_keys_are_cut(kernel):
    """On a GPU nobody looks at their values before the launch."""
    drawn = call(6, LONG_KEYS)
    launch = numpy_launch(drawn.q, drawn.k, drawn.v, kernel)
    launch.arguments["lengths"] = np.array([1000, 82], np.int32)
    found = emulate.launch(source(kernel), launch, check="memory")["out"]
    found = found.transpose(0, 2, 1, 3) if kernel == "head_stride" else found
    assert_near(found, expected(drawn, "float64"), expected(drawn, "float32"))


@pytest.mark.parametrize("kernel", ["tiled", "head_stride"])
@pytest.mark.parametrize(("window", "poisoned"), [((9, 0), slice(0, 55)), ((None, 5), slice(69, None))])
def test_a_block_skips_what_none_of_its_rows_sees(kernel, window, poisoned):
    """Rows 64 to 95, or 32 to 63, are a block; another one reads the NaN there, and says so."""
    drawn = call(8, Sizes(2, 6, 3, 96, 96, 16, 18), window=window)
    right = run(drawn, kernel)
    drawn.v[:, :, poisoned] = np.nan
    found = run(drawn, kernel)
    rows = slice(64, 96) if poisoned.start == 0 else slice(32, 64)
    assert np.array_equal(found[:, :, rows], right[:, :, rows])
    assert np.isnan(found).any()


@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
def test_a_nan_that_is_attended_comes_out(kernel):
    drawn = call(7, LONG_KEYS, causal=True)
    drawn.q[1, 4, 7] = np.nan
    out = run(drawn, kernel)
    assert np.isnan(out[1, 4, 7]).all()
    assert np.isnan(out).sum() == out.shape[3]
