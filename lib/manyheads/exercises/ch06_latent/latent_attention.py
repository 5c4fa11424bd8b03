"""latent-attention: keys and values of all heads made from the latents, then causal attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch06_latent import inputs
from manyheads.exercises.ch06_latent.latent_attention_mistakes import MISTAKES
from manyheads.exercises.definition import ATTENTION, Aspect, Case, Exercise, Output, Parameter


def _reference(q, latent, rotary_key, w_uk, w_uv):
    heads = q.shape[1]
    content = reference.split_heads(latent @ w_uk, heads)
    shared = np.broadcast_to(rotary_key[:, None], (*content.shape[:3], rotary_key.shape[2]))
    k = np.concatenate([content, shared], axis=-1)
    return reference.attention(q, k, reference.split_heads(latent @ w_uv, heads), causal=True)


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


# -- right answers by other techniques -----------------------------------------------------------------


def _concatenated_keys(q, latent, rotary_key, w_uk, w_uv):
    batch, heads, q_len, width = q.shape
    content = (latent @ w_uk).reshape(batch, -1, heads, width - rotary_key.shape[2]).swapaxes(1, 2)
    k = np.concatenate([content, np.stack([rotary_key] * heads, axis=1)], axis=3)
    v = (latent @ w_uv).reshape(batch, k.shape[2], heads, -1).swapaxes(1, 2)
    scores = q @ k.swapaxes(2, 3) / width**0.5
    scores[..., ~reference.causal_mask(q_len, k.shape[2])] = -np.inf
    return reference.softmax(scores) @ v


def _loop_over_heads(q, latent, rotary_key, w_uk, w_uv):
    to_keys, to_values = np.split(w_uk, q.shape[1], axis=1), np.split(w_uv, q.shape[1], axis=1)
    out = []
    for h in range(q.shape[1]):
        k = np.concatenate([latent @ to_keys[h], rotary_key], axis=2)
        scores = q[:, h] @ k.swapaxes(1, 2) * q.shape[3] ** -0.5
        mask = reference.causal_mask(*scores.shape[1:])
        out.append(reference.softmax(np.where(mask, scores, -np.inf)) @ (latent @ to_values[h]))
    return np.stack(out, axis=1)


def _einsum(q, latent, rotary_key, w_uk, w_uv):
    heads, width = q.shape[1], q.shape[3]
    rank = latent.shape[2]
    k = np.einsum("bkr,rhd->bhkd", latent, w_uk.reshape(rank, heads, -1))
    v = np.einsum("bkr,rhd->bhkd", latent, w_uv.reshape(rank, heads, -1))
    content, turned = q[..., : k.shape[3]], q[..., k.shape[3] :]
    scores = np.einsum("bhqd,bhkd->bhqk", content, k) + np.einsum("bhqd,bkd->bhqk", turned, rotary_key)
    hidden = ~reference.causal_mask(*scores.shape[2:])
    return reference.softmax(np.where(hidden, -np.inf, scores * width**-0.5)) @ v


def _absorbed(q, latent, rotary_key, w_uk, w_uv):
    heads, width = q.shape[1], q.shape[3]
    rank, head_dim = latent.shape[2], w_uk.shape[1] // heads
    to_latent = w_uk.T.reshape(heads, head_dim, rank)
    absorbed = np.concatenate([q[..., :head_dim] @ to_latent, q[..., head_dim:]], axis=3)
    entries = np.concatenate([latent, rotary_key], axis=2)
    scores = absorbed @ entries[:, None].swapaxes(2, 3) / width**0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    mixed = reference.softmax(scores) @ latent[:, None]
    return mixed @ w_uv.reshape(rank, heads, -1).swapaxes(0, 1)


def _finite_fill_then_zero(q, latent, rotary_key, w_uk, w_uv):
    heads, q_len, width = q.shape[1:]
    k = reference.split_heads(latent @ w_uk, heads)
    content, turned = np.split(q * width**-0.5, [k.shape[3]], axis=3)
    mask = reference.causal_mask(q_len, k.shape[2])
    scores = content @ k.swapaxes(2, 3) + turned @ rotary_key[:, None].swapaxes(2, 3)
    weights = reference.softmax(np.where(mask, scores, -1e30)) * mask
    return weights @ reference.split_heads(latent @ w_uv, heads)


EXERCISE = Exercise(
    name="latent-attention",
    title="Keys and values from a latent",
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
>>> latent_attention(q, latent, rotary_key, np.array([[1.0, 0.0]]), np.array([[10.0]])).round(6)
array([[[[25.]]]])
""",
    hints=(
        "Begin with the keys' content parts: one product for all heads, then split into heads. The values come in the "
        "same way.",
        "head_dim is not an argument: it is w_uk.shape[1] // heads, and where the content part of a query ends.",
        "A score is the sum of two products, or one product of longer vectors. The rotary key has no axis for the "
        "heads; rotary_key[:, None] gives it one of size 1, which meets any number of heads.",
        "Scale the sum of both parts, by the width of a whole query. The mask comes before the softmax, as minus "
        "infinity. For float32, look at the dtype after each step.",
    ),
    aspects=(
        Aspect("values", 3, "the right numbers, causal, for any number of heads", _values),
        Aspect("empty rows", 1, "more queries than keys: a query that sees no key gets 0", _empty_rows),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "concatenated keys": _concatenated_keys,
        "loop over heads": _loop_over_heads,
        "einsum": _einsum,
        "absorbed": _absorbed,
        "a finite fill, then zero": _finite_fill_then_zero,
    },
    mistakes=MISTAKES,
)
