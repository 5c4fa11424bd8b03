"""per-head-projections: one product a head, with that head's own matrix."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ONE_PRODUCT, Aspect, Case, Exercise, Mistake, Output, Parameter


def _inputs(rng, dtype="float64", **ranges):
    s = sizes.draw_with_width(
        rng, **{"batch": (2, 3), "seq": (4, 9), "d_model": (5, 11), "n_heads": (3, 5), "head_dim": (2, 7), **ranges}
    )
    return {
        "x": sizes.normal(rng, s["batch"], s["seq"], s["d_model"], dtype=dtype),
        "w": sizes.normal(rng, s["n_heads"], s["d_model"], s["head_dim"], dtype=dtype),
    }


def _values(rng):
    return [
        Case("several sequences, every size different", _inputs(rng)),
        Case("a single sequence", _inputs(rng, batch=(1, 1))),
        Case("more heads than tokens", _inputs(rng, n_heads=(7, 8), seq=(4, 6))),
    ]


def _float32(rng):
    return [
        Case("float32 tokens and weights", _inputs(rng, "float32")),
        Case("float32, a single sequence", _inputs(rng, "float32", batch=(1, 1))),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _loops(x, w):
    batch, seq, _ = x.shape
    n_heads, _, head_dim = w.shape
    out = np.empty((batch, n_heads, seq, head_dim), x.dtype)
    for b in range(batch):
        for h in range(n_heads):
            out[b, h] = x[b] @ w[h]
    return out


def _einsum(x, w):
    return np.einsum("bni,hij->bhnj", x, w)


def _broadcast(x, w):
    return x[:, None] @ w[None]


def _one_product_then_split(x, w):
    n_heads, d_model, head_dim = w.shape
    side_by_side = w.transpose(1, 0, 2).reshape(d_model, n_heads * head_dim)
    rows = x.reshape(-1, d_model) @ side_by_side
    return rows.reshape(*x.shape[:2], n_heads, head_dim).transpose(0, 2, 1, 3)


# -- known mistakes ------------------------------------------------------------------------------------


def _first_head_for_all(x, w):
    out = []
    for _ in range(w.shape[0]):
        out.append(x @ w[0])
    return np.stack(out, axis=1)


def _weights_read_flat(x, w):
    n_heads, d_model, head_dim = w.shape
    y = x @ w.reshape(d_model, n_heads * head_dim)
    return y.reshape(*x.shape[:2], n_heads, head_dim).transpose(0, 2, 1, 3)


def _bare_reshape(x, w):
    n_heads, d_model, head_dim = w.shape
    y = x @ w.transpose(1, 0, 2).reshape(d_model, n_heads * head_dim)
    return y.reshape(x.shape[0], n_heads, x.shape[1], head_dim)


def _heads_first_then_reshaped(x, w):
    y = np.array([x @ head for head in w])
    return y.reshape(x.shape[0], w.shape[0], x.shape[1], w.shape[2])


def _d_before_h(x, w):
    n_heads, d_model, head_dim = w.shape
    y = x @ w.transpose(1, 0, 2).reshape(d_model, n_heads * head_dim)
    return y.reshape(*x.shape[:2], head_dim, n_heads).transpose(0, 3, 1, 2)


def _first_sequence_for_all(x, w):
    out = np.empty((x.shape[0], w.shape[0], x.shape[1], w.shape[2]), x.dtype)
    for h in range(w.shape[0]):
        out[:, h] = x[0] @ w[h]
    return out


def _heads_behind_tokens(x, w):
    return np.stack([x @ head for head in w], axis=2)


def _heads_before_batch(x, w):
    return np.stack([x @ head for head in w])


def _heads_last(x, w):
    return np.stack([x @ head for head in w], axis=-1)


def _float64_buffer(x, w):
    out = np.zeros((x.shape[0], w.shape[0], x.shape[1], w.shape[2]))
    for h in range(w.shape[0]):
        out[:, h] = x @ w[h]
    return out


EXERCISE = Exercise(
    name="per-head-projections",
    title="One product for each head",
    chapter="01-projections",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, seq, d_model)"),
        Parameter("w", "float array (n_heads, d_model, head_dim); w[h] is head h's matrix"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "n_heads", "seq", "head_dim"),
            about="an array (batch, n_heads, seq, head_dim) of the dtype of `x`",
        ),
    ),
    reference=reference.per_head_projections,
    tolerance=ONE_PRODUCT,
    aspects=(
        Aspect("values", 2, "the right numbers in the right places", _values),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "loops": _loops,
        "einsum": _einsum,
        "broadcast matmul": _broadcast,
        "one product, then split": _one_product_then_split,
    },
    example=""">>> x = np.array([[[1.0, 2.0], [3.0, 4.0]]])
