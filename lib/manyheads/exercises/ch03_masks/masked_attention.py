"""masked-attention: scores, mask, softmax, values; and 0 for a query that may attend to nothing."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch03_masks import large_scores, masked_attention_masks, masked_attention_scores
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, k, v, mask):
    return reference.attention(q, k, v, mask=mask)


def _inputs(rng, mask_of, dtype="float64", **ranges):
    """Arrays of pairwise different sizes; `mask_of` gets the sizes."""
    wanted = {"batch": (2, 2), "heads": (3, 3), "q_len": (4, 6), "k_len": (7, 9), "head_dim": (4, 9)}
    s = sizes.draw(rng, **{**wanted, "v_head_dim": (4, 11), **ranges})
    return {
        "q": sizes.normal(rng, s["batch"], s["heads"], s["q_len"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["batch"], s["heads"], s["k_len"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["batch"], s["heads"], s["k_len"], s["v_head_dim"], dtype=dtype),
        "mask": mask_of(rng, s),
    }


def _causal(rng, s):
    return reference.causal_mask(s["q_len"], s["k_len"])


def _padding(rng, s):
    lengths = rng.permutation(np.arange(2, s["k_len"]))[: s["batch"]]
    return reference.padding_mask(lengths, s["k_len"])


def _of_each_head(rng, s):
    """Anything, but every query may attend to something and not to everything."""
    mask = rng.random((s["batch"], s["heads"], s["q_len"], s["k_len"])) < 0.5
    mask[..., 0] |= ~mask[..., 1:].any(-1)
    mask[..., 0] &= ~mask[..., 1:].all(-1)
    return mask


def _one_is_empty(rng, s):
    lengths = rng.permutation([0, *rng.integers(2, s["k_len"], s["batch"] - 1)])
    return reference.padding_mask(lengths, s["k_len"])


def _large(rng, about, dtype="float64"):
    """Scores that leave no room for a number in the place of minus infinity, or for exponentials as they are."""
    s = sizes.draw(rng, batch=(2, 2), heads=(3, 3), q_len=(4, 6), k_len=(7, 9), v_head_dim=(4, 11))
    mask = _padding(rng, s)
    q, k = large_scores.queries_and_keys(rng, s["heads"], s["q_len"], ~mask[:, 0, 0], dtype)
    v = sizes.normal(rng, s["batch"], s["heads"], s["k_len"], s["v_head_dim"], dtype=dtype)
    return Case(about, {"q": q, "k": k, "v": v, "mask": mask})


def _values(rng):
    return [
        Case("a mask (q_len, k_len), fewer queries than keys", _inputs(rng, _causal)),
        Case(
            "a mask (batch, 1, 1, k_len), more queries than keys", _inputs(rng, _padding, q_len=(9, 11), k_len=(5, 8))
        ),
        Case("a mask (batch, heads, q_len, k_len)", _inputs(rng, _of_each_head)),
        _large(rng, "scores far below 0 and far above, the highest of them forbidden"),
    ]


def _empty_rows(rng):
    return [
        Case("a causal mask with more queries than keys", _inputs(rng, _causal, q_len=(7, 9), k_len=(4, 6))),
        Case("a sequence without a real token", _inputs(rng, _one_is_empty)),
    ]


def _float32(rng):
    return [
        Case("float32 arrays, a mask (batch, heads, q_len, k_len)", _inputs(rng, _of_each_head, "float32")),
        _large(rng, "float32 arrays, scores far below 0 and far above, the highest of them forbidden", "float32"),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _query_by_query(q, k, v, mask):
    batch, heads, q_len, head_dim = q.shape
    _, _, k_len, v_head_dim = v.shape
    every = np.broadcast_to(mask, (batch, heads, q_len, k_len))
    out = np.zeros((batch, heads, q_len, v_head_dim), v.dtype)
    for b, h, i in np.ndindex(batch, heads, q_len):
        seen = every[b, h, i]
        if seen.any():
            out[b, h, i] = reference.softmax(k[b, h, seen] @ q[b, h, i] / head_dim**0.5) @ v[b, h, seen]
    return out


def _zeroed_and_renormalised(q, k, v, mask):
    scores = np.einsum("bhid,bhjd->bhij", q, k) * k.shape[-1] ** -0.5
    scores = np.where(mask, scores, -1e30)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = np.inf
    return np.einsum("bhij,bhjd->bhid", e / total, v)


def _float64_inside(q, k, v, mask):
    scores = np.matmul(q, k.swapaxes(2, 3), dtype=np.float64) / np.sqrt(k.shape[3])
    weights = reference.softmax(np.where(mask, scores, -np.inf))
    return (weights @ v).astype(v.dtype)


def _stand_in_and_rows_cleared(q, k, v, mask):
    scores = (q * k.shape[-1] ** -0.5) @ k.transpose(0, 1, 3, 2)
    weights = reference.softmax(np.where(mask, scores, -1e9))
    return (weights * mask.any(axis=-1, keepdims=True)) @ v


def _in_place(q, k, v, mask):
    scores = np.matmul(q, k.swapaxes(2, 3))
    scores /= k.shape[3] ** 0.5
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    return np.asfortranarray(reference.softmax(scores) @ v)


EXERCISE = Exercise(
    name="masked-attention",
    title="Attention under a mask",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, q_len, head_dim)"),
        Parameter("k", "float array (batch, heads, k_len, head_dim)"),
        Parameter("v", "float array (batch, heads, k_len, v_head_dim)"),
        Parameter("mask", "boolean array (q_len, k_len), (batch, 1, 1, k_len) or (batch, heads, q_len, k_len)"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "heads", "q_len", "v_head_dim"),
            about="an array (batch, heads, q_len, v_head_dim) of the dtype of q, which k and v have too",
        ),
    ),
    reference=_reference,
    tolerance=ATTENTION,
    aspects=(
        Aspect("values", 2, "masks of all three shapes; scores from -200,000 to 400,000", _values),
        Aspect("empty rows", 1, "a query that may attend to nothing gets 0", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    example=(
        ">>> q, k = np.ones((1, 1, 2, 4)), np.ones((1, 1, 3, 4)) * np.log([[3], [1], [9]]) / 2\n"
        ">>> v = np.array([[[[10.0], [20.0], [60.0]]]])\n"
        ">>> masked_attention(q, k, v, np.array([[True, True, False], [False, False, False]]))\n"
        "array([[[[12.5],\n"
        "         [ 0. ]]]])"
    ),
    hints=(
        "Write it without the mask first: scores, divided by the square root of head_dim, softmax along the keys, "
        "times v.",
        "Which score makes e to the score exactly 0? Put it where the mask is False, before the softmax.",
        "All three shapes of mask broadcast against the scores (batch, heads, q_len, k_len) as they are. np.where "
        "does it. Look at the dtype after each step, with float32 arrays.",
        "A row of nothing but minus infinity comes out of reference.softmax as zeros. With a softmax of your own, "
        "look at what infinity minus infinity gives.",
    ),
    given=("softmax",),
    alternatives={
        "query by query, only the keys it sees": _query_by_query,
        "exponentials zeroed, then normalised": _zeroed_and_renormalised,
        "float64 inside": _float64_inside,
        "a large negative number, and empty rows cleared": _stand_in_and_rows_cleared,
        "boolean indexing in place": _in_place,
    },
    mistakes=(
        *masked_attention_scores.MISTAKES,
        *masked_attention_masks.MISTAKES,
    ),
)
