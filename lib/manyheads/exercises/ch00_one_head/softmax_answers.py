"""Right and wrong answers to softmax; the exercise itself is in `softmax`."""

import numpy as np

# -- right answers by other techniques -----------------------------------------------------------------


def row_by_row(scores):
    out = np.zeros_like(scores)
    for b in range(scores.shape[0]):
        for i in range(scores.shape[1]):
            row = scores[b, i]
            seen = np.flatnonzero(np.isfinite(row))
            if len(seen):
                e = np.exp(row[seen] - row[seen].max())
                out[b, i, seen] = e / e.sum()
    return out


def nan_to_zero(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


def log_sum_exp(scores):
    log_total = np.logaddexp.reduce(scores, axis=-1)
    log_total[np.isneginf(log_total)] = np.inf
    return np.exp(scores - log_total[..., None])


def differences(scores):
    ratios = np.exp(scores[..., None, :] - scores[..., :, None])
    return np.nan_to_num(1 / ratios.sum(axis=-1))


def finite_fill_then_zero(scores):
    allowed = scores > -np.inf
    filled = np.where(allowed, scores, -1e9)
    e = np.exp(filled - filled.max(axis=-1)[..., None])
    return e / np.einsum("bqk->bq", e)[..., None] * allowed


def float64_inside(scores):
    rows, place = np.nonzero(np.isfinite(scores).reshape(-1, scores.shape[-1]))
    flat = scores.reshape(-1, scores.shape[-1])
    largest = flat.max(axis=-1)
    e = np.exp(flat[rows, place] - largest[rows], dtype=np.float64)
    weights = np.zeros_like(flat)
    weights[rows, place] = e / np.bincount(rows, e)[rows]
    return weights.reshape(scores.shape)


# -- known mistakes ------------------------------------------------------------------------------------


def over_the_queries(scores):
    largest = scores.max(axis=-2, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=-2, keepdims=True)
    return e / np.where(total == 0, 1, total)


def over_the_batch(scores):
    largest = scores.max(axis=0, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=0, keepdims=True)
    return e / np.where(total == 0, 1, total)


def over_everything(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


def no_maximum(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def no_maximum_guarded(scores):
    e = np.exp(scores)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def no_maximum_nan_to_zero(scores):
    with np.errstate(all="ignore"):
        e = np.exp(scores)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


def maximum_at_least_0(scores):
    e = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), 0))
    return e / e.sum(axis=-1, keepdims=True)


def maximum_at_least_0_guarded(scores):
    e = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), 0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def maximum_of_each_column(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def maximum_of_everything(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)


def maximum_of_everything_guarded(scores):
    e = np.exp(scores - scores.max())
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def clipped(scores):
    e = np.exp(np.clip(scores, -100, 100))
    return e / e.sum(axis=-1, keepdims=True)


def clipped_above(scores):
    e = np.exp(np.minimum(scores, 700))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def tiny_weights_dropped(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return np.where(weights < 1e-6, 0, weights)


def epsilon(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-9)


def larger_epsilon(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-8)


def much_larger_epsilon(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-6)


def smaller_epsilon(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-10)


def base_two(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp2(scores - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def length_one(scores):
    largest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    total = np.sqrt((e * e).sum(axis=-1, keepdims=True))
    return e / np.where(total == 0, 1, total)


def not_normalised(scores):
    largest = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - np.where(np.isneginf(largest), 0, largest))


def sign_turned(scores):
    e = np.exp(scores.max(axis=-1, keepdims=True) - scores)
    return e / e.sum(axis=-1, keepdims=True)


def nan_in_empty_rows(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def finite_fill(scores):
    filled = np.where(np.isneginf(scores), -1e9, scores)
    e = np.exp(filled - filled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def small_fill(scores):
    filled = np.where(np.isneginf(scores), -1000, scores)
    e = np.exp(filled - filled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def forbidden_keys_in_the_maximum(scores):
    e = np.exp(scores - np.where(np.isfinite(scores), scores, 0).max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def zero_for_minus_infinity(scores):
    filled = np.where(np.isneginf(scores), 0, scores)
    e = np.exp(filled - filled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def zeroed_after_the_sum(scores):
    filled = np.where(np.isneginf(scores), 0, scores)
    e = np.exp(filled - filled.max(axis=-1, keepdims=True))
    return np.where(np.isneginf(scores), 0, e / e.sum(axis=-1, keepdims=True))


def any_for_all(scores):
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
    weights[np.isneginf(scores).any(axis=-1)] = 0
    return weights


def float64_result(scores):
    wide = scores.astype(np.float64)
    largest = wide.max(axis=-1, keepdims=True)
    e = np.exp(wide - np.where(np.isneginf(largest), 0, largest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def float64_buffer(scores):
    weights = np.zeros(scores.shape)
    for row in np.ndindex(*scores.shape[:2]):
        if np.isfinite(scores[row]).any():
            e = np.exp(scores[row] - scores[row].max())
            weights[row] = e / e.sum()
    return weights
