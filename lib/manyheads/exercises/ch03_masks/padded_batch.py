"""padded-batch: a sentence gives the same alone and in a batch with longer ones."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch03_masks import large_scores, padded_batch_lengths, padded_batch_padding
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, k, v, lengths):
    keys = reference.padding_mask(lengths, q.shape[2])
    rows = keys.swapaxes(2, 3)
    q, k, v = (np.where(rows, x, 0) for x in (q, k, v))  # infinities would only warn
    return reference.attention(q, k, v, mask=reference.combine_masks(keys, rows))


def _case(rng, about, empty_and_full=False, fill=(), only=("q", "k", "v"), dtype="float64", probe=False):
    """`fill`: what the padding of the arrays in `only` holds, each element one of it."""
    s = sizes.draw(rng, batch=(3, 3), heads=(2, 4), seq=(7, 9), head_dim=(4, 10), v_head_dim=(4, 12))
    lengths = _lengths(rng, s["seq"], empty_and_full)
    inputs = {
        "q": sizes.normal(rng, 3, s["heads"], s["seq"], s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, 3, s["heads"], s["seq"], s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, 3, s["heads"], s["seq"], s["v_head_dim"], dtype=dtype),
    }
    if fill:
        for name in only:
            for b, length in enumerate(lengths):
                padding = inputs[name][b, :, length:]
                padding[:] = rng.choice(fill, padding.shape)
    return Case(about, {**inputs, "lengths": lengths}, probe)


def _lengths(rng, seq, empty_and_full=False):
    """Neither the shortest nor the longest comes first, so that one length for all is told by which one it is."""
    between = int(rng.integers(3, seq - 2))
    if empty_and_full:  # whoever stops at the empty sentence misses the full one
        return np.array([between, 0, seq], np.int64)
    return np.array([between, *rng.permutation([rng.integers(1, 3), seq - 1])], np.int64)


def _large(rng, about):
    s = sizes.draw(rng, batch=(3, 3), heads=(2, 4), seq=(7, 9), v_head_dim=(4, 12))
    lengths = _lengths(rng, s["seq"])
    q, k = large_scores.queries_and_keys(rng, s["heads"], s["seq"], np.arange(s["seq"]) >= lengths[:, None])
    v = sizes.normal(rng, 3, s["heads"], s["seq"], s["v_head_dim"])
    return Case(about, {"q": q, "k": k, "v": v, "lengths": lengths})


def _values(rng):
    return [
        _case(rng, "sentences of different lengths"),
        _case(rng, "one sentence without a token, one without padding", empty_and_full=True),
        _large(rng, "scores far below 0 and far above, the highest of them of padding"),
    ]


def _padding_contents(rng):
    return [
        _case(rng, "NaN in all padding", fill=[np.nan]),
        _case(rng, "infinity and minus infinity in all padding", fill=[np.inf, -np.inf]),
        _case(rng, "1e30 and -1e30 in all padding", fill=[1e30, -1e30]),
        # What comes out as NaN in the cases above tells nothing apart.
        _case(rng, "numbers in the padding", probe=True),
        _case(rng, "NaN in the padding of v alone", fill=[np.nan], only=["v"], probe=True),
    ]


def _float32(rng):
    return [_case(rng, "float32 arrays", dtype="float32")]


# -- right answers by other techniques -----------------------------------------------------------------


def _alone(q, k, v, lengths):
    out = np.zeros(v.shape, v.dtype)
    for b, n in enumerate(lengths):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / k.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(scores) @ v[b, :, :n]
    return out


def _own_exponentials(q, k, v, lengths):
    real = np.arange(v.shape[2]) < lengths[:, None]
    rows = real[:, None, :, None]
    q, k, v = (np.where(rows, x, 0) for x in (q, k, v))
    scores = np.einsum("bhid,bhjd->bhij", q, k) * k.shape[3] ** -0.5
    scores = np.where(real[:, None, None, :], scores, -1e30)
    e = np.exp(scores - scores.max(axis=3, keepdims=True)) * rows
    total = e.sum(axis=3, keepdims=True)
    total[total == 0] = np.inf
    return np.einsum("bhij,bhjd->bhid", e / total, v)


def _values_cleaned(q, k, v, lengths):
    real = reference.padding_mask(lengths, v.shape[2])
    scores = q @ k.swapaxes(2, 3) / k.shape[3] ** 0.5
    scores[~(real & real.swapaxes(2, 3)).repeat(scores.shape[1], axis=1)] = -np.inf
    return reference.softmax(scores) @ np.where(real.swapaxes(2, 3), v, 0)


def _by_length(q, k, v, lengths):
    out = np.zeros(v.shape, v.dtype)
    for n in set(lengths.tolist()):
        same = lengths == n
        q_n, k_n, v_n = (x[same][:, :, :n] for x in (q, k, v))
        scores = np.matmul(q_n, k_n.transpose(0, 1, 3, 2), dtype=np.float64) / np.sqrt(k.shape[3])
        out[same, :, :n] = reference.softmax(scores) @ v_n
    return out


def _packed(q, k, v, lengths):
    real = np.arange(v.shape[2]) < lengths[:, None]
    sentence = np.nonzero(real)[0]
    q_all, k_all, v_all = (x.swapaxes(1, 2)[real].swapaxes(0, 1) for x in (q, k, v))
    scores = q_all @ k_all.swapaxes(1, 2) / k.shape[3] ** 0.5
    scores[:, sentence[:, None] != sentence] = -np.inf
    out = np.zeros(v.shape, v.dtype)
    out.swapaxes(1, 2)[real] = (reference.softmax(scores) @ v_all).swapaxes(0, 1)
    return out


EXERCISE = Exercise(
    name="padded-batch",
    title="The same sentence, alone and in a batch",
    chapter="03-masks",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, seq, head_dim)"),
        Parameter("k", "float array (batch, heads, seq, head_dim)"),
        Parameter("v", "float array (batch, heads, seq, v_head_dim)"),
        Parameter("lengths", "integer array (batch,): real tokens of each sentence, from 0 to seq; they stand first"),
    ),
    returns=(
        Output(
            "result",
            ("batch", "heads", "seq", "v_head_dim"),
            about="an array (batch, heads, seq, v_head_dim) of the dtype of q, which k and v have too",
        ),
    ),
    reference=_reference,
    tolerance=ATTENTION,
    aspects=(
        Aspect("values", 2, "what each sentence gives alone, and 0 in the rows of its padding", _values),
        Aspect("padding contents", 1, "NaN, infinities or 1e30 in the padding of q, k and v", _padding_contents),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    example=(
        ">>> q, k = np.ones((2, 1, 2, 4)), np.ones((2, 1, 2, 4)) * np.log([[3], [1]]) / 2\n"
        ">>> v = np.array([10.0, 20.0, 10.0, 90.0]).reshape(2, 1, 2, 1)\n"
        ">>> padded_batch(q, k, v, np.array([2, 1]))[:, 0, :, 0]\n"
        "array([[12.5, 12.5],\n"
        "       [10. ,  0. ]])"
    ),
    hints=(
        "What would you do with one sentence of length n, all by itself? Do that first; a loop over the batch is "
        "allowed.",
        "Without a loop: a key that is padding must get no weight, and a query that is padding must see no key at all.",
        "A weight of 0 does not silence NaN: 0 times NaN is NaN. What stands in the padding of v must be replaced "
        "before the product, whatever it is.",
        "With float32 arrays, look at the dtype after each step. np.zeros makes float64 unless it is told a dtype.",
    ),
    given=("softmax", "padding_mask"),
    alternatives={
        "each sentence alone": _alone,
        "exponentials of its own": _own_exponentials,
        "only the values cleaned": _values_cleaned,
        "all sentences of a length at once, in float64": _by_length,
        "the real tokens of all sentences in one row": _packed,
    },
    mistakes=(
        *padded_batch_lengths.MISTAKES,
        *padded_batch_padding.MISTAKES,
    ),
)
