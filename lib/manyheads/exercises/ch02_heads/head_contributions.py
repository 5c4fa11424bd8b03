"""head-contributions: W_O as a sum over heads."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(heads, w_o):
    return reference.head_contributions(heads, w_o)


def _case(about, rng, dtype="float64", square=False, probe=False, **ranges):
    s = sizes.draw_with_width(
        rng, **{"batch": (2, 4), "n_heads": (3, 5), "seq": (4, 8), "head_dim": (2, 6), "d_model": (5, 11), **ranges}
    )
    heads = sizes.normal(rng, s["batch"], s["n_heads"], s["seq"], s["head_dim"], dtype=dtype)
    w_o = sizes.normal(rng, s["width"], s["width"] if square else s["d_model"], dtype=dtype)
    return Case(about, {"heads": heads, "w_o": w_o}, probe)


def _values(rng):
    return [
        _case("a square W_O, as in most models", rng, square=True),
        _case("a W_O that is not square", rng),
        _case("a single sequence, more heads than tokens", rng, batch=(1, 1), n_heads=(6, 8), seq=(2, 5)),
    ]


def _float32(rng):
    return [
        _case("float32 heads and weights", rng, "float32"),
        # Here blocks of columns have the shape of blocks of rows.
        _case("float32, a square W_O", rng, "float32", square=True, probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _blocks_of_rows(heads, w_o):
    d = heads.shape[3]
    return np.stack([heads[:, h] @ w_o[h * d : (h + 1) * d] for h in range(heads.shape[1])], axis=1)


def _einsum(heads, w_o):
    return np.einsum("bhnj,hjo->bhno", heads, w_o.reshape(heads.shape[1], -1, w_o.shape[1]))


def _all_others_zero(heads, w_o):
    batch, n_heads, seq, d = heads.shape
    written = []
    for h in range(n_heads):
        alone = np.where(np.arange(n_heads)[:, None, None] == h, heads, 0)
        written.append(alone.swapaxes(1, 2).reshape(batch, seq, n_heads * d) @ w_o)
    return np.stack(written, axis=1)


def _block_diagonal(heads, w_o):
    n_heads, d = heads.shape[1], heads.shape[3]
    own_head = np.arange(n_heads)[:, None] == np.arange(n_heads).repeat(d)
    return np.where(own_head[:, None], np.tile(heads, n_heads), 0) @ w_o


def _sums_of_outer_products(heads, w_o):
    n_heads, d = heads.shape[1], heads.shape[3]
    written = []
    for h in range(n_heads):
        written.append(sum(heads[:, h, :, j : j + 1] * w_o[h * d + j] for j in range(d)))
    return np.stack(written, axis=1)


# -- known mistakes ------------------------------------------------------------------------------------


def _d_before_h(heads, w_o):
    return np.stack([heads[:, h] @ w_o[h :: heads.shape[1]] for h in range(heads.shape[1])], axis=1)


def _columns_for_rows(heads, w_o):
    return heads @ w_o.T.reshape(heads.shape[1], heads.shape[3], -1)


def _columns_sliced(heads, w_o):
    d = heads.shape[3]
    return np.stack([heads[:, h] @ w_o.T[h * d : (h + 1) * d] for h in range(heads.shape[1])], axis=1)


def _overlapping_blocks(heads, w_o):
    d = heads.shape[3]
    return np.stack([heads[:, h] @ w_o[h : h + d] for h in range(heads.shape[1])], axis=1)


def _first_block_for_all(heads, w_o):
    return heads @ w_o[: heads.shape[3]]


def _first_head_for_all(heads, w_o):
    return heads[:, :1] @ w_o.reshape(heads.shape[1], heads.shape[3], -1)


def _running_sums(heads, w_o):
    return np.cumsum(heads @ w_o.reshape(heads.shape[1], heads.shape[3], -1), axis=1)


def _divided(heads, w_o):
    return heads @ w_o.reshape(heads.shape[1], heads.shape[3], -1) / heads.shape[1]


def _blocks_reversed(heads, w_o):
    return heads @ w_o.reshape(heads.shape[1], heads.shape[3], -1)[::-1]


def _all_for_each(heads, w_o):
    batch, n_heads, seq, d = heads.shape
    out = heads.transpose(0, 2, 1, 3).reshape(batch, seq, n_heads * d) @ w_o
    return np.stack([out] * n_heads, axis=1)


def _rest_without_it(heads, w_o):
    each = heads @ w_o.reshape(heads.shape[1], heads.shape[3], -1)
    return each.sum(axis=1, keepdims=True) - each


def _summed(heads, w_o):
    return (heads @ w_o.reshape(heads.shape[1], heads.shape[3], -1)).sum(axis=1)


def _float64_buffer(heads, w_o):
    batch, n_heads, seq, d = heads.shape
    out = np.zeros((batch, n_heads, seq, w_o.shape[1]))
    for h in range(n_heads):
        out[:, h] = heads[:, h] @ w_o[h * d : (h + 1) * d]
    return out


_SUM = "A sum over heads"

EXERCISE = Exercise(
    name="head-contributions",
    title="What each head writes",
    chapter="02-heads",
    version=1,
    parameters=(
        Parameter("heads", "float array (batch, n_heads, seq, head_dim): what attention gives"),
        Parameter("w_o", "float array (n_heads * head_dim, d_model), for heads laid side by side in their order"),
    ),
    returns=(Output("result", ("batch", "n_heads", "seq", "d_model")),),
    reference=_reference,
    tolerance=ONE_PRODUCT,
    aspects=(
        Aspect("values", 2, "each head's own part of the output", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "blocks of rows": _blocks_of_rows,
        "einsum": _einsum,
        "all other heads zero": _all_others_zero,
        "block diagonal": _block_diagonal,
        "sums of outer products": _sums_of_outer_products,
    },
    example=""">>> heads = np.array([[[[1.0, 2.0]], [[3.0, 4.0]]]])
