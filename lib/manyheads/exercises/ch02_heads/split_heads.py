"""split-heads: the width cut into heads, the heads moved in front of the tokens."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(about, rng, dtype="float64", least=0, **ranges):
    draw = sizes.draw if "head_dim" in ranges else sizes.draw_with_width
    s = draw(rng, **{"batch": (2, 4), "seq": (4, 9), "n_heads": (3, 5), "head_dim": (2, 7), **ranges})
    width = s["n_heads"] * s["head_dim"]
    shape = s["batch"], s["seq"], width
    if dtype == "bool":
        x = rng.random(shape) < 0.5
    elif dtype == "int64":
        x = least + rng.permutation(np.prod(shape)).astype(dtype).reshape(shape)
    else:
        x = sizes.normal(rng, *shape, dtype=dtype)
    return Case(about, {"x": x, "n_heads": s["n_heads"]})


def _values(rng):
    return [
        _case("an array whose sizes are all different", rng),
        _case("a single sequence, more heads than tokens", rng, batch=(1, 1), n_heads=(7, 8), seq=(4, 6)),
        _case("heads of width 1", rng, head_dim=(1, 1)),
    ]


def _any_dtype(rng):
    return [
        _case("float32", rng, "float32"),
        _case("whole numbers", rng, "int64"),
        _case("whole numbers beyond 2**53, more than float64 can tell apart", rng, "int64", least=2**53),
        _case("booleans", rng, "bool"),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _slices_stacked(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.stack([x[..., h * d : (h + 1) * d] for h in range(n_heads)], axis=1)


def _columns_by_index(x, n_heads):
    columns = np.arange(x.shape[-1]).reshape(n_heads, -1)
    return x[:, :, columns].swapaxes(1, 2)


def _element_by_element(x, n_heads):
    batch, seq, width = x.shape
    d = width // n_heads
    out = np.empty((batch, n_heads, seq, d), x.dtype)
    for b, n, c in np.ndindex(batch, seq, width):
        out[b, c // d, n, c % d] = x[b, n, c]
    return out


def _from_the_transpose(x, n_heads):
    batch, seq, width = x.shape
    return x.T.reshape(n_heads, width // n_heads, seq, batch).transpose(3, 0, 2, 1)


def _einsum(x, n_heads):
    return np.einsum("bnhd->bhnd", x.reshape(*x.shape[:2], n_heads, -1))


# -- known mistakes ------------------------------------------------------------------------------------


def _bare_reshape(x, n_heads):
    batch, seq, width = x.shape
    return x.reshape(batch, n_heads, seq, width // n_heads)


def _d_before_h(x, n_heads):
    batch, seq, width = x.shape
    return x.reshape(batch, seq, width // n_heads, n_heads).transpose(0, 3, 1, 2)


def _transpose_before_reshape(x, n_heads):
    batch, seq, width = x.shape
    return x.transpose(0, 2, 1).reshape(batch, n_heads, seq, width // n_heads)


def _batch_among_the_tokens(x, n_heads):
    batch, seq, width = x.shape
    d = width // n_heads
    return x.reshape(batch * seq, n_heads, d).transpose(1, 0, 2).reshape(batch, n_heads, seq, d)


def _overlapping_heads(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.stack([x[..., h : h + d] for h in range(n_heads)], axis=1)


def _first_head_for_all(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.stack([x[..., :d]] * n_heads, axis=1)


def _heads_reversed(x, n_heads):
    d = x.shape[-1] // n_heads
    return np.stack([x[..., h * d : (h + 1) * d] for h in range(n_heads)][::-1], axis=1)


def _heads_behind_tokens(x, n_heads):
    return x.reshape(x.shape[0], x.shape[1], n_heads, -1)


def _heads_before_batch(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1))


def _float64_buffer(x, n_heads):
    batch, seq, width = x.shape
    d = width // n_heads
    out = np.zeros((batch, n_heads, seq, d))
    for h in range(n_heads):
        out[:, h] = x[:, :, h * d : (h + 1) * d]
    return out


def _through_float64(x, n_heads):
    batch, seq, width = x.shape
    d = width // n_heads
    out = np.zeros((batch, n_heads, seq, d))
    for h in range(n_heads):
        out[:, h] = x[:, :, h * d : (h + 1) * d]
    return out.astype(x.dtype)


_SPLITTING = "Splitting: reshape, then transpose"

EXERCISE = Exercise(
    name="split-heads",
    title="Splitting the width into heads",
    chapter="02-heads",
    version=1,
    parameters=(
        Parameter("x", "array (batch, seq, n_heads * head_dim) of any dtype, head after head in each row"),
        Parameter("n_heads", "whole number; divides the last axis"),
    ),
    returns=(Output("result", ("batch", "n_heads", "seq", "head_dim")),),
    reference=reference.split_heads,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "every number in its place", _values),
        Aspect(
            "any dtype", 1, "float32, whole numbers (very large ones too) and booleans stay what they are", _any_dtype
        ),
    ),
    alternatives={
        "slices, stacked": _slices_stacked,
        "columns by index": _columns_by_index,
        "element by element": _element_by_element,
        "from the transpose": _from_the_transpose,
        "einsum": _einsum,
    },
    example=""">>> x = np.array([[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]])
