"""The known mistakes of attend-in-chunks."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


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


def _no_scale(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3)
        mask = reference.causal_mask(int(size), int(end))
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _inverted_mask(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = reference.causal_mask(int(size), int(end))
        pieces.append(reference.softmax(np.where(mask, -np.inf, scores)) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _one_token_ahead(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = np.tri(size, end, start + 1, dtype=bool)
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _softmax_over_queries(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = reference.causal_mask(int(size), int(end))
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf), axis=2) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _float64_from_sqrt(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) / np.sqrt(q.shape[3])
        mask = reference.causal_mask(int(size), int(end))
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, :, :end])
    return np.concatenate(pieces, axis=2)


def _looks_ahead(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = np.tri(size, k.shape[2], start, dtype=bool)
        pieces.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v)
    return np.concatenate(pieces, axis=2)


def _all_weights_kept(q, k, v, chunks):
    kept, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k[:, :, :end].swapaxes(2, 3) * q.shape[3] ** -0.5
        mask = reference.causal_mask(int(size), int(end))
        kept.append(reference.softmax(np.where(mask, scores, -np.inf)))
    return np.concatenate([weights @ v[:, :, : weights.shape[3]] for weights in kept], axis=2)


def _future_seen(q, k, v, chunks):
    pieces, end = [], 0
    for size in chunks:
        start, end = end, end + size
        scores = q[:, :, start:end] @ k.swapaxes(2, 3) * q.shape[3] ** -0.5
        pieces.append(reference.softmax(scores) @ v)
    return np.concatenate(pieces, axis=2)


_SECTION = "Any chunks, the same result"
_WITH_A_PAST = ("decode", "any chunks", "long prompt")

MISTAKES = (
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
        "You held more than a chunk needs, and NaN in the last chunk reaches earlier tokens: that is what happens "
        "if something is computed for all pairs of tokens, such as their scores. Go through the chunks one by one, "
        "each with the keys that exist by then, and keep its results only.",
        _SECTION,
        loses=("long prompt",),
    ),
    Mistake(
        "all-weights-kept",
        _all_weights_kept,
        "Your numbers are right, but you held too much: about an array for all pairs of tokens, be it scores, "
        "weights or a mask, at once or piled up chunk after chunk. That grows with the square of the text. Of each "
        "chunk, keep the results only.",
        _SECTION,
        loses=("long prompt",),
    ),
    Mistake(
        "looks-ahead",
        _looks_ahead,
        "NaN in the last chunk reaches earlier tokens of yours. A weight of 0 is not enough against that, as 0 "
        "times NaN is NaN: when a chunk is computed, the keys and values of later chunks do not exist yet. End "
        "keys and values where the chunk ends.",
        _SECTION,
        loses=("long prompt",),
    ),
    Mistake(
        "no-scale",
        _no_scale,
        "The scores are not divided by the square root of head_dim before the softmax.",
        _SECTION,
    ),
    Mistake(
        "inverted-mask",
        _inverted_mask,
        "Your mask is turned round: it hides what may be seen and shows what comes later. In this course True "
        "means that a query may attend to a key.",
        _SECTION,
    ),
    Mistake(
        "one-token-ahead",
        _one_token_ahead,
        "Your tokens see one token too many, the next one, where it is in their chunk. A token attends to those "
        "before it and to itself.",
        _SECTION,
        loses=("prefill", "any chunks", "long prompt"),
    ),
    Mistake(
        "softmax-over-queries",
        _softmax_over_queries,
        "You took the softmax along the queries. The weights of one query sum to 1 over its keys: the last axis of "
        "the scores.",
        _SECTION,
    ),
    Mistake(
        "float64-from-sqrt",
        _float64_from_sqrt,
        "Your result is float64 where float32 came in. np.sqrt of a whole number, for one, is a float64 and makes "
        "that of everything that it divides.",
        "What goes wrong and does not crash",
    ),
    Mistake(
        "future-seen",
        _future_seen,
        "Your chunks attend to all tokens, those of later chunks too. When a chunk arrives, the later ones do not "
        "exist yet.",
        _SECTION,
    ),
)
