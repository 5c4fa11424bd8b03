"""multi-head-attention: the whole layer, for self-attention and cross-attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch02_heads.multi_head_attention_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(x, context, w_q, w_k, w_v, w_o, n_heads):
    return reference.mha(x, w_q, w_k, w_v, w_o, n_heads=n_heads, context=context)


def _case(about, rng, batch, q_len, k_len, n_heads, head_dim, v_head_dim, d_model, d_context, dtype="float64",
          probe=False):  # fmt: skip
    """One call; k_len None is self-attention."""

    def weight(d_in, d_out):
        return (rng.standard_normal((d_in, d_out)) / d_in**0.5).astype(dtype)

    x = sizes.normal(rng, batch, q_len, d_model, dtype=dtype)
    inputs = {
        "x": x,
        "context": x if k_len is None else sizes.normal(rng, batch, k_len, d_context, dtype=dtype),
        "w_q": weight(d_model, n_heads * head_dim),
        "w_k": weight(d_context, n_heads * head_dim),
        "w_v": weight(d_context, n_heads * v_head_dim),
        "w_o": weight(n_heads * v_head_dim, d_model),
        "n_heads": n_heads,
    }
    return Case(about, inputs, probe)


def _widths_of_heads(rng):
    """n_heads, head_dim, v_head_dim, d_model; d_model // n_heads is none of the others, and no width is a square."""
    n_heads, head_dim, v_head_dim = (int(i) for i in rng.permutation([2, 3, 5]))
    return n_heads, head_dim, v_head_dim, 6 * n_heads + 1


def _most(about, rng, dtype="float64"):
    """Self-attention as in most models: d_model = n_heads * head_dim."""
    s = sizes.draw_with_width(rng, batch=(2, 3), q_len=(4, 7), n_heads=(3, 4), head_dim=(5, 8))
    widths = s["n_heads"], s["head_dim"], s["head_dim"], s["width"], s["width"]
    return _case(about, rng, s["batch"], s["q_len"], None, *widths, dtype)


def _free(about, rng, batch, q_len, k_len, dtype="float64", probe=False):
    """A d_model that is not n_heads * head_dim, and values as wide as keys."""
    n_heads, head_dim, _, d_model = _widths_of_heads(rng)
    return _case(about, rng, batch, q_len, k_len, n_heads, head_dim, head_dim, d_model, d_model, dtype, probe)


def _self(rng):
    return [
        _most("self-attention, d_model = n_heads * head_dim", rng),
        _free("self-attention, another d_model", rng, 4, 7, None),
        # Tells the number of queries from the number of keys.
        _free("more keys than queries", rng, 2, 4, 7, probe=True),
    ]


def _cross(rng):
    n_heads, head_dim, _, _ = _widths_of_heads(rng)
    most = n_heads, head_dim, head_dim, n_heads * head_dim, n_heads * head_dim
    return [
        _case("more keys than queries", rng, 4, 7, 9, *most),
        _case("more queries than keys", rng, 4, 8, 7, *most),
        # Here keys or values of the wrong sequence have a fitting length.
        _free("as many keys as queries, d_model not n_heads * head_dim", rng, 4, 7, 7),
    ]


def _widths(rng):
    n_heads, head_dim, v_head_dim, d_model = _widths_of_heads(rng)
    d_context = int(rng.choice([8, 14, 17]))
    free = n_heads, head_dim, v_head_dim, d_model
    return [
        _case("all widths different, as many keys as queries", rng, 4, 9, 9, *free, d_model),
        _case("all widths different, and a context of yet another width", rng, 4, 9, 11, *free, d_context),
        # What does not fit the shapes above gives numbers here, to be known by.
        _case("all widths as in most models", rng, 2, 4, 4, 3, 5, 5, 15, 15, probe=True),
    ]


