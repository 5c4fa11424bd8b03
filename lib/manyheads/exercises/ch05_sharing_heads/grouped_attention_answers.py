"""Answers to grouped-attention: right ones by other techniques, and the known mistakes."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake

# -- right answers by other techniques -----------------------------------------------------------------


def _einsum(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    grouped = q.reshape(batch, kv_heads, -1, q_len, d) * d**-0.5
    scores = np.einsum("bkgid,bkjd->bkgij", grouped, k)
    scores[..., ~reference.causal_mask(q_len, k_len)] = -np.inf
    out = np.einsum("bkgij,bkjd->bkgid", reference.softmax(scores), v)
    return out.reshape(batch, heads, q_len, v.shape[3])


def _stacked_queries(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    stacked = q.reshape(batch, kv_heads, heads // kv_heads * q_len, d)
    scores = stacked @ k.swapaxes(2, 3) / d**0.5
    mask = np.tile(reference.causal_mask(q_len, k_len), (heads // kv_heads, 1))
    weights = reference.softmax(np.where(mask, scores, -np.inf))
    return (weights @ v).reshape(batch, heads, q_len, v.shape[3])


def _loop_over_query_heads(q, k, v):
    _, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    mask, out = reference.causal_mask(q_len, k_len), []
    for h in range(heads):
        j = h * kv_heads // heads
        scores = q[:, h] @ k[:, j].swapaxes(1, 2) * d**-0.5
        out.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, j])
    return np.stack(out, axis=1)


def _loop_over_kv_heads(q, k, v):
    _, kv_heads, k_len, d = k.shape
    parts = []
    for j, heads in enumerate(np.split(q / d**0.5, kv_heads, axis=1)):
        scores = heads @ k[:, [j]].transpose(0, 1, 3, 2)
        scores[..., ~reference.causal_mask(q.shape[2], k_len)] = -np.inf
        parts.append(reference.softmax(scores) @ v[:, [j]])
    return np.concatenate(parts, axis=1)


def _finite_fill_then_zero(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    mask = reference.causal_mask(q_len, k_len)
    scores = q.reshape(batch, kv_heads, -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    weights = reference.softmax(np.where(mask, scores, -1e30)) * mask
    return (weights @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _broadcast_views(q, k, v):
    batch, heads, q_len, _ = q.shape
    _, kv_heads, k_len, d = k.shape
    shape = (batch, kv_heads, heads // kv_heads)
    seen_k = np.broadcast_to(k[:, :, None], (*shape, k_len, d))
    seen_v = np.broadcast_to(v[:, :, None], (*shape, k_len, v.shape[3]))
    scores = np.matmul(q.reshape(*shape, q_len, d), seen_k.swapaxes(3, 4)) * d**-0.5
    scores[..., ~reference.causal_mask(q_len, k_len)] = -np.inf
    return np.matmul(reference.softmax(scores), seen_v).reshape(batch, heads, q_len, v.shape[3])


ALTERNATIVES = {
    "einsum": _einsum,
    "stacked queries": _stacked_queries,
    "loop over query heads": _loop_over_query_heads,
    "loop over K/V heads": _loop_over_kv_heads,
    "a finite fill, then zero": _finite_fill_then_zero,
    "broadcast views": _broadcast_views,
}


# -- known mistakes ------------------------------------------------------------------------------------


def _repeated(q, k, v):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat(group, axis=1), v.repeat(group, axis=1)
    scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v


def _tiled(q, k, v):
    batch, heads, q_len, d = q.shape
    grouped = q.reshape(batch, heads // k.shape[1], k.shape[1], q_len, d)
    scores = grouped @ k[:, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, None]).reshape(batch, heads, q_len, -1)


def _along_the_length(q, k, v):
    batch, heads, q_len, d = q.shape
    group, k_len = heads // k.shape[1], k.shape[2]
    k = k.repeat(group, axis=2).reshape(batch, heads, k_len, d)
    v = v.repeat(group, axis=2).reshape(batch, heads, k_len, -1)
    scores = q @ k.swapaxes(2, 3) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k_len), scores, -np.inf)
    return reference.softmax(scores) @ v


def _mask_of_the_stack(q, k, v):
    batch, heads, q_len, d = q.shape
    stacked = q.reshape(batch, k.shape[1], -1, d)
    scores = stacked @ k.swapaxes(2, 3) / d**0.5
    scores = np.where(reference.causal_mask(stacked.shape[2], k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v).reshape(batch, heads, q_len, -1)


def _mask_rows_repeated(q, k, v):
    batch, heads, q_len, d = q.shape
    stacked = q.reshape(batch, k.shape[1], -1, d)
    mask = reference.causal_mask(q_len, k.shape[2]).repeat(heads // k.shape[1], axis=0)
    scores = np.where(mask, stacked @ k.swapaxes(2, 3) / d**0.5, -np.inf)
    return (reference.softmax(scores) @ v).reshape(batch, heads, q_len, -1)


def _unstacked_in_another_order(q, k, v):
    batch, heads, q_len, d = q.shape
    group = heads // k.shape[1]
    stacked = q.reshape(batch, k.shape[1], group * q_len, d)
    mask = np.tile(reference.causal_mask(q_len, k.shape[2]), (group, 1))
    scores = np.where(mask, stacked @ k.swapaxes(2, 3) / d**0.5, -np.inf)
    out = (reference.softmax(scores) @ v).reshape(batch, k.shape[1], q_len, group, -1)
    return out.swapaxes(2, 3).reshape(batch, heads, q_len, -1)


def _top_left(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(np.tril(np.ones((q_len, k.shape[2]), bool)), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _not_causal(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _softmax_over_the_group(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores, axis=2) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _scaled_by_the_width(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / (heads * d) ** 0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _group_mean_query(q, k, v):
    batch, heads, q_len, d = q.shape
    mean = q.reshape(batch, k.shape[1], -1, q_len, d).mean(axis=2)
    scores = mean @ k.swapaxes(2, 3) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v).repeat(heads // k.shape[1], axis=1)


def _finite_fill(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -1e9)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


def _float64_scale(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / np.sqrt(d)
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


MISTAKES = (
    Mistake(
        "repeated",
        _repeated,
        "The numbers are right, but K or V was copied for every query head of its group. Then a call holds as much as "
        "multi-head attention would, and the sharing saves nothing: let the group's queries meet its K/V head as it "
        "is.",
        "Groups without a copy",
        loses=("memory",),
    ),
    Mistake(
        "tiled",
        _tiled,
        "Your groups are tiled: head h reads K/V head h % kv_heads. The heads of a group stand together, so in a "
        "reshape kv_heads comes before group, and head h reads K/V head h // group.",
        "Which key/value head a query head reads",
    ),
    Mistake(
        "along-the-length",
        _along_the_length,
        "You repeated keys and values along the length and reshaped, so a head reads a few tokens several times and "
        "others never. The heads are axis 1.",
        "Which key/value head a query head reads",
    ),
    Mistake(
        "mask-of-the-stack",
        _mask_of_the_stack,
        "You made the causal mask for all stacked queries of a group, as if they were one long sequence. They are the "
        "same q_len tokens, once for each head of the group: each head needs the mask of q_len rows.",
        "The mask of a group",
    ),
    Mistake(
        "mask-rows-repeated",
        _mask_rows_repeated,
        "Each row of the mask is repeated in place, but your stack has all queries of one head, then all of the next. "
        "The mask as a whole comes again for every head.",
        "The mask of a group",
    ),
    Mistake(
        "unstacked-in-another-order",
        _unstacked_in_another_order,
        "You stacked the queries head by head and took the result apart token by token. Undo the reshape in the order "
        "in which you made it: kv_heads, group, q_len.",
        "Groups without a copy",
    ),
    Mistake(
        "top-left",
        _top_left,
        "Your causal mask starts at the top left, as if the first query stood at the first key. With q_len and k_len "
        "different, the last query is the newest token and sees every key: align the mask at the bottom right.",
        "The mask of a group",
    ),
    Mistake(
        "not-causal",
        _not_causal,
        "No mask is applied: a query sees keys that come after it. Forbid them before the softmax.",
        "The mask of a group",
    ),
    Mistake(
        "softmax-over-the-group",
        _softmax_over_the_group,
        "Your softmax runs over the heads of a group, so they compete for each key. Weights sum to 1 over the keys, "
        "the last axis of the scores.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "scaled-by-the-width",
        _scaled_by_the_width,
        "You scaled by the width of all heads together. A score is a sum over the head_dim numbers of one query, so "
        "it is divided by the square root of head_dim.",
        "Scores, scale and softmax",
    ),
    Mistake(
        "group-mean-query",
        _group_mean_query,
        "You averaged the queries of a group, so its heads all give the same. A group shares keys and values; every "
        "head keeps its own queries and its own weights.",
        "One key/value head for all",
    ),
    Mistake(
        "finite-fill",
        _finite_fill,
        "A query that may see no key gets the mean of the values: where all scores are the same -1e9, softmax makes "
        "equal weights of them. With minus infinity the given softmax gives 0, as is wanted.",
        "The mask of a group",
        loses=("empty rows",),
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. np.sqrt of a whole number gives a float64 number of NumPy's, and float32 arrays "
        "become float64 with it. A Python float, such as head_dim ** 0.5, does not do that.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
