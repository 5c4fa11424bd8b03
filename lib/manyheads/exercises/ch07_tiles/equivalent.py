"""Mutants of right answers that do the same, with the reason."""

_EITHER_ORDER = "The larger or smaller of two numbers is the same in either order."
_ANY_NUMBER = "What is taken away from minus infinity may be any finite number: the exponential is 0."
_ANY_DIVISOR = "A row without a key has a weighted sum of 0, which any number may divide."

EQUIVALENT = {
    "online-softmax-step": {
        _EITHER_ORDER: [
            "solution: new_largest = np.maximum(largest, scores.max(axis=1))  =>  "
            "new_largest = np.maximum(scores.max(axis=1), largest)",
            "all rows at once: m = np.maximum(largest, scores.max(axis=1))  =>  "
            "m = np.maximum(scores.max(axis=1), largest)",
            "two states merged: m = np.maximum(block, largest)  =>  m = np.maximum(largest, block)",
            "log of the total: m = np.maximum(largest, scores.max(axis=1))  =>  "
            "m = np.maximum(scores.max(axis=1), largest)",
            "rows that see something: m = np.append(scores, largest[:, None], axis=1)[r].max()  =>  "
            "m = np.append(largest[:, None], scores, axis=1)[r].max()",
        ],
        _ANY_NUMBER: [
            "solution: away = np.where(np.isneginf(new_largest), 0, new_largest)  =>  "
            "away = np.where(np.isneginf(new_largest), 1, new_largest)",
            "solution: away = np.where(np.isneginf(new_largest), 0, new_largest)  =>  "
            "away = np.where(np.isneginf(new_largest), -1, new_largest)",
        ],
    },
    "merge-partial-results": {
        "The two parts add up in either order.": [
            "solution: lse = np.logaddexp(lse_a, lse_b)  =>  lse = np.logaddexp(lse_b, lse_a)",
        ],
        _ANY_NUMBER: [
            "solution: whole = np.where(np.isneginf(lse), 0, lse)  =>  whole = np.where(np.isneginf(lse), 1, lse)",
            "solution: whole = np.where(np.isneginf(lse), 0, lse)  =>  whole = np.where(np.isneginf(lse), -1, lse)",
        ],
        _EITHER_ORDER: [
            "sums by the larger: total = np.maximum(powers.sum(axis=0), 1)  =>  "
            "total = np.maximum(1, powers.sum(axis=0))",
        ],
        "Where none is ahead, the two are the same.": [
            "steps towards b: larger = np.where(ahead > 0, lse_b, lse_a)  =>  "
            "larger = np.where(ahead >= 0, lse_b, lse_a)",
        ],
    },
    "needed-tiles": {
        _EITHER_ORDER: [
            "solution: last_queries = np.minimum(first_queries + block_q, q_len) - 1  =>  "
            "last_queries = np.minimum(q_len, first_queries + block_q) - 1",
        ],
    },
    "blocked-causal-attention": {
        "The largest score before the first tile is minus infinity, so what the sums were then fades to 0.": [
            "solution: largest, total, weighted = (-np.inf, 0, 0)  =>  largest, total, weighted = (-np.inf, 1, 0)",
            "solution: largest, total, weighted = (-np.inf, 0, 0)  =>  largest, total, weighted = (-np.inf, -1, 0)",
            "solution: largest, total, weighted = (-np.inf, 0, 0)  =>  largest, total, weighted = (-np.inf, 0, 1)",
            "solution: largest, total, weighted = (-np.inf, 0, 0)  =>  largest, total, weighted = (-np.inf, 0, -1)",
        ],
        _EITHER_ORDER: [
            "solution: new = np.maximum(largest, scores.max(axis=-1, keepdims=True))  =>  "
            "new = np.maximum(scores.max(axis=-1, keepdims=True), largest)",
            "from the diagonal back: largest = np.fmax(m, state[0])  =>  largest = np.fmax(state[0], m)",
            "from the diagonal back: blocks.append(state[2] / np.maximum(state[1], 1))  =>  "
            "blocks.append(state[2] / np.maximum(1, state[1]))",
        ],
        _ANY_NUMBER: [
            "solution: away = np.where(np.isneginf(new), 0, new)  =>  away = np.where(np.isneginf(new), 1, new)",
            "solution: away = np.where(np.isneginf(new), 0, new)  =>  away = np.where(np.isneginf(new), -1, new)",
        ],
        _ANY_DIVISOR: [
            "solution: out[:, :, queries] = weighted / np.where(total == 0, 1, total)  =>  "
            "out[:, :, queries] = weighted / np.where(total == 0, 2, total)",
        ],
    },
    "attention-backward": {
        "A query that sees no key adds an empty sum.": [
            "query by query: if seen <= 0:  =>  if seen < 0:",
            "query by query: if seen <= 0:  =>  if seen <= -1:",
        ],
    },
}
