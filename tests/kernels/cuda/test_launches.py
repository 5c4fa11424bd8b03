"""Grids, tiles and refusals: what is wrong is said before anything is compiled."""

import numpy as np
import pytest
from manyheads.kernels.cuda import KERNELS, emulated_attention, lesson_launch, source, tiled_launch
from manyheads.kernels.cuda.launches import full_lengths
from manyheads.kernels.cuda.tiles import STATIC_SHARED, Tiles, tile_bytes, tiles_for


def _zeros(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


Q, K, V, K4 = _zeros(3, 6, 5, 16), _zeros(3, 2, 7, 16), _zeros(3, 2, 7, 18), _zeros(3, 4, 7, 16)
WIDE = {"q": Q.astype("float64"), "k": K.astype("float64"), "v": V.astype("float64")}


def test_the_lesson_has_one_block_for_each_head_and_all_its_keys():
    launch = lesson_launch(Q, K, V, causal=True)
    assert (launch.grid, launch.block, launch.shared_bytes) == ((6, 3), (128,), 7 * 16 * 4)
    assert launch.arguments["group"] == 3 and launch.arguments["causal"] == 1
    assert launch.outputs == ["out"] and launch.arguments["out"].shape == (3, 6, 5, 18)


def test_the_lesson_takes_as_many_keys_as_fit_and_refuses_one_more():
    most = 227 * 1024 // (64 * 4)
    k = _zeros(1, 1, most, 64)
    assert lesson_launch(k, k, k).shared_bytes == 227 * 1024
    k = _zeros(1, 1, 1024, 64)
    with pytest.raises(
        ValueError, match=r"k_len=1024 x head_dim=64 x 4 bytes are 256 KiB, and a block has at most 227"
    ):
        lesson_launch(k, k, k)


def test_scale_is_that_of_head_dim_unless_given():
    assert tiled_launch(Q, K, V, full_lengths(3, 7)).arguments["scale"] == 0.25
    assert tiled_launch(Q, K, V, full_lengths(3, 7), scale=2).arguments["scale"] == 2.0
    assert lesson_launch(Q, K, V).arguments["scale"] == 0.25


@pytest.mark.parametrize("head_dim", [1, 16, 40, 64, 80, 96, 128, 192, 256])
@pytest.mark.parametrize("v_head_dim", [1, 18, 64, 128, 256])
def test_tiles_fit_and_are_whole(head_dim, v_head_dim):
    tiles = tiles_for(head_dim, v_head_dim)
    assert tile_bytes(tiles, head_dim, v_head_dim) <= STATIC_SHARED
    assert tiles.block_k % 4 == 0 and tiles.threads % 32 == 0


def test_a_block_of_other_sizes_than_it_declares_has_other_bytes():
    """q 32 x (64 + 4), K 16 x (64 + 4), V 16 x 20 of which 18 are used, scores 32 x (16 + 1); 4 bytes each."""
    assert tile_bytes(Tiles(32, 16), 64, 18) == 4 * (32 * 68 + 16 * 68 + 16 * 20 + 32 * 17)


def test_heads_too_wide_for_any_tile_are_refused():
    with pytest.raises(ValueError, match=r"head_dim=2048 and v_head_dim=2048 need .* KiB of shared memory even in the"):
        tiles_for(2048)


def test_a_grid_too_high_is_refused():
    q = np.broadcast_to(np.float32(0), (70000, 1, 1, 16))
    with pytest.raises(ValueError, match="batch=70000, but a grid has at most 65535 blocks along this axis"):
        tiled_launch(q, q, q, full_lengths(70000, 1))


REFUSED = {
    "another dtype": (TypeError, "the CUDA kernels are float32, but q is float64", WIDE),
    "two dtypes": (TypeError, "k is float32, but v is float16; give both the same dtype", {"v": V.astype("float16")}),
    "three axes": (ValueError, r"q must be \(batch, heads, length, dim\), got shape \(3, 6, 16\)", {"q": Q[:, :, 0]}),
    "heads that do not divide": (ValueError, "6 heads of q are not divisible by 4 heads of k", {"k": K4}),
    "a window alone": (ValueError, "window=3 alone does not say which side it means", {"window": 3}),
    "a softcap of 0": (ValueError, "softcap must be greater than 0, got 0", {"softcap": 0}),
    "a length too long": (ValueError, "lengths must be 0 to k_len=7, got 1 to 8", {"lengths": [1, 8, 2]}),
    "a length below 0": (ValueError, "lengths must be 0 to k_len=7, got -1 to 2", {"lengths": [1, -1, 2]}),
    "lengths of another batch": (ValueError, r"lengths must be whole numbers, \(3,\), got", {"lengths": [1, 2]}),
    "lengths that are no numbers": (ValueError, "lengths must be whole numbers", {"lengths": [1.5, 2, 3]}),
    "no such kernel": (ValueError, "kernel must be one of .*, got 'tile'; did you mean 'tiled'", {"kernel": "tile"}),
    "a list": (TypeError, "q must be a NumPy array, got list", {"q": [[1.0]]}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    kind, words, wrong = REFUSED[name]
    arrays = {"q": Q, "k": K, "v": V} | {n: x for n, x in wrong.items() if n in "qkv"}
    with pytest.raises(kind, match=words):
        emulated_attention(**arrays, **{n: x for n, x in wrong.items() if n not in "qkv"})


@pytest.mark.parametrize("lacks", [{"softcap": 2.0}, {"window": (1, 1)}, {"lengths": [1, 2, 3]}])
def test_the_lesson_says_what_it_lacks(lacks):
    with pytest.raises(
        ValueError, match=f"kernel='lesson' cannot do {next(iter(lacks))}; use 'tiled' or 'head_stride'"
    ):
        emulated_attention(Q, K, V, kernel="lesson", **lacks)


def test_the_lesson_gives_no_lse():
    with pytest.raises(ValueError, match="kernel='lesson' gives no lse; use 'tiled' or 'head_stride'"):
        emulated_attention(Q, K, V, kernel="lesson", return_lse=True)


@pytest.mark.parametrize("kernel", KERNELS)
def test_sources_include_nothing_and_can_be_read_on_one_screen(kernel):
    text = source(kernel)
    assert "#include" not in text
    assert len(text.splitlines()) <= 150
    assert all(len(line) <= 120 for line in text.splitlines())
    assert f"{KERNELS[kernel]}(" in text
