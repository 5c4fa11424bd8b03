"""Maps whose sizes are pairwise different, and what they should say, by loops of their own."""

import numpy as np

#: (batch, heads, tokens) by module; the second has other heads.
BATCH, SEQ = 3, 7
TOKENS = [
    ["the", "cat", "and", "the", "dog", "and", "me"],
    ["a", "b", "c", "d", "e", "f", "g"],
    ["1", "1", "2", "1", "2", "2", "1"],
]


def maps(causal: bool = True) -> dict[str, np.ndarray]:
    """Two modules' weights, with 4 and 2 heads."""
    return {"blocks.0": _weights(0, 4, causal), "blocks.1": _weights(1, 2, causal)}


def _weights(seed: int, heads: int, causal: bool) -> np.ndarray:
    exponentials = np.exp(2 * np.random.default_rng(seed).standard_normal((BATCH, heads, SEQ, SEQ)))
    if causal:
        exponentials = np.tril(exponentials)
    return (exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32)


def previous_token(weights: np.ndarray) -> float:
    return float(np.mean([weights[i, i - 1] for i in range(1, len(weights))]))


def first_token(weights: np.ndarray) -> float:
    return float(np.mean([weights[i, 0] for i in range(1, len(weights))]))


def induction(weights: np.ndarray, tokens: list[str]) -> float | None:
    """The weight on what followed a token the last time, over all queries whose token came before."""
    found = []
    for query, token in enumerate(tokens):
        earlier = [p for p in range(query) if tokens[p] == token]
        if earlier:
            found.append(weights[query, earlier[-1] + 1])
    return float(np.mean(found)) if found else None
