"""attend-in-chunks: prefill and decode in any chunks give what one pass gives."""

from dataclasses import replace

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch04_kv_cache.attend_in_chunks_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, k, v, chunks):
    done, pieces = 0, []
    for chunk in chunks:
        end = done + int(chunk)
        pieces.append(reference.attention(q[:, :, done:end], k[:, :, :end], v[:, :, :end], causal=True))
        done = end
    return np.concatenate(pieces, axis=2)


#: What a call for the long prompt may hold, in times what the scores of its largest chunk take.
_MOST = 40


def _case(rng, about, chunks, dtype="float64", probe=False, alone=False, last_is_nan=False, **ranges):
    chunks = np.array(chunks)
    seq = int(chunks.sum())
    s = sizes.draw(
        rng, **{"batch": (2, 3), "heads": (2, 5), "seq": (seq, seq), "head_dim": (3, 8), "v_head_dim": (2, 7), **ranges}
    )
    if alone:
        s.update(batch=1, heads=1)
    inputs = {
        "q": sizes.normal(rng, s["batch"], s["heads"], seq, s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["batch"], s["heads"], seq, s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["batch"], s["heads"], seq, s["v_head_dim"], dtype=dtype),
        "chunks": chunks,
    }
    if last_is_nan:
        inputs["k"][:, :, -chunks[-1] :] = inputs["v"][:, :, -chunks[-1] :] = np.nan
    return Case(about, inputs, probe)


def _long_case(rng):
    """So long that one array of the scores of all pairs is 3.5 times what may be held."""
    chunks = [int(n) for n in rng.permutation([2, 4, 4, 4] * 40)]
    case = _case(
        rng, "a long prompt in small chunks", chunks, "float32", alone=True, head_dim=(4, 5), v_head_dim=(2, 3)
    )
    largest = max(chunks) * sum(chunks) * case.inputs["q"].itemsize
    return replace(case, most_bytes=_MOST * largest)


def _uneven(rng, about="chunks of different sizes", dtype="float64", probe=False, **more):
    # The first is not the largest, the last not the smallest: neither size, taken for all, fits.
    sizes_of_chunks = [[2, 4, 1, 3], [3, 5, 2, 4], [2, 3, 1, 5], [4, 2, 5, 1, 3]][int(rng.integers(4))]
    return _case(rng, about, sizes_of_chunks, dtype, probe, **more)


def _prefill(rng):
    return [
        _case(rng, "the whole prompt as one chunk", [int(rng.integers(9, 13))]),
        _case(rng, "the whole prompt as one chunk, float32", [int(rng.integers(9, 13))], "float32"),
        _uneven(rng, probe=True),
    ]


def _decode(rng):
    return [
        _case(rng, "one token after the other", [1] * int(rng.integers(9, 13))),
        _case(rng, "one token after the other, float32", [1] * int(rng.integers(9, 13)), "float32"),
        _uneven(rng, probe=True),
    ]


def _any_chunks(rng):
    return [
        _uneven(rng),
        _uneven(rng, "chunks of different sizes, float32", "float32"),
        _case(rng, "a prompt, then one token after the other", [int(rng.integers(5, 9)), 1, 1, 1, 1]),
        _uneven(rng, "one sequence, one head", alone=True),
    ]


def _long_prompt(rng):
    # The small one first: it tells most mistakes apart, so that the long one need not.
    return [_uneven(rng, "NaN for the keys and values of the last chunk", last_is_nan=True), _long_case(rng)]


# -- right answers by other techniques -----------------------------------------------------------------


def _growing_cache(q, k, v, chunks):
    keys, values, pieces, left = k[:, :, :0], v[:, :, :0], [], (q, k, v)
    for size in chunks:
        (q_new, k_new, v_new), left = zip(*(np.split(x, [size], axis=2) for x in left))  # noqa: B905
        keys, values = np.concatenate([keys, k_new], axis=2), np.concatenate([values, v_new], axis=2)
        mask = reference.causal_mask(q_new.shape[2], keys.shape[2])
        scores = q_new @ keys.swapaxes(2, 3) * keys.shape[3] ** -0.5
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ values)
    return np.concatenate(pieces, axis=2)