def _float32(rng):
    return [
        _most("float32 tokens and weights", rng, "float32"),
        _free("float32, d_model not n_heads * head_dim", rng, 4, 7, None, "float32"),
        _free("float32, more keys than queries", rng, 2, 4, 7, "float32", probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _head_by_head(x, context, w_q, w_k, w_v, w_o, n_heads):
    heads = []
    for h in range(n_heads):
        q = x @ np.split(w_q, n_heads, axis=1)[h]
        k = context @ np.split(w_k, n_heads, axis=1)[h]
        v = context @ np.split(w_v, n_heads, axis=1)[h]
        weights = reference.softmax(q @ k.transpose(0, 2, 1) * q.shape[2] ** -0.5)
        heads.append(weights @ v)
    return np.concatenate(heads, axis=-1) @ w_o


def _einsum(x, context, w_q, w_k, w_v, w_o, n_heads):
    q = np.einsum("bni,ihj->bhnj", x, w_q.reshape(len(w_q), n_heads, -1))
    k = np.einsum("bmi,ihj->bhmj", context, w_k.reshape(-1, n_heads, w_k.shape[1] // n_heads))
    v = np.einsum("bmi,ihj->bhmj", context, w_v.reshape(len(w_v), n_heads, -1))
    weights = reference.softmax(np.einsum("bhnj,bhmj->bhnm", q, k) / q.shape[-1] ** 0.5)
    return np.einsum("bhnm,bhmj,hjo->bno", weights, v, w_o.reshape(n_heads, v.shape[-1], -1))


def _output_before_the_weights(x, context, w_q, w_k, w_v, w_o, n_heads):
    q = reference.split_heads(x @ w_q, n_heads)
    k = reference.split_heads(context @ w_k, n_heads)
    v = reference.split_heads(context @ w_v, n_heads)
    written = v @ w_o.reshape(n_heads, -1, w_o.shape[1])
    weights = reference.softmax(q @ k.swapaxes(2, 3) / float(np.sqrt(q.shape[3])))
    return (weights @ written).sum(axis=1)


def _heads_in_the_batch(x, context, w_q, w_k, w_v, w_o, n_heads):
    def fold(tokens, w):
        heads = np.array(np.split(tokens @ w, n_heads, axis=-1))
        return heads.reshape(-1, *heads.shape[2:])

    q, k, v = fold(x, w_q), fold(context, w_k), fold(context, w_v)
    q *= q.shape[-1] ** -0.5
    scores = np.stack([q[i] @ k[i].T for i in range(len(q))])
    folded = reference.softmax(scores) @ v
    return np.concatenate(np.split(folded, n_heads), axis=-1) @ w_o


def _float64_inside(x, context, w_q, w_k, w_v, w_o, n_heads):
    wide = [a.astype(np.float64) for a in (x, context, w_q, w_k, w_v, w_o)]
    q = reference.split_heads(wide[0] @ wide[2], n_heads)
    k = reference.split_heads(wide[1] @ wide[3], n_heads)
    v = reference.split_heads(wide[1] @ wide[4], n_heads)
    weights = np.exp(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3]))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (reference.combine_heads(weights @ v) @ wide[5]).astype(x.dtype)


EXERCISE = Exercise(
    name="multi-head-attention",
    title="The whole layer",
    chapter="02-heads",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, q_len, d_model): the tokens that ask"),
        Parameter(
            "context",
            "float array (batch, k_len, any width): the tokens that are asked, for keys and values; x itself in "
            "self-attention",
        ),
        Parameter("w_q", "float array (d_model, n_heads * head_dim)"),
        Parameter("w_k", "float array (context's width, n_heads * head_dim)"),
        Parameter("w_v", "float array (context's width, n_heads * v_head_dim)"),
        Parameter("w_o", "float array (n_heads * v_head_dim, d_model)"),
        Parameter("n_heads", "whole number"),
    ),
    returns=(Output("result", ("batch", "q_len", "d_model")),),
    reference=_reference,
    given=("split_heads", "combine_heads", "softmax"),
    tolerance=ATTENTION,
    aspects=(
        Aspect("self", 2, "self-attention, whatever d_model", _self),
        Aspect("cross", 1, "cross-attention, with more keys than queries and with fewer", _cross),
        Aspect("widths", 1, "v_head_dim and the width of context chosen freely too", _widths),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "head by head": _head_by_head,
        "einsum": _einsum,
        "W_O before the weights": _output_before_the_weights,
        "heads in the batch": _heads_in_the_batch,
        "float64 inside": _float64_inside,
    },
    example=""">>> x = np.array([[[0.0, 2.0]]])
>>> context = np.array([[[0.0, 0.0], [np.log(3), 4.0]]])
>>> w_q, w_o = np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
>>> w_k, w_v = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])
>>> multi_head_attention(x, context, w_q, w_k, w_v, w_o, 2).round(6).tolist()
[[[5.0, 2.0]]]""",
    hints=(
        "Write the shapes first: q, k and v after their products, after the split, the scores, the weights, what the "
        "heads give. Every step is then a matter of fitting shapes.",
        "NumPy's @ multiplies the last two axes and leaves those in front alone, so that all heads of all sequences "
        "are one product. For the scores, which two axes of k have to change places?",
        "After softmax over the keys, each query has a weight for every key. The heads' results take a second @, of "
        "weights and values; only then are the heads laid side by side again, to meet w_o.",
        "A score is a sum over how many products? Its square root is what the scores are divided by. Take a Python "
        "float, and float32 stays float32.",
    ),
    mistakes=MISTAKES,
)
