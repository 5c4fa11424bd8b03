"""The known mistakes of grouped-attention."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch05_sharing_heads.grouped_attention_scores import SCORES
from manyheads.exercises.definition import Mistake


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


def _values_tiled(q, k, v):
    kv_heads, mask, out = k.shape[1], reference.causal_mask(q.shape[2], k.shape[2]), []
    for h in range(q.shape[1]):
        scores = q[:, h] @ k[:, h * kv_heads // q.shape[1]].swapaxes(1, 2) / q.shape[3] ** 0.5
        out.append(reference.softmax(np.where(mask, scores, -np.inf)) @ v[:, h % kv_heads])
    return np.stack(out, axis=1)


def _first_kv_head_only(q, k, v):
    scores = q @ k[:, :1].swapaxes(2, 3) / q.shape[3] ** 0.5
    scores = np.where(reference.causal_mask(q.shape[2], k.shape[2]), scores, -np.inf)
    return reference.softmax(scores) @ v[:, :1]


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


def _group_mean_query(q, k, v):
    batch, heads, q_len, d = q.shape
    mean = q.reshape(batch, k.shape[1], -1, q_len, d).mean(axis=2)
    scores = mean @ k.swapaxes(2, 3) / d**0.5
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v).repeat(heads // k.shape[1], axis=1)


def _float64_scale(q, k, v):
    batch, heads, q_len, d = q.shape
    scores = q.reshape(batch, k.shape[1], -1, q_len, d) @ k[:, :, None].swapaxes(3, 4) / np.sqrt(d)
    scores = np.where(reference.causal_mask(q_len, k.shape[2]), scores, -np.inf)
    return (reference.softmax(scores) @ v[:, :, None]).reshape(batch, heads, q_len, -1)


MISTAKES = (
    Mistake(
        "too-much-is-held",
        _repeated,
        "The numbers are right, but too much is held at once. The likely cause is that keys or values are copied for "
        "every query head of a group, by np.repeat, np.tile, a list of heads as index, or a reshape of a broadcast "
        "view. Other causes are several copies of all of k or v, a wider dtype, or products that are written out "
        "before they are added up. Let a group's queries meet their K/V head as it is.",
        "Groups without a copy",
        loses=("memory",),
    ),
    Mistake(
        "tiled",
        _tiled,
        "Your groups are tiled: head h reads K/V head h % kv_heads (a reshape with the group in front does that, or "
        "np.tile, or np.repeat along axis 0 and a reshape). The heads of a group stand together: kv_heads comes before "
        "group, and head h reads K/V head h // group.",
        "Which key/value head a query head reads",
    ),
    Mistake(
        "values-tiled",
        _values_tiled,
        "Your keys are grouped, but the values are tiled: head h reads the values of K/V head h % kv_heads. A K/V "
        "head is a key and a value for each token, and a query head reads both from the same one.",
        "Which key/value head a query head reads",
    ),
    Mistake(
        "first-kv-head-only",
        _first_kv_head_only,
        "Every query head reads K/V head 0. That is right where there is only one; here each group has its own.",
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
        "group-mean-query",
        _group_mean_query,
        "You averaged the queries of a group, so its heads all give the same. A group shares keys and values; every "
        "head keeps its own queries and its own weights.",
        "One key/value head for all",
    ),
    Mistake(
        "float64-scale",
        _float64_scale,
        "Your result is float64. For example, np.zeros makes float64 arrays, and since NumPy 2 np.sqrt of a whole "
        "number is a float64 that makes float32 arrays float64; a Python float, such as head_dim ** 0.5, does not.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
    *SCORES,
)