def _token_by_token(q, k, v, chunks):
    out = np.empty_like(v)
    for i in range(chunks.sum()):
        scores = np.einsum("bhd,bhkd->bhk", q[:, :, i], k[:, :, : i + 1]) * k.shape[3] ** -0.5
        weights = reference.softmax(scores)
        out[:, :, i] = np.einsum("bhk,bhkd->bhd", weights, v[:, :, : i + 1])
    return out


def _positions_compared(q, k, v, chunks):
    position = np.arange(v.shape[2])
    chunk_of = np.repeat(np.arange(len(chunks)), chunks)
    out = np.empty_like(v)
    for number in range(len(chunks)):
        mine, seen = position[chunk_of == number], position[chunk_of <= number]
        scores = np.matmul(q[:, :, mine], k[:, :, seen].swapaxes(2, 3), dtype="float64") / np.sqrt(k.shape[3])
        scores[:, :, seen > mine[:, np.newaxis]] = -np.inf
        out[:, :, mine] = reference.softmax(scores) @ v[:, :, seen]
    return np.asfortranarray(out)


def _past_and_chunk_apart(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        new = q[:, :, start:end] * k.shape[3] ** -0.5
        past = np.exp(new @ k[:, :, :start].swapaxes(2, 3))
        own = np.exp(new @ k[:, :, start:end].swapaxes(2, 3)) * np.tri(size, dtype=v.dtype)
        total = past.sum(axis=3, keepdims=True) + own.sum(axis=3, keepdims=True)
        pieces.append((past @ v[:, :, :start] + own @ v[:, :, start:end]) / total)
    return np.concatenate(pieces, axis=2)


EXERCISE = Exercise(
    name="attend-in-chunks",
    title="In any chunks, the same result",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, seq, head_dim): the queries of all tokens"),
        Parameter("k", "float array (batch, heads, seq, head_dim)"),
        Parameter("v", "float array (batch, heads, seq, v_head_dim)"),
        Parameter(
            "chunks", "integer array (number of chunks,): their sizes in tokens, each at least 1; they sum to seq"
        ),
    ),
    returns=(Output("result", ("batch", "heads", "seq", "v_head_dim")),),
    reference=_reference,
    tolerance=ATTENTION,
    given=("causal_mask", "softmax"),
    example="""\
>>> q, v = np.zeros((1, 1, 3, 1)), np.array([10.0, 20.0, 60.0]).reshape(1, 1, 3, 1)
>>> attend_in_chunks(q, q, v, np.array([1, 2])).ravel()
array([10., 15., 30.])""",
    hints=(
        "Keep count of the tokens that came in earlier chunks. A chunk's queries begin there; where do its keys begin?",
        "A chunk has fewer queries than keys, unless it is the first. Print reference.causal_mask(2, 5): which keys "
        "does each of the two newest tokens see?",
        "Each chunk is the attention of few queries over more keys: its own queries, and keys and values from the very "
        "first token on. Which is the last key that it needs? Collect the results and join them along the tokens.",
    ),
    aspects=(
        Aspect("prefill", 1, "the whole prompt as one chunk", _prefill),
        Aspect("decode", 1, "one token after the other", _decode),
        Aspect("any chunks", 1, "chunks of different sizes", _any_chunks),
        Aspect("long prompt", 1, "small chunks, in little memory and without the chunks that come later", _long_prompt),
    ),
    alternatives={
        "a cache that grows": _growing_cache,
        "token by token": _token_by_token,
        "positions compared": _positions_compared,
        "past and chunk apart": _past_and_chunk_apart,
    },
    mistakes=MISTAKES,
)