>>> w = np.array([[[1.0], [0.0]], [[0.0], [10.0]]])
>>> per_head_projections(x, w).tolist()
[[[[1.0], [3.0]], [[20.0], [40.0]]]]""",
    hints=(
        "Forget the batch for a moment: what is one head's result for one sequence, in a single expression?",
        "One product for each head, with that head's matrix, gives all sequences and tokens at once. Collect the "
        "results in the order of the heads.",
        "What you collected has to become one array whose second axis counts the heads. np.stack has an argument for "
        "where its new axis goes.",
    ),
    mistakes=(
        Mistake(
            "first-head-for-all",
            _first_head_for_all,
            "Every head got the matrix of head 0. Head h must use w[h].",
            "The per-head view",
        ),
        Mistake(
            "weights-read-flat",
            _weights_read_flat,
            "You reshaped w from (n_heads, d_model, head_dim) to (d_model, n_heads * head_dim) without moving "
            "the head axis first, so the rows of one head's matrix became columns of another's. Transpose to "
            "(d_model, n_heads, head_dim), then reshape; or take one head at a time.",
            "Packing the weights",
        ),
        Mistake(
            "bare-reshape",
            _bare_reshape,
            "The products are right, but a reshape straight to (batch, n_heads, seq, head_dim) deals the tokens "
            "out to the heads. Reshape to (batch, seq, n_heads, head_dim), then transpose.",
            "Reshape, then transpose",
        ),
        Mistake(
            "heads-first-then-reshaped",
            _heads_first_then_reshaped,
            "The heads were collected in front of the batch, and then reshaped into the right shape instead of moved. "
            "A reshape deals the numbers out anew, in reading order, so heads and sequences are mixed. Move the head "
            "axis to the second place.",
            "Reshape, then transpose",
        ),
        Mistake(
            "d-before-h",
            _d_before_h,
            "The product's columns are dealt out to the heads one at a time, as a split into (head_dim, n_heads) or "
            "order='F' does. With the matrices side by side, a head's columns stand together: (n_heads, head_dim).",
            "Reshape, then transpose",
        ),
        Mistake(
            "first-sequence-for-all",
            _first_sequence_for_all,
            "Every sequence of the batch got the result of sequence 0. Project all of x, not x[0]; with a batch of one "
            "you would not notice.",
            "What goes wrong and does not crash",
        ),
        Mistake(
            "heads-behind-tokens",
            _heads_behind_tokens,
            "The heads stand behind the tokens. This course keeps (batch, n_heads, seq, head_dim): the head axis comes "
            "second.",
            "The per-head view",
        ),
        Mistake(
            "heads-before-batch",
            _heads_before_batch,
            "The heads stand in front of the batch, as np.stack puts them unless told otherwise. This course keeps "
            "(batch, n_heads, seq, head_dim): the head axis comes second.",
            "The per-head view",
        ),
        Mistake(
            "heads-last",
            _heads_last,
            "The heads are the last axis. This course keeps (batch, n_heads, seq, head_dim): the head axis comes "
            "second.",
            "The per-head view",
        ),
        Mistake(
            "float64-buffer",
            _float64_buffer,
            "Your result is float64. np.zeros and np.empty make that unless told otherwise, and so does computing "
            "with a float64 array. The result must have the dtype of x.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