>>> split_heads(x, 2)[0, 0].tolist()
[[1, 2, 3], [7, 8, 9]]
>>> split_heads(x, 2)[0, 1].tolist()
[[4, 5, 6], [10, 11, 12]]""",
    hints=(
        "In the example, a row of x holds head 0 and then head 1. Name the two axes into which that row falls, first "
        "the one that changes more slowly along the row.",
        "Cutting one axis in two is a reshape, as long as all other axes stay where they are. Which shape has the "
        "result of that cut?",
        "Only after the cut is there an axis that counts heads. Move it in front of the tokens: that is a transpose, "
        "and no second reshape.",
    ),
    mistakes=(
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "You reshaped straight to (batch, n_heads, seq, head_dim). That has the right shape, but it deals whole "
            "tokens out to the heads. Cut the last axis first, then move the new axis.",
            _SPLITTING,
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "Every head got every n_heads-th column, as if the width fell into (head_dim, n_heads). A head's columns "
            "stand together: first which head, then which of its numbers.",
            "The order of heads and dims",
        ),
        Mistake(
            "transpose-before-reshape",
            _transpose_before_reshape,
            "One row of a head mixes several tokens: tokens were exchanged with the width, or with a head's numbers, "
            "before a reshape. Cut the width first, then move the axis of the heads, and reshape no more.",
            _SPLITTING,
        ),
        Mistake(
            "batch-among-the-tokens",
            _batch_among_the_tokens,
            "Sequences got each other's numbers: the heads stood in front of the batch, and a reshape does not bring "
            "an axis back to its place. With a single sequence that is right, so test with two.",
            _SPLITTING,
        ),
        Mistake(
            "overlapping-heads",
            _overlapping_heads,
            "Your heads overlap: head h starts at column h. It starts where head h - 1 ends, so the step from one "
            "head to the next is head_dim columns.",
            _SPLITTING,
        ),
        Mistake(
            "first-head-for-all",
            _first_head_for_all,
            "Every head got the columns of head 0. Head h has the h-th block of head_dim columns.",
            _SPLITTING,
        ),
        Mistake(
            "heads-reversed",
            _heads_reversed,
            "The heads come in reverse. The leftmost columns belong to head 0.",
            "The order of heads and dims",
        ),
        Mistake(
            "heads-behind-tokens",
            _heads_behind_tokens,
            "The cut is right, but the heads still stand behind the tokens. Move that axis: (batch, n_heads, seq, "
            "head_dim) is what is asked for.",
            _SPLITTING,
        ),
        Mistake(
            "heads-before-batch",
            _heads_before_batch,
            "The heads stand in front of the batch; np.stack, for example, puts its new axis first unless told "
            "otherwise. Here the batch stays in front.",
            _SPLITTING,
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64, whatever x is; np.zeros and np.empty, for example, make that unless told "
            "otherwise. Numbers only move here, so the result has the dtype of x.",
            "What goes wrong and does not crash",
            loses=("any dtype",),
        ),
        Mistake(
            "through-float64",
            _through_float64,
            "The dtype is right, but large whole numbers came out rounded: they went through a float64 on their way. "
            "Give the arrays that you make the dtype of x from the start.",
            "What goes wrong and does not crash",
            loses=("any dtype",),
        ),
    ),
)
