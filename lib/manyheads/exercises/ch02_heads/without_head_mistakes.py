"""The known mistakes of without-head."""

import numpy as np

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _nothing_removed(heads, w_o, removed):
    return reference.combine_heads(heads) @ w_o


def _always_head_0(heads, w_o, removed):
    kept = heads.copy()
    kept[:, 0] = 0
    return reference.combine_heads(kept) @ w_o


def _the_head_after(heads, w_o, removed):
    kept = heads.copy()
    kept[:, removed + 1] = 0
    return reference.combine_heads(kept) @ w_o


def _sequence_removed(heads, w_o, removed):
    kept = heads.copy()
    kept[removed] = 0
    return reference.combine_heads(kept) @ w_o


def _token_removed(heads, w_o, removed):
    kept = heads.copy()
    kept[:, :, removed] = 0
    return reference.combine_heads(kept) @ w_o


def _all_from_there_on(heads, w_o, removed):
    kept = heads.copy()
    kept[:, removed:] = 0
    return reference.combine_heads(kept) @ w_o


def _merged_without_transpose(heads, w_o, removed):
    kept = heads.copy()
    kept[:, removed] = 0
    return kept.reshape(heads.shape[0], heads.shape[2], -1) @ w_o


def _only_that_head(heads, w_o, removed):
    d = heads.shape[3]
    return heads[:, removed] @ w_o[removed * d : (removed + 1) * d]


def _rescaled(heads, w_o, removed):
    n_heads = heads.shape[1]
    kept = heads.copy()
    kept[:, removed] = 0
    out = reference.combine_heads(kept) @ w_o
    return out * (n_heads / (n_heads - 1))


def _mean_of_the_others(heads, w_o, removed):
    filled = heads.copy()
    filled[:, removed] = np.delete(heads, removed, axis=1).mean(axis=1)
    return reference.combine_heads(filled) @ w_o


def _mean_over_tokens(heads, w_o, removed):
    filled = heads.copy()
    filled[:, removed] = heads[:, removed].mean(axis=1, keepdims=True)
    return reference.combine_heads(filled) @ w_o


def _counted_from_one(heads, w_o, removed):
    kept = heads.copy()
    kept[:, removed - 1] = 0
    return reference.combine_heads(kept) @ w_o


def _others_shifted_up(heads, w_o, removed):
    others = reference.combine_heads(np.delete(heads, removed, axis=1))
    return others @ w_o[: others.shape[-1]]


def _d_before_h(heads, w_o, removed):
    w_o = w_o.copy()
    w_o[removed :: heads.shape[1]] = 0
    return reference.combine_heads(heads) @ w_o


def _columns_zeroed(heads, w_o, removed):
    d = heads.shape[3]
    out = reference.combine_heads(heads) @ w_o
    out[..., removed * d : (removed + 1) * d] = 0
    return out


def _one_row_removed(heads, w_o, removed):
    w_o = w_o.copy()
    w_o[removed] = 0
    return reference.combine_heads(heads) @ w_o


def _added_once_more(heads, w_o, removed):
    d = heads.shape[3]
    own = heads[:, removed] @ w_o[removed * d : (removed + 1) * d]
    return reference.combine_heads(heads) @ w_o + own


def _float64_buffer(heads, w_o, removed):
    out = np.zeros((heads.shape[0], heads.shape[2], w_o.shape[1]))
    for h in range(heads.shape[1]):
        if h != removed:
            out += heads[:, h] @ w_o[h * heads.shape[3] : (h + 1) * heads.shape[3]]
    return out


_AWAY = "Taking a head away"

MISTAKES = (
    Mistake(
        "nothing-removed",
        _nothing_removed,
        "This is the output of all heads: nothing is missing from it. Perhaps you changed one array and mixed "
        "another, which still holds the head.",
        _AWAY,
    ),
    Mistake(
        "always-head-0",
        _always_head_0,
        "You took away head 0, whatever removed says.",
        _AWAY,
    ),
    Mistake(
        "the-head-after",
        _the_head_after,
        "You took away the head after it, removed + 1. Heads are counted from 0, as NumPy counts.",
        _AWAY,
    ),
    Mistake(
        "sequence-removed",
        _sequence_removed,
        "You took away a sequence, number removed, with all its heads. The heads are axis 1; axis 0 counts the "
        "sequences.",
        _AWAY,
    ),
    Mistake(
        "token-removed",
        _token_removed,
        "You took away a token, number removed, in all heads. The heads are axis 1; axis 2 counts the tokens.",
        _AWAY,
    ),
    Mistake(
        "all-from-there-on",
        _all_from_there_on,
        "The heads after it are gone as well. Only one head goes; a slice without an end, or a loop that breaks "
        "off there, takes all that follow.",
        _AWAY,
    ),
    Mistake(
        "merged-without-transpose",
        _merged_without_transpose,
        "The head is gone, but you merged the others without moving the heads behind the tokens first, so that a "
        "row holds several tokens of one head.",
        "Combining: the way back",
    ),
    Mistake(
        "only-that-head",
        _only_that_head,
        "You kept only the head that was to go. Asked is the output of all the others.",
        _AWAY,
    ),
    Mistake(
        "rescaled",
        _rescaled,
        "You scaled the others up to make good for the missing head. They keep their weight: the output is a sum, "
        "and one term of it is gone.",
        _AWAY,
    ),
    Mistake(
        "mean-of-the-others",
        _mean_of_the_others,
        "You put the mean of the other heads in its place. Here the head writes nothing at all.",
        _AWAY,
    ),
    Mistake(
        "mean-over-tokens",
        _mean_over_tokens,
        "You put the head's mean over the tokens in its place. That is done too, and called mean ablation; here "
        "the head writes nothing at all.",
        _AWAY,
    ),
    Mistake(
        "counted-from-one",
        _counted_from_one,
        "You removed the head before. Heads are counted from 0, so removed = 0 is the first; removed - 1 would "
        "then be the last.",
        _AWAY,
    ),
    Mistake(
        "others-shifted-up",
        _others_shifted_up,
        "You took the head out, and the heads after it moved up and met the wrong rows of W_O. Their rows have to "
        "stay theirs; with the last head removed one does not notice.",
        _AWAY,
    ),
    Mistake(
        "d-before-h",
        _d_before_h,
        "What is missing is the product with every n_heads-th row of W_O. The rows of one head are neighbours: a "
        "block of head_dim rows.",
        "The order of heads and dims",
    ),
    Mistake(
        "columns-zeroed",
        _columns_zeroed,
        "Columns of the output are zero: you cleared columns, of the output or of W_O. Every head writes into "
        "every column, and its own are rows of W_O. Take the head away before it meets W_O, or those rows.",
        _AWAY,
    ),
    Mistake(
        "one-row-removed",
        _one_row_removed,
        "What is missing is the product with a single row of W_O, number removed. A head has head_dim rows of it, "
        "and all heads before it have theirs first.",
        _AWAY,
    ),
    Mistake(
        "added-once-more",
        _added_once_more,
        "The head now counts twice: its part was added to the whole output, where it should be taken from it.",
        _AWAY,
    ),
    Mistake(
        "float64-buffer",
        _float64_buffer,
        "Your result is float64. The likely cause is an array of your own, from np.zeros, np.empty or np.ones, "
        "which make float64 unless told otherwise. The result must have the dtype of heads.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
