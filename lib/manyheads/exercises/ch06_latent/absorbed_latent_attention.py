"""absorbed-latent-attention: the same numbers, and no keys or values of single heads are made."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent import inputs
from manyheads.exercises.ch06_latent.absorbed_latent_attention_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, latent, rotary_key, w_uk, w_uv):
    """With keys and values, one head at a time: quicker than all at once for the large arrays below."""
    heads, out = q.shape[1], []
    mask = reference.causal_mask(q.shape[2], latent.shape[1])
    for h, (to_key, to_value) in enumerate(zip(np.split(w_uk, heads, 1), np.split(w_uv, heads, 1), strict=True)):
        k = np.concatenate([latent @ to_key, rotary_key], axis=-1)
        scores = np.where(mask, q[:, h] @ k.swapaxes(1, 2) / q.shape[3] ** 0.5, -np.inf)
        out.append(reference.softmax(scores) @ (latent @ to_value))
    return np.stack(out, axis=1)


def _values(rng):
    return [
        Case("new queries behind older keys", inputs.latent_attention(rng)),
        Case("one query, as in decoding", inputs.latent_attention(rng, q_len=(1, 1))),
        Case("one sequence", inputs.latent_attention(rng, batch=(1, 1))),
        Case("a single head", inputs.latent_attention(rng, heads=(1, 1))),
    ]


def _empty_rows(rng):
    more = inputs.latent_attention(rng, q_len=(6, 9), k_len=(3, 5))
    return [Case("more queries than keys, so that the first see none", more)]


def _float32(rng):
    return [Case("float32 throughout", inputs.latent_attention(rng, "float32"))]


def _memory(rng):
    # A few new tokens against a longer cache. In parts of the limit: absorbed a tenth to six tenths, with copies of
    # everything 0.8; keys and values of one head at a time 0.6; latents copied for every head 1.5; keys of one
    # sequence 1.4, of both 2.9, keys and values 5.
    s = {"batch": 2, "heads": 16, "q_len": 3, "head_dim": 80, "v_head_dim": 60, "rope": 8, "latent_rank": 32}
    given = inputs.of_sizes(rng, {**s, "k_len": int(rng.integers(390, 420))})
    expanded = given["latent"][..., 0].size * s["heads"] * (s["head_dim"] + s["v_head_dim"]) * 8
    return [
        # The numbers of small arrays tell nearly all mistakes apart, so that few of them are run on the large ones.
        Case("small arrays, for their numbers", inputs.latent_attention(rng), probe=True),
        Case("16 heads and a longer cache", given, most_bytes=expanded // 5),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _einsum(q, latent, rotary_key, w_uk, w_uv):
    heads, width, rank = q.shape[1], q.shape[3], latent.shape[2]
    up_k, up_v = w_uk.reshape(rank, heads, -1), w_uv.reshape(rank, heads, -1)
    content, turned = q[..., : up_k.shape[2]], q[..., up_k.shape[2] :]
    absorbed = np.einsum("bhqd,rhd->bhqr", content, up_k)
    scores = np.einsum("bhqr,bkr->bhqk", absorbed, latent) + np.einsum("bhqd,bkd->bhqk", turned, rotary_key)
    mask = reference.causal_mask(*scores.shape[2:])
    weights = reference.softmax(np.where(mask, scores / width**0.5, -np.inf))
    return np.einsum("bhqr,rhd->bhqd", np.einsum("bhqk,bkr->bhqr", weights, latent), up_v)


def _loop_over_heads(q, latent, rotary_key, w_uk, w_uv):
    heads = q.shape[1]
    to_keys, to_values = np.split(w_uk, heads, axis=1), np.split(w_uv, heads, axis=1)
    out = []
    for h in range(heads):
        content, turned = np.split(q[:, h] * q.shape[3] ** -0.5, [to_keys[h].shape[1]], axis=2)
        scores = content @ to_keys[h].T @ latent.swapaxes(1, 2) + turned @ rotary_key.swapaxes(1, 2)
        scores[:, ~reference.causal_mask(*scores.shape[1:])] = -np.inf
        out.append(reference.softmax(scores) @ latent @ to_values[h])
    return np.stack(out, axis=1)


def _sequence_by_sequence(q, latent, rotary_key, w_uk, w_uv):
    heads, width, rank = q.shape[1], q.shape[3], latent.shape[2]
    to_latent = w_uk.T.reshape(heads, -1, rank)
    to_value = w_uv.reshape(rank, heads, -1).transpose(1, 0, 2)
    rows = []
    for b, queries in enumerate(q):
        content, turned = np.split(queries, [to_latent.shape[1]], axis=2)
        scores = (content @ to_latent @ latent[b].T + turned @ rotary_key[b].T) / width**0.5
        mask = reference.causal_mask(*scores.shape[1:])
        rows.append(reference.softmax(np.where(mask, scores, -1e30)) * mask @ latent[b] @ to_value)
    return np.stack(rows)


def _one_long_row_of_queries(q, latent, rotary_key, w_uk, w_uv):
    batch, heads, q_len, width = q.shape
    rank, head_dim = latent.shape[2], width - rotary_key.shape[2]
    to_latent = w_uk.reshape(rank, heads, head_dim).transpose(1, 2, 0)
    wide = np.concatenate([q[..., :head_dim] @ to_latent, q[..., head_dim:]], axis=3)
    entries = np.concatenate([latent, rotary_key], axis=2)
    scores = wide.reshape(batch, heads * q_len, -1) @ entries.swapaxes(1, 2) * width**-0.5
    mask = np.tile(reference.causal_mask(q_len, entries.shape[1]), (heads, 1))
    weights = reference.softmax(np.where(mask, scores, -np.inf))
    mixed = (weights @ entries)[..., :rank].reshape(batch, heads, q_len, rank)
    return mixed @ w_uv.reshape(rank, heads, -1).swapaxes(0, 1)


EXERCISE = Exercise(
    name="absorbed-latent-attention",
    title="Without keys and values",
    chapter="06-latent",
    version=1,
    parameters=(
        Parameter(
            "q",
            "float array (batch, heads, q_len, head_dim + rope_head_dim): in each query first the content part, then "
            "the rotary part, turned already",
        ),
        Parameter("latent", "float array (batch, k_len, latent_rank), normed already"),
        Parameter("rotary_key", "float array (batch, k_len, rope_head_dim), turned already; all heads share it"),
        Parameter("w_uk", "float array (latent_rank, heads * head_dim): from a latent to the keys' content parts"),
        Parameter("w_uv", "float array (latent_rank, heads * v_head_dim): from a latent to the values"),
    ),
    returns=(Output("result", ("batch", "heads", "q_len", "v_head_dim")),),
    reference=_reference,
    given=("softmax", "causal_mask", "split_heads"),
    tolerance=ATTENTION,
    example="""
