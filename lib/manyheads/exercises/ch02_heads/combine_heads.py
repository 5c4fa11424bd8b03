"""combine-heads: the heads side by side again, the inverse of the split."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import EXACT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _case(about, rng, dtype="float64", least=0, **ranges):
    draw = sizes.draw if "head_dim" in ranges else sizes.draw_with_width
    s = draw(rng, **{"batch": (2, 4), "seq": (4, 9), "n_heads": (3, 5), "head_dim": (2, 7), **ranges})
    shape = s["batch"], s["n_heads"], s["seq"], s["head_dim"]
    if dtype == "bool":
        x = rng.random(shape) < 0.5
    elif dtype == "int64":
        x = least + rng.permutation(np.prod(shape)).astype(dtype).reshape(shape)
    else:
        x = sizes.normal(rng, *shape, dtype=dtype)
    return Case(about, {"x": x})


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


def _concatenate(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)


def _column_blocks(x):
    batch, n_heads, seq, d = x.shape
    out = np.empty((batch, seq, n_heads * d), x.dtype)
    for h in range(n_heads):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


def _column_by_column(x):
    n_heads, d = x.shape[1], x.shape[3]
    return np.stack([x[:, c // d, :, c % d] for c in range(n_heads * d)], axis=-1)


def _token_by_token(x):
    batch, seq = x.shape[0], x.shape[2]
    return np.array([[x[b, :, n].ravel() for n in range(seq)] for b in range(batch)])


def _einsum(x):
    batch, n_heads, seq, d = x.shape
    return np.einsum("bhnd->bnhd", x).reshape(batch, seq, n_heads * d)


# -- known mistakes ------------------------------------------------------------------------------------


def _bare_reshape(x):
    batch, n_heads, seq, d = x.shape
    return x.reshape(batch, seq, n_heads * d)


def _d_before_h(x):
    batch, n_heads, seq, d = x.shape
    return x.transpose(0, 2, 3, 1).reshape(batch, seq, d * n_heads)


def _wrong_pair(x):
    batch, n_heads, seq, d = x.shape
    return x.swapaxes(2, 3).reshape(batch, seq, n_heads * d)


def _split_again(x):
    batch, n_heads, seq, d = x.shape
    return x.reshape(batch, seq, n_heads, d).transpose(0, 2, 1, 3).reshape(batch, seq, n_heads * d)


def _tokens_before_batch(x):
    batch, n_heads, seq, d = x.shape
    return x.transpose(2, 0, 1, 3).reshape(batch, seq, n_heads * d)


def _heads_reversed(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])][::-1], axis=-1)


def _heads_added(x):
    return x.sum(axis=1)


def _below_each_other(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=1)


def _float64_buffer(x):
    batch, n_heads, seq, d = x.shape
    out = np.zeros((batch, seq, n_heads * d))
    for h in range(n_heads):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out


def _through_float64(x):
    batch, n_heads, seq, d = x.shape
    out = np.zeros((batch, seq, n_heads * d))
    for h in range(n_heads):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out.astype(x.dtype)


_COMBINING = "Combining: the way back"

EXERCISE = Exercise(
    name="combine-heads",
    title="Putting the heads back together",
    chapter="02-heads",
    version=1,
    parameters=(Parameter("x", "array (batch, n_heads, seq, head_dim) of any dtype"),),
    returns=(Output("result", ("batch", "seq", "n_heads * head_dim")),),
    reference=reference.combine_heads,
    tolerance=EXACT,
    aspects=(
        Aspect("values", 2, "every number in its place", _values),
        Aspect(
            "any dtype", 1, "float32, whole numbers (very large ones too) and booleans stay what they are", _any_dtype
        ),
    ),
    alternatives={
        "concatenate": _concatenate,
        "blocks of columns": _column_blocks,
        "column by column": _column_by_column,
        "token by token": _token_by_token,
        "einsum": _einsum,
    },
    example=""">>> x = np.array([[[[1, 2, 3], [7, 8, 9]], [[4, 5, 6], [10, 11, 12]]]])
>>> combine_heads(x).tolist()
[[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]]""",
    hints=(
        "Splitting was two steps. To undo them, take the last one back first.",
        "Two axes can be merged into one by a reshape where they stand next to each other, that which changes more "
        "slowly first. Which two are to be merged, and do they stand so?",
        "Bring the heads between the tokens and the numbers of a head. Then the last two axes become one.",
    ),
    mistakes=(
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "You merged the heads without moving them behind the tokens first. The shape is right, but a row of the "
            "result holds several tokens of one head, and not all heads of one token.",
            _COMBINING,
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "The heads' numbers alternate, as if (head_dim, n_heads) were merged. The heads stand side by side, each "
            "with its numbers together: (n_heads, head_dim), in this order.",
            "The order of heads and dims",
        ),
        Mistake(
            "wrong-pair",
            _wrong_pair,
            "You exchanged the last two axes, tokens and head_dim. It is heads and tokens that change places.",
            _COMBINING,
        ),
        Mistake(
            "split-again",
            _split_again,
            "You took the steps of the split in their old order, a reshape and then a transpose. To undo them, turn "
            "the order round: first move the axis back, then merge.",
            _COMBINING,
        ),
        Mistake(
            "tokens-before-batch",
            _tokens_before_batch,
            "You moved the tokens in front of the batch as well, so that the rows of different sequences come mixed. "
            "With a single sequence that is right, so test with two.",
            _COMBINING,
        ),
        Mistake(
            "heads-reversed",
            _heads_reversed,
            "The heads come in reverse. Head 0 has the leftmost columns.",
            "The order of heads and dims",
        ),
        Mistake(
            "heads-added",
            _heads_added,
            "You added the heads up. They are laid side by side, so that none of their numbers is lost: the result is "
            "n_heads * head_dim wide.",
            _COMBINING,
        ),
        Mistake(
            "below-each-other",
            _below_each_other,
            "You laid the heads below each other, along the tokens. They stand side by side: a token keeps its row.",
            _COMBINING,
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
