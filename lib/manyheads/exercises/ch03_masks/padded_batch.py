"""padded-batch: a sentence gives the same alone and in a batch with longer ones."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q, k, v, lengths):
    keys = reference.padding_mask(lengths, q.shape[2])
    return reference.attention(q, k, v, mask=reference.combine_masks(keys, keys.swapaxes(2, 3)))


def _case(rng, about, empty_and_full=False, fill=None, dtype="float64", probe=False):
    s = sizes.draw(rng, batch=(3, 3), heads=(2, 4), seq=(7, 9), head_dim=(4, 10), v_head_dim=(4, 12))
    seq = s["seq"]
    shortest, longest = (0, seq) if empty_and_full else (int(rng.integers(1, 3)), seq - 1)
    # Neither the shortest nor the longest comes first, so that one length for all is told by which one it is.
    lengths = np.array([rng.integers(3, seq - 2), *rng.permutation([shortest, longest])], np.int64)
    inputs = {
        "q": sizes.normal(rng, 3, s["heads"], seq, s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, 3, s["heads"], seq, s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, 3, s["heads"], seq, s["v_head_dim"], dtype=dtype),
    }
    if fill is not None:
        for array in inputs.values():
            for b, length in enumerate(lengths):
                array[b, :, length:] = fill
    return Case(about, {**inputs, "lengths": lengths}, probe)


def _values(rng):
    return [
        _case(rng, "sentences of different lengths"),
        _case(rng, "one sentence without a token, one without padding", empty_and_full=True),
    ]


def _padding_contents(rng):
    return [
        _case(rng, "NaN in all padding", fill=np.nan),
        # What comes out as NaN in the case above tells nothing apart.
        _case(rng, "numbers in the padding", probe=True),
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
    q, k, v = map(np.nan_to_num, (q, k, v))
    e = np.exp(np.einsum("bhid,bhjd->bhij", q, k) * k.shape[3] ** -0.5)
    e *= real[:, None, None, :]
    e *= real[:, None, :, None]
    total = e.sum(axis=3, keepdims=True)
    total[total == 0] = np.inf
    return np.einsum("bhij,bhjd->bhid", e / total, v)


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


# -- known mistakes ------------------------------------------------------------------------------------


def _padding_forgotten(q, k, v, lengths):
    real = np.arange(q.shape[2]) < lengths[:, None]
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return (weights @ v) * real[:, None, :, None]


def _no_lengths(q, k, v, lengths):
    return reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5) @ v


def _padding_rows_kept(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys, q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ np.where(keys.swapaxes(2, 3), v, 0)


def _padding_zeroed(q, k, v, lengths):
    real = (np.arange(q.shape[2]) < lengths[:, None])[:, None, :, None]
    k, v = np.where(real, k, 0), np.where(real, v, 0)
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return np.where(real, weights @ v, 0)


def _not_renormalised(q, k, v, lengths):
    real = (np.arange(q.shape[2]) < lengths[:, None])[:, None, :, None]
    q, k, v = np.where(real, q, 0), np.where(real, k, 1), np.where(real, v, 0)
    weights = reference.softmax(q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5)
    return weights * real.swapaxes(2, 3) @ v * real


def _causal_too(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for b, n in enumerate(lengths):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ v[b, :, :n]
    return out


def _shortest_for_all(q, k, v, lengths):
    n = lengths.min()
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    scores = q[:, :, :n] @ k[:, :, :n].swapaxes(2, 3) / q.shape[3] ** 0.5
    out[:, :, :n] = reference.softmax(scores) @ v[:, :, :n]
    return out


def _longest_for_all(q, k, v, lengths):
    n = lengths.max()
    out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    scores = q[:, :, :n] @ k[:, :, :n].swapaxes(2, 3) / q.shape[3] ** 0.5
    out[:, :, :n] = reference.softmax(scores) @ v[:, :, :n]
    return out


def _stand_in(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys & keys.swapaxes(2, 3), q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -1e9)
    return reference.softmax(scores) @ np.where(keys.swapaxes(2, 3), v, 0)


def _nan_let_through(q, k, v, lengths):
    keys = reference.padding_mask(lengths, k.shape[2])
    scores = np.where(keys & keys.swapaxes(2, 3), q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5, -np.inf)
    return reference.softmax(scores) @ v


def _float64(q, k, v, lengths):
    out = np.zeros((*q.shape[:3], v.shape[3]))
    for b, n in enumerate(lengths):
        scores = q[b, :, :n] @ k[b, :, :n].swapaxes(1, 2) / q.shape[3] ** 0.5
        out[b, :, :n] = reference.softmax(scores) @ v[b, :, :n]
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
    returns=(Output("result", ("batch", "heads", "seq", "v_head_dim")),),
    reference=_reference,
    tolerance=ATTENTION,
    aspects=(
        Aspect("values", 2, "what each sentence gives alone, and 0 in the rows of its padding", _values),
        Aspect("padding contents", 1, "the same with NaN in the padding of q, k and v", _padding_contents),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    example=(
        ">>> q, k = np.zeros((2, 1, 2, 4)), np.ones((2, 1, 2, 4))\n"
        ">>> v = np.array([10.0, 20.0, 10.0, 90.0]).reshape(2, 1, 2, 1)\n"
        ">>> padded_batch(q, k, v, np.array([2, 1]))[:, 0, :, 0]\n"
        "array([[15., 15.],\n"
        "       [10.,  0.]])"
    ),
    hints=(
        "What would you do with one sentence of length n, all by itself? Do that first; a loop over the batch is "
        "allowed.",
        "Without a loop: a key that is padding must get no weight, and a query that is padding must see no key at all.",
        "A weight of 0 does not silence NaN: 0 times NaN is NaN. What stands in the padding of v must be replaced "
        "before the product.",
    ),
    given=("softmax", "padding_mask"),
    alternatives={
        "each sentence alone": _alone,
        "exponentials of its own": _own_exponentials,
        "all sentences of a length at once, in float64": _by_length,
        "the real tokens of all sentences in one row": _packed,
    },
    mistakes=(
        Mistake(
            "padding-forgotten",
            _padding_forgotten,
            "Your real tokens attend to the padding. Nothing crashes, and the more padding a sentence has, the worse "
            "it gets: its result depends on the longest sentence in its batch. Padding keys must get no weight.",
            "Padding",
        ),
        Mistake(
            "no-lengths",
            _no_lengths,
            "Your result does not depend on the lengths: real tokens attend to padding, and padding gets results. "
            "Keys in the padding must get no weight, and queries in the padding get 0.",
            "Padding",
        ),
        Mistake(
            "padding-rows-kept",
            _padding_rows_kept,
            "The real tokens are right. The rows of the padding queries still hold results, because these queries see "
            "the real keys; here they have to be 0.",
            "Padding",
        ),
        Mistake(
            "padding-zeroed",
            _padding_zeroed,
            "You set the padding's keys and values to 0. A score of 0 still has weight, e^0 = 1 before normalising, so "
            "each padding token takes its share. Its score has to be minus infinity.",
            "Before the softmax",
        ),
        Mistake(
            "not-renormalised",
            _not_renormalised,
            "You took the padding out after the softmax. It had its share of each row already, and what is left does "
            "not sum to 1. Mask before the softmax.",
            "Before the softmax",
        ),
        Mistake(
            "causal-too",
            _causal_too,
            "You added a causal mask. Here each real token sees every real token of its sentence, those after it as "
            "well.",
            "Padding",
        ),
        Mistake(
            "shortest-for-all",
            _shortest_for_all,
            "You cut every sentence to the shortest length, so the longer ones lose their ends. Each has a length of "
            "its own.",
            "Padding",
        ),
        Mistake(
            "longest-for-all",
            _longest_for_all,
            "You used the longest length for every sentence, so the shorter ones attend to padding. Each has a length "
            "of its own.",
            "Padding",
        ),
        Mistake(
            "stand-in",
            _stand_in,
            "A large negative number in the place of minus infinity: a padding query, which may see nothing, gets the "
            "mean of the values. It should get 0.",
            "Rows with no key",
        ),
        Mistake(
            "nan-let-through",
            _nan_let_through,
            "The weights of the padding are 0, but its values are still multiplied by them, and 0 times NaN is NaN. "
            "Padding may hold anything: replace it in v before the product.",
            "What goes wrong and does not crash",
            loses=("padding contents",),
        ),
        Mistake(
            "float64",
            _float64,
            "Your result is float64. np.zeros makes that unless told otherwise, and so does computing with a float64 "
            "number. The result must have the dtype of q.",
            "What goes wrong and does not crash",
            loses=("float32",),
        ),
    ),
)