>>> q = np.array([np.log(3) / 2, 0.0, np.log(3), 0.0]).reshape(1, 1, 1, 4)
>>> latent = np.array([[[1.0], [3.0]]])
>>> rotary_key = np.array([[[0.0, 0.0], [1.0, 0.0]]])
>>> absorbed_latent_attention(q, latent, rotary_key, np.array([[1.0, 0.0]]), np.array([[10.0]])).round(6)
array([[[[25.]]]])
""",
    hints=(
        "Write a score for one head and one key as q · (c W), with c a latent. Where else can the brackets stand, so "
        "that W meets the query and not the latent?",
        "w_uk.reshape(latent_rank, heads, head_dim) has a matrix for each head. To meet queries (batch, heads, q_len, "
        "head_dim) from the right it must be (heads, head_dim, latent_rank).",
        "The query is now as long as a latent. All heads meet the same latents: latent[:, None] has the axis of size 1 "
        "that broadcasting needs.",
        "On the other side: mix the latents by the weights first, then multiply by each head's part of w_uv.",
        "The scale stays what it was: head_dim + rope_head_dim, the width of a query before it was made longer.",
    ),
    aspects=(
        Aspect("values", 3, "the numbers of latent-attention, causal, for any number of heads", _values),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gets 0", _empty_rows),
        Aspect(
            "memory",
            2,
            "a call holds at most a fifth of what keys and values of all heads would take, not counting its arguments",
            _memory,
        ),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "einsum": _einsum,
        "loop over heads": _loop_over_heads,
        "sequence by sequence": _sequence_by_sequence,
        "one long row of queries": _one_long_row_of_queries,
    },
    mistakes=MISTAKES,
)