>>> w_o = np.array([[1.0], [10.0], [100.0], [1000.0]])
>>> head_contributions(heads, w_o).tolist()
[[[[21.0]], [[4300.0]]]]""",
    hints=(
        "In the example, the output is 1 * 1 + 2 * 10 + 3 * 100 + 4 * 1000. Which of these four terms come from head "
        "0?",
        "Laid side by side, a head has head_dim neighbouring columns. In the product with W_O, which of its rows do "
        "they meet?",
        "Each head multiplies a block of head_dim rows of W_O. Do it head after head, or give the rows of W_O two "
        "axes and let @ run over the first of them.",
    ),
    mistakes=(
        Mistake(
            "d-before-h",
            _d_before_h,
            "Each head got every n_heads-th row of W_O. The heads stand side by side, so head h meets a block: "
            "head_dim neighbouring rows.",
            "The order of heads and dims",
        ),
        Mistake(
            "columns-for-rows",
            _columns_for_rows,
            "You cut W_O by its columns. The heads come from the left and meet its rows; its columns are the numbers "
            "of the model, and every head writes into all of them.",
            _SUM,
        ),
        Mistake(
            "columns-sliced",
            _columns_sliced,
            "Each head met a block of columns of W_O, turned on its side; only where W_O is square does that fit. The "
            "heads come from the left and meet its rows.",
            _SUM,
        ),
        Mistake(
            "overlapping-blocks",
            _overlapping_blocks,
            "Your blocks of rows overlap: that of head h starts at row h. Each block starts where the one before it "
            "ends.",
            _SUM,
        ),
        Mistake(
            "first-block-for-all",
            _first_block_for_all,
            "Every head went through the first block of W_O. Head h has a block of rows of its own, the h-th.",
            _SUM,
        ),
        Mistake(
            "first-head-for-all",
            _first_head_for_all,
            "The blocks of W_O are right, but head 0 went through all of them. Block h takes the numbers of head h.",
            _SUM,
        ),
        Mistake(
            "running-sums",
            _running_sums,
            "Your head h holds the sum of the heads up to h. Asked is what each writes on its own; only all of them "
            "together are the output.",
            _SUM,
        ),
        Mistake(
            "divided",
            _divided,
            "You divided by n_heads. The output is the sum of the heads' parts, not their mean.",
            _SUM,
        ),
        Mistake(
            "blocks-reversed",
            _blocks_reversed,
            "Head 0 met the last block of W_O, and so on backwards. The blocks stand in the order of the heads.",
            _SUM,
        ),
        Mistake(
            "all-for-each",
            _all_for_each,
            "Every head has the whole output of the layer. Asked is the part that comes from its own numbers alone.",
            _SUM,
        ),
        Mistake(
            "rest-without-it",
            _rest_without_it,
            "You have the output without the head, in the place of what the head writes. That is the part of all "
            "others.",
            _SUM,
        ),
        Mistake(
            "summed",
            _summed,
            "You added the heads up, which is the output of the layer. Here the axis of the heads stays.",
            _SUM,
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. The likely cause is an array of your own, from np.zeros, np.empty or np.ones, "
            "which make float64 unless told otherwise. The result must have the dtype of heads.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
