"""Queries and keys with scores of either sign and up to hundreds of thousands, all of them exact."""

import numpy as np

#: Its root is 4, so that no score is rounded, in whatever order it is computed.
HEAD_DIM = 16


def queries_and_keys(rng, heads, q_len, forbidden, dtype="float64"):
    """q and k (batch, heads, length, 16), where the `forbidden` keys (batch, k_len) have by far the highest scores.

    The scores of a query's other keys lie near a level of its own, and each level occurs in every head: low enough to
    be under most numbers that are taken for minus infinity, too high for an exponential, or 0. All numbers are
    multiples of 1/2, and the sums fit into the 24 bits of float32.
    """
    batch, k_len = forbidden.shape
    q, k = (np.round(2 * rng.standard_normal((batch, heads, n, HEAD_DIM))) / 2 for n in (q_len, k_len))
    levels = np.resize([-200_000, 900, 0], q_len) + rng.integers(0, 50, (batch, heads, q_len))
    beyond = rng.integers(300_000, 400_000, (batch, heads, k_len))
    first, second = rng.permutation(HEAD_DIM)[:2]
    q[..., first], k[..., first] = rng.permuted(levels, axis=-1), 4
    q[..., second], k[..., second] = 4, np.where(forbidden[:, None, :], beyond, 0)
    return q.astype(dtype), k.astype(dtype)
