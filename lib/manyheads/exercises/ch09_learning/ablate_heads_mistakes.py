"""The known mistakes of ablate-heads."""

import numpy as np

from manyheads import reference
from manyheads.exercises.ch09_learning.ablate_heads_means import MEANS
from manyheads.exercises.definition import Mistake


def _others_ablated(heads, w_o, ablated, how):
    kept = np.broadcast_to(heads.mean(axis=(0, 2), keepdims=True), heads.shape) if how == "mean" else 0 * heads
    kept = kept.copy()
    kept[:, ablated] = heads[:, ablated]
    return reference.combine_heads(kept) @ w_o


def _nothing_ablated(heads, w_o, ablated, how):
    return reference.combine_heads(heads) @ w_o


def _always_mean(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True)
    return reference.combine_heads(kept) @ w_o


def _last_one_only(heads, w_o, ablated, how):
    kept = heads
    for h in ablated:
        kept = heads.copy()
        kept[:, h] = heads[:, h].mean(axis=(0, 1)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _first_one_only(heads, w_o, ablated, how):
    kept = heads.copy()
    for h in ablated[:1]:
        kept[:, h] = heads[:, h].mean(axis=(0, 1)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _others_scaled_up(heads, w_o, ablated, how):
    kept = heads * (heads.shape[1] / max(heads.shape[1] - len(ablated), 1))
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept.astype(heads.dtype)) @ w_o


def _tokens_ablated(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, :, ablated] = heads[:, :, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _counted_from_one(heads, w_o, ablated, how):
    kept = heads.copy()
    for h in ablated - 1:
        kept[:, h] = heads[:, h].mean(axis=(0, 1)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _other_heads_rows(heads, w_o, ablated, how):
    if how == "zero":
        kept = np.delete(heads, ablated, axis=1)
        return reference.combine_heads(kept) @ w_o[: kept.shape[1] * kept.shape[3]]
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True)
    return reference.combine_heads(kept) @ w_o


def _output_columns(heads, w_o, ablated, how):
    d = heads.shape[3]
    out = reference.combine_heads(heads) @ w_o
    for h in ablated:
        own = out[:, :, h * d : (h + 1) * d]
        own[:] = own.mean(axis=(0, 1)) if how == "mean" else 0
    return out


def _strided_rows(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return kept.transpose(0, 2, 3, 1).reshape(len(heads), heads.shape[2], -1) @ w_o


def _no_transpose(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return kept.reshape(len(heads), heads.shape[2], -1) @ w_o


def _float64_copy(heads, w_o, ablated, how):
    kept = np.zeros(heads.shape)
    kept += heads
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


_AWAY = "Taking heads away"

MISTAKES = (
    *MEANS,
    Mistake(
        "others-ablated",
        _others_ablated,
        "You kept the heads in the list and took the others away. The list names those that go.",
        _AWAY,
    ),
    Mistake(
        "nothing-ablated",
        _nothing_ablated,
        "That is the layer with all heads: nothing was taken away. If you changed a copy, mix the copy and not the "
        "original.",
        _AWAY,
    ),
    Mistake(
        "always-mean",
        _always_mean,
        'You replaced the heads by their mean for "zero" too. Look at how.',
        _AWAY,
        loses=("zero", "float32"),
    ),
    Mistake(
        "last-one-only",
        _last_one_only,
        "Only the last head of the list is gone. Copy once, before the loop: a new copy in each turn brings the "
        "others back.",
        _AWAY,
    ),
    Mistake(
        "first-one-only",
        _first_one_only,
        "Only the first head of the list is gone. Take all of them away; perhaps a return stands inside the loop.",
        _AWAY,
    ),
    Mistake(
        "others-scaled-up",
        _others_scaled_up,
        "You made the other heads larger to make up for those that are gone, as dropout does. An ablation leaves "
        "the others as they are.",
        _AWAY,
        loses=("zero", "mean", "float32"),
    ),
    Mistake(
        "tokens-ablated",
        _tokens_ablated,
        "You replaced tokens and not heads: the list was used on the third axis. The axes are (batch, n_heads, seq, "
        "head_dim).",
        _AWAY,
    ),
    Mistake(
        "counted-from-1",
        _counted_from_one,
        "You took away the head before each of the list. Heads are counted from 0: use their numbers as they are.",
        _AWAY,
    ),
    Mistake(
        "rows-of-other-heads",
        _other_heads_rows,
        "The heads that are left meet rows of w_o that belong to others. If you delete a head, delete its own "
        "head_dim rows too; or set the head to 0 and keep its place.",
        _AWAY,
        loses=("zero", "float32"),
    ),
    Mistake(
        "output-columns",
        _output_columns,
        "You replaced columns of the output. W_O mixes all heads into every column, so no columns belong to a head: "
        "replace what the head gives before that.",
        _AWAY,
    ),
    Mistake(
        "strided-rows",
        _strided_rows,
        "You laid out the numbers as (head_dim, n_heads). The heads lie side by side, each with its head_dim numbers "
        "together.",
        _AWAY,
    ),
    Mistake(
        "no-transpose",
        _no_transpose,
        "Your reshape mixed tokens and heads. The axes of heads and tokens have to change places before heads are "
        "laid side by side; the given combine_heads does both.",
        _AWAY,
    ),
    Mistake(
        "float64-copy",
        _float64_copy,
        "Your result is float64. np.zeros and np.empty make that unless told otherwise; heads.copy() keeps the dtype.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
