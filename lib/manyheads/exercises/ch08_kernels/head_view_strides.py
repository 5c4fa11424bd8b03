"""head-view-strides: queries, keys and values as views of one packed projection."""

import numpy as np

from manyheads.exercises.ch08_kernels.head_view_strides_mistakes import MISTAKES
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Output, Parameter


def _reference(seq, heads, kv_heads, head_dim):
    row = (heads + 2 * kv_heads) * head_dim
    view = [seq * row, head_dim, row, 1]
    starts = [0, heads * head_dim, (heads + kv_heads) * head_dim]
    return np.array([view] * 3, np.int64), np.array(starts, np.int64)


def _case(about, *numbers, probe=False):
    names = ("seq", "heads", "kv_heads", "head_dim")
    return Case(about, dict(zip(names, map(int, numbers), strict=True)), probe)


def _equal(rng):
    seq, heads, head_dim = rng.permutation([2, 3, 5, 7, 8, 11])[:3]
    return [
        _case("a K/V head for every query head", seq, heads, heads, head_dim),
        _case("the same, longer sequences", seq + 13, heads, heads, head_dim + 1),
        # Which rule for fewer K/V heads it is.
        _case("fewer K/V heads than query heads", 11, 10, 2, 7, probe=True),
    ]


def _shared(rng):
    kv_heads, group = ((2, 3), (3, 5), (5, 3), (3, 4))[int(rng.integers(4))]
    seq, head_dim = rng.permutation([7, 8, 11, 13])[:2]
    return [
        _case("fewer K/V heads than query heads", seq, kv_heads * group, kv_heads, head_dim),
        _case("one K/V head for all", head_dim + 9, kv_heads * group, 1, seq),
    ]


def _large(rng):
    seq = int(rng.integers(500_001, 1_500_000))
    return [_case("sequences of more elements than 32 bits count", seq, 96, 8, 128)]


# -- right answers by other techniques -----------------------------------------------------------------


def _as_numpy_has_them(seq, heads, kv_heads, head_dim):
    # Two sequences of two tokens: no memory has to hold them all.
    packed = np.empty((2, 2, heads + 2 * kv_heads, head_dim), np.int8)
    parts = np.split(packed, [heads, heads + kv_heads], axis=2)
    strides = np.array([part.transpose(0, 2, 1, 3).strides for part in parts], np.int64)
    strides[:, 0] = strides[:, 2] * seq
    return strides, np.array([part.ctypes.data - packed.ctypes.data for part in parts], np.int64)


def _distances_of_offsets(seq, heads, kv_heads, head_dim):
    width = head_dim * (heads + kv_heads + kv_heads)
    begins = (0, head_dim * heads, width - head_dim * kv_heads)

    def offset(part, b, h, i, d):
        return begins[part] + (b * seq + i) * width + h * head_dim + d

    strides = np.empty((3, 4), np.int64)
    for part in range(3):
        for axis, one in enumerate(np.eye(4, dtype=int).tolist()):
            strides[part, axis] = offset(part, *one) - begins[part]
    return strides, np.array(begins, dtype=np.int64)


def _sizes_multiplied(seq, heads, kv_heads, head_dim):
    inner = np.cumprod([1, head_dim, heads + 2 * kv_heads, seq], dtype=np.int64)
    starts = np.cumsum([0, heads, kv_heads], dtype=np.int64) * head_dim
    return np.tile(inner[[3, 1, 2, 0]], (3, 1)), starts


def _from_the_end_of_the_row(seq, heads, kv_heads, head_dim):
    kv_width = kv_heads * head_dim
    row = heads * head_dim + 2 * kv_width
    strides = np.ones((3, 4), np.int64)
    strides[:, 1] = head_dim
    strides[:, 2] = row
    strides[:, 0] = strides[:, 2] * seq
    return strides, np.array([0, row - 2 * kv_width, row - kv_width], np.int64)


EXERCISE = Exercise(
    name="head-view-strides",
    title="Three views of one projection",
    chapter="08-kernels",
    version=1,
    parameters=(
        Parameter("seq", "whole number: tokens in a sequence"),
        Parameter("heads", "whole number: query heads"),
        Parameter("kv_heads", "whole number: K/V heads; divides heads"),
        Parameter("head_dim", "whole number: numbers in one query, key or value"),
    ),
    returns=(
        Output(
            "strides",
            ("view", "axis"),
            "int",
            about="an array (3, 4) of whole numbers (for each of q, k and v the strides of batch, head, seq, dim)",
        ),
        Output(
            "starts",
            ("view",),
            "int",
            about="an array (3,) of whole numbers (the offsets of their first elements)",
        ),
    ),
    reference=_reference,
    tolerance=EXACT,
    example="""
>>> strides, starts = head_view_strides(seq=5, heads=4, kv_heads=2, head_dim=3)
>>> strides[0].tolist(), starts.tolist()
([120, 3, 24, 1], [0, 12, 18])
""",
    hints=(
        "How many numbers has one row, the row of one token? Whatever the view, its next token is one row farther on.",
        "A view does not move anything, so its strides come from the packed memory and not from its own shape. Go from "
        "one element to its neighbour along each axis, and count what lies between.",
        "A row has heads queries, then kv_heads keys, then kv_heads values. Which number of the row is the first of "
        "the keys?",
    ),
    aspects=(
        Aspect("equal heads", 1, "as many K/V heads as query heads", _equal),
        Aspect("shared heads", 1, "fewer K/V heads than query heads", _shared),
        Aspect("large", 1, "strides that 32 bits do not hold, fewer K/V heads", _large),
    ),
    alternatives={
        "as NumPy has them": _as_numpy_has_them,
        "distances of offsets": _distances_of_offsets,
        "sizes multiplied": _sizes_multiplied,
        "from the end of the row": _from_the_end_of_the_row,
    },
    mistakes=MISTAKES,
)
