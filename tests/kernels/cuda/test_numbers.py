"""Every kernel over pairwise combinations of sizes, options and orders."""

import numpy as np
import pytest

from tests.kernels.cuda.calls import ORDERS, Sizes, assert_right, call, pairwise, run

LENGTHS = (1, 2, 15, 16, 17, 63, 64, 65, 127, 129)
DIMS = ((16, 16), (32, 32), (40, 40), (64, 64), (72, 72), (80, 80), (96, 96), (128, 128), (192, 128))
HEADS = ((6, 3), (8, 2), (4, 1), (6, 2))
VISIBLE = ({}, {"causal": True}, {"causal": True, "window": 7}, {"window": (11, 4)}, {"window": (None, 2)})
SOME = (None, "one of 0", "short")


def _lengths(which, k_len):
    return {None: None, "one of 0": [0, k_len, k_len // 2], "short": [k_len, (k_len + 1) // 2, 1]}[which]


def _ids(rows):
    return ["-".join(str(value).replace(" ", "") for value in row) for row in rows]


IN_TILES = pairwise(LENGTHS, LENGTHS, DIMS, HEADS, VISIBLE, SOME, ORDERS, ("tiled", "head_stride"))
LESSON = pairwise(LENGTHS, LENGTHS, DIMS, HEADS, (False, True), ORDERS)


@pytest.mark.parametrize("q_len, k_len, dims, heads, visible, some, order, kernel", IN_TILES, ids=_ids(IN_TILES))
def test_in_tiles(q_len, k_len, dims, heads, visible, some, order, kernel):
    sizes = Sizes(3, *heads, q_len, k_len, *dims)
    assert_right(call(q_len, sizes, lengths=_lengths(some, k_len), **visible), kernel, order=order)


@pytest.mark.parametrize("q_len, k_len, dims, heads, causal, order", LESSON, ids=_ids(LESSON))
def test_the_lesson(q_len, k_len, dims, heads, causal, order):
    assert_right(call(q_len, Sizes(3, *heads, q_len, k_len, *dims), causal=causal), "lesson", order=order)


@pytest.mark.parametrize("dims", [(1, 1), (3, 5), (17, 2)])
@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
def test_odd_widths(kernel, dims):
    assert_right(call(1, Sizes(2, 6, 3, 37, 41, *dims), causal=True), kernel)


@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
@pytest.mark.parametrize("q_len, k_len, batch", [(0, 5, 2), (5, 0, 2), (5, 7, 0)])
def test_nothing_to_read_or_to_write(kernel, q_len, k_len, batch):
    drawn = call(1, Sizes(batch, 6, 3, q_len, k_len, 16, 18))
    out = run(drawn, kernel)
    assert out.shape == (batch, 6, q_len, 18) and out.dtype == np.float32
    assert not out.any()  # 0, and no NaN


@pytest.mark.parametrize("kernel", ["lesson", "tiled", "head_stride"])
def test_the_same_bits_twice_and_in_every_order(kernel):
    drawn = call(1, Sizes(2, 6, 3, 65, 129, 16, 18), causal=True)
    runs = [run(drawn, kernel, order=order).tobytes() for order in (*ORDERS, "up")]
    assert len(set(runs)) == 1


@pytest.mark.parametrize("kernel", ["tiled", "head_stride"])
def test_every_way_to_say_the_same_window(kernel):
    plain = call(1, Sizes(2, 6, 3, 65, 97, 16, 18), causal=True, window=12)
    others = ({"window": (11, 0)}, {"window": (11, None), "causal": True}, {"window": (11, 9), "causal": True})
    same = {run(plain._replace(options=options), kernel).tobytes() for options in others}
    assert same == {run(plain, kernel).tobytes()}
