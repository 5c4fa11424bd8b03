"""attend-in-chunks: prefill and decode in any chunks give what one pass gives."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Mistake, Output, Parameter


def _reference(q, k, v, chunks):
    done, pieces = 0, []
    for chunk in chunks:
        end = done + int(chunk)
        pieces.append(reference.attention(q[:, :, done:end], k[:, :, :end], v[:, :, :end], causal=True))
        done = end
    return np.concatenate(pieces, axis=2)


def _case(rng, about, chunks, dtype="float64", probe=False, long=False):
    chunks = np.array(chunks)
    seq = int(chunks.sum())
    s = sizes.draw(rng, batch=(2, 3), heads=(2, 3 if long else 5), seq=(seq, seq), head_dim=(3, 8), v_head_dim=(2, 7))
    inputs = {
        "q": sizes.normal(rng, s["batch"], s["heads"], seq, s["head_dim"], dtype=dtype),
        "k": sizes.normal(rng, s["batch"], s["heads"], seq, s["head_dim"], dtype=dtype),
        "v": sizes.normal(rng, s["batch"], s["heads"], seq, s["v_head_dim"], dtype=dtype),
        "chunks": chunks,
    }
    scores = s["batch"] * s["heads"] * seq**2 * inputs["q"].itemsize  # of all pairs: one array of them
    return Case(about, inputs, probe, scores // 2 if long else None)


def _uneven(rng, about="chunks of different sizes", dtype="float64", probe=False):
    # The first is not the largest, the last not the smallest: neither size, taken for all, fits.
    sizes_of_chunks = [[2, 4, 1, 3], [3, 5, 2, 4], [2, 3, 1, 5], [4, 2, 5, 1, 3]][int(rng.integers(4))]
    return _case(rng, about, sizes_of_chunks, dtype, probe)


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
    ]


def _long_prompt(rng):
    chunks = [int(n) for n in rng.permutation([6, 7, 8, 9] * 8)]
    return [_case(rng, "a long prompt in small chunks", chunks, "float32", long=True), _uneven(rng, probe=True)]


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


# -- known mistakes ------------------------------------------------------------------------------------


def _past_forgotten(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, start:end].swapaxes(2, 3) * q.shape[3] ** -0.5
        weights = reference.softmax(np.where(reference.causal_mask(int(size), int(size)), scores, -np.inf))
        pieces.append(weights @ v[:, :, start:end])
    return np.concatenate(pieces, axis=2)


def _top_left_mask(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        weights = reference.softmax(np.where(np.tri(size, end, dtype=bool), scores, -np.inf))
        pieces.append(weights @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _whole_chunk_seen(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        pieces.append(reference.softmax(scores) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _only_the_past(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :start].swapaxes(2, 3) * q.shape[3] ** -0.5
        pieces.append(reference.softmax(scores) @ v[:, :, :start])
    return np.concatenate(pieces, axis=2)


def _itself_forgotten(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        weights = reference.softmax(np.where(np.tri(size, end, start - 1, dtype=bool), scores, -np.inf))
        pieces.append(weights @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _one_chunk_back(q, k, v, chunks):
    pieces, before, start = [], 0, 0
    for size in chunks:
        end = start + size
        keys, values = k[:, :, before:end], v[:, :, before:end]
        scores = q[:, :, start:end] @ keys.swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = reference.causal_mask(int(size), int(end - before))
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ values)
        before, start = start, end
    return np.concatenate(pieces, axis=2)


def _all_at_once(q, k, v, chunks):
    scores = q @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
    mask = reference.causal_mask(q.shape[2], k.shape[2])
    return reference.softmax(np.where(mask, scores, -np.inf)) @ v


def _future_seen(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
        pieces.append(reference.softmax(scores) @ v)
    return np.concatenate(pieces, axis=2)


_SECTION = "Any chunks, the same result"
_WITH_A_PAST = ("decode", "any chunks", "long prompt")

EXERCISE = Exercise(
    name="attend-in-chunks",
    title="In any chunks, the same result",
    chapter="04-kv-cache",
    version=1,
    parameters=(
        Parameter("q", "float array (batch, heads, seq, head_dim): the queries of all tokens"),
        Parameter("k", "float array (batch, heads, seq, head_dim)"),
        Parameter("v", "float array (batch, heads, seq, v_head_dim)"),
        Parameter("chunks", "integer array (number of chunks,): the chunks' sizes in tokens; they sum to seq"),
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
        "A chunk has fewer queries than keys, unless it is the first. Print causal_mask(2, 5): which keys does each of "
        "the two newest tokens see?",
        "For each chunk: its own queries, the keys and values from the very first token to the chunk's last one, and "
        "a causal mask of that shape. Collect the results and join them along the tokens.",
    ),
    aspects=(
        Aspect("prefill", 1, "the whole prompt as one chunk", _prefill),
        Aspect("decode", 1, "one token after the other", _decode),
        Aspect("any chunks", 1, "chunks of different sizes", _any_chunks),
        Aspect("long prompt", 1, "small chunks, in less memory than the scores of all pairs take", _long_prompt),
    ),
    alternatives={
        "a cache that grows": _growing_cache,
        "token by token": _token_by_token,
        "positions compared": _positions_compared,
        "past and chunk apart": _past_and_chunk_apart,
    },
    mistakes=(
        Mistake(
            "past-forgotten",
            _past_forgotten,
            "Each of your chunks sees itself alone. Its queries attend to all tokens of the earlier chunks as well: "
            "the keys begin at the first token, not at the chunk's.",
            _SECTION,
            loses=_WITH_A_PAST,
        ),
        Mistake(
            "top-left-mask",
            _top_left_mask,
            "Your mask treats the chunk's first query as token 0. It has a past: its first query sees all earlier "
            "tokens and itself, and the chunk's last query sees every key. Align the triangle at the bottom right.",
            _SECTION,
            loses=_WITH_A_PAST,
        ),
        Mistake(
            "whole-chunk-seen",
            _whole_chunk_seen,
            "Inside a chunk your tokens see those that come after them. A chunk arrives at once, but each token in it "
            "may attend only to tokens up to itself.",
            _SECTION,
            loses=("prefill", "any chunks", "long prompt"),
        ),
        Mistake(
            "only-the-past",
            _only_the_past,
            "Your chunk attends to earlier chunks only, and not to its own tokens: its keys and values were not there "
            "yet. A chunk's keys and values go into the cache before its queries attend.",
            _SECTION,
        ),
        Mistake(
            "itself-forgotten",
            _itself_forgotten,
            "Your tokens see those before them, but not themselves. A token attends to itself too.",
            _SECTION,
        ),
        Mistake(
            "one-chunk-back",
            _one_chunk_back,
            "Your chunk sees itself and the chunk before it, and nothing that came earlier: the new chunk took the "
            "place of what was kept. Keep the keys and values of all chunks.",
            _SECTION,
            loses=_WITH_A_PAST,
        ),
        Mistake(
            "all-at-once",
            _all_at_once,
            "Your numbers are right, but you computed the scores of all pairs of tokens together. Chunks are there so "
            "that this array, which grows with the square of the text, is never held: go through them one by one.",
            _SECTION,
            loses=("long prompt",),
        ),
        Mistake(
            "future-seen",
            _future_seen,
            "Your chunks attend to all tokens, those of later chunks too. When a chunk arrives, the later ones do not "
            "exist yet.",
            _SECTION,
        ),
    ),
)
