"""Known mistakes of ablate-heads: what is taken for the mean of a head."""

from manyheads import reference
from manyheads.exercises.definition import Mistake


def _mean_over_tokens(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=2, keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_over_batch(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=0, keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _one_number(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=(0, 2, 3), keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_of_the_vector(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].mean(axis=3, keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_of_all_heads(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads.mean(axis=(0, 1, 2)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_of_the_ablated_heads(heads, w_o, ablated, how):
    kept = heads.copy()
    if len(ablated):
        kept[:, ablated] = heads[:, ablated].mean(axis=(0, 1, 2)) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_over_the_heads(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads.mean(axis=1, keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_of_the_first_sequence(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[0, ablated].mean(axis=1)[:, None] if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _sum_for_mean(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = heads[:, ablated].sum(axis=(0, 2), keepdims=True) if how == "mean" else 0
    return reference.combine_heads(kept) @ w_o


def _mean_taken_away(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] -= heads[:, ablated].mean(axis=(0, 2), keepdims=True) if how == "mean" else kept[:, ablated]
    return reference.combine_heads(kept) @ w_o


def _always_zero(heads, w_o, ablated, how):
    kept = heads.copy()
    kept[:, ablated] = 0
    return reference.combine_heads(kept) @ w_o


_AWAY = "Taking heads away"
_BY_MEAN = ("mean", "float32")

MEANS = (
    Mistake(
        "mean-over-tokens",
        _mean_over_tokens,
        "Each sequence got a mean of its own. The vector that stands in for a head is its mean over batch and tokens, "
        "the same in every sequence.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-over-batch",
        _mean_over_batch,
        "Each place in the sequence got a mean of its own. The vector that stands in for a head is its mean over "
        "batch and tokens, the same at every place.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "one-number",
        _one_number,
        "You averaged over head_dim too, so that a single number stands in for the head. Its mean is a vector of "
        "head_dim numbers: average over batch and tokens only.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-of-each-vector",
        _mean_of_the_vector,
        "You averaged the numbers of each vector, or the head's rows of w_o, which comes to the same. Average over "
        "batch and tokens, and keep the head_dim numbers apart.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-of-all-heads",
        _mean_of_all_heads,
        "You put the mean of all heads in the place of each. A head is replaced by its own mean.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-of-the-ablated-heads",
        _mean_of_the_ablated_heads,
        "All heads in the list got one vector, the mean of them together. Each is replaced by its own mean: leave the "
        "axis of the heads, and average over batch and tokens.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-over-the-heads",
        _mean_over_the_heads,
        "You averaged over the heads, for each token by itself. A head is replaced by its own mean over batch and "
        "tokens.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-of-the-first-sequence",
        _mean_of_the_first_sequence,
        "Your mean is that of the first sequence. It runs over all sequences and tokens.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "sum-for-mean",
        _sum_for_mean,
        "You put the sum over batch and tokens in the place of the head. It is the mean: divide by their number.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "mean-taken-away",
        _mean_taken_away,
        "You took the mean away from the head, which leaves everything but the mean. It is the other way round: the "
        "mean is what stays.",
        _AWAY,
        loses=_BY_MEAN,
    ),
    Mistake(
        "always-zero",
        _always_zero,
        'For "mean" the heads are 0 with you too. Look at how; and take the mean before anything is set to 0.',
        _AWAY,
        loses=_BY_MEAN,
    ),
)
