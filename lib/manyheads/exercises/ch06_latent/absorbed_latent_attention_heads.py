"""The known mistakes of absorbed-latent-attention that take the weights of another head."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _first_head_for_all(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)[:1]
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)[:1]
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _keys_of_the_first_head(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)[:1]
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _values_of_the_first_head(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)[:1]
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _not_transposed(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(heads, d, rank)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _values_not_transposed(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(heads, rank, -1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _neither_transposed(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(heads, rank, d).swapaxes(1, 2)
    to_value = w_uv.reshape(heads, rank, -1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _keys_with_heads_in_front(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(heads, rank, d).swapaxes(1, 2)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _heads_in_the_last_place(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, d, heads).transpose(2, 1, 0)
    to_value = w_uv.reshape(rank, -1, heads).transpose(2, 0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _heads_in_the_last_place_of_keys(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, d, heads).transpose(2, 1, 0)
    to_value = w_uv.reshape(rank, heads, -1).swapaxes(0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


def _heads_in_the_last_place_of_values(q, latent, rotary_key, w_uk, w_uv):
    heads, rank, d = q.shape[1], latent.shape[2], w_uk.shape[1] // q.shape[1]
    to_latent = w_uk.reshape(rank, heads, d).transpose(1, 2, 0)
    to_value = w_uv.reshape(rank, -1, heads).transpose(2, 0, 1)
    scores = q[..., :d] @ to_latent @ latent[:, None].swapaxes(2, 3)
    scores = (scores + q[..., d:] @ rotary_key[:, None].swapaxes(2, 3)) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(*scores.shape[2:]), scores, -np.inf)
    return reference.softmax(scores) @ latent[:, None] @ to_value


_ABSORBING_WEIGHTS = "Absorbing the weights"

HEADS = (
    Mistake(
        "first-head-for-all",
        _first_head_for_all,
        "Every head uses the parts of w_uk and w_uv that belong to head 0. Each head has columns of its own in both.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "keys-of-the-first-head",
        _keys_of_the_first_head,
        "Every head's query goes through the part of w_uk that belongs to head 0. Each head has columns of its own.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "values-of-the-first-head",
        _values_of_the_first_head,
        "Every head's mixed latent goes through the part of w_uv that belongs to head 0. Each head has columns of "
        "its own.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "not-transposed",
        _not_transposed,
        "You reshaped w_uk to (heads, head_dim, latent_rank) at once, which mixes its rows. Its rows are the "
        "latent's numbers, and heads stand side by side in its columns: reshape to (latent_rank, heads, head_dim), "
        "then change the order of the axes.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "values-not-transposed",
        _values_not_transposed,
        "You reshaped w_uv to (heads, latent_rank, v_head_dim) at once, which mixes its rows. Reshape to "
        "(latent_rank, heads, v_head_dim), then bring the heads to the front.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "neither-transposed",
        _neither_transposed,
        "You reshaped w_uk and w_uv with the heads in front, which mixes their rows. The heads stand side by side in"
        " the columns: reshape to (latent_rank, heads, ...), then bring the heads to the front.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "keys-with-heads-in-front",
        _keys_with_heads_in_front,
        "You reshaped w_uk to (heads, latent_rank, head_dim) at once, which mixes its rows. The heads stand side by "
        "side in its columns: reshape to (latent_rank, heads, head_dim), then change the order of the axes.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "heads-in-the-last-place",
        _heads_in_the_last_place,
        "Your heads own every so many columns of w_uk and w_uv. A head owns neighbouring columns, so in the reshape "
        "heads comes before head_dim.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "heads-in-the-last-place-of-keys",
        _heads_in_the_last_place_of_keys,
        "Your heads own every so many columns of w_uk. A head owns neighbouring columns, so in the reshape heads "
        "comes before head_dim.",
        _ABSORBING_WEIGHTS,
    ),
    Mistake(
        "heads-in-the-last-place-of-values",
        _heads_in_the_last_place_of_values,
        "Your heads own every so many columns of w_uv. A head owns neighbouring columns, so in the reshape heads "
        "comes before v_head_dim.",
        _ABSORBING_WEIGHTS,
    ),
)
