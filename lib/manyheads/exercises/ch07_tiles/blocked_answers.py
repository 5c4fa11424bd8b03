"""Right answers to blocked-causal-attention, by other techniques."""

# The result is made when the first tile tells its sizes, as students write it.
# pyright: reportOptionalSubscript=false

import numpy as np

from manyheads import reference


def _divided_at_every_tile(tile, q_len, k_len, block_q, block_k):
    out = lse = None
    for j in range(0, k_len, block_k):
        for i in range(0, q_len, block_q):
            mask = reference.causal_mask(q_len, k_len)[i : i + block_q, j : j + block_k]
            if mask.any():
                q, k, v = tile(i // block_q, j // block_k)
                if out is None:
                    out = np.zeros((*q.shape[:2], q_len, v.shape[3]))
                    lse = np.full((*q.shape[:2], q_len, 1), -np.inf)
                rows = np.arange(i, i + q.shape[2])
                scores = np.where(mask, q @ k.swapaxes(2, 3) / k.shape[3] ** 0.5, -np.inf)
                both = np.append(lse[:, :, rows], scores, axis=3)
                new = np.logaddexp.reduce(both, axis=3, keepdims=True)
                shares = np.exp(both - np.nan_to_num(new))
                out[:, :, rows] = out[:, :, rows] * shares[..., :1] + shares[..., 1:] @ v
                lse[:, :, rows] = new
    return out


def _a_row_of_tiles_together(tile, q_len, k_len, block_q, block_k):
    rows = []
    for i in range(0, q_len, block_q):
        mask = reference.causal_mask(q_len, k_len)[i : i + block_q]
        needed = [j // block_k for j in range(0, k_len, block_k) if mask[:, j].any()]
        if needed:
            tiles = [tile(i // block_q, j) for j in needed]
            scores = np.concatenate([q @ k.swapaxes(2, 3) * k.shape[3] ** -0.5 for q, k, _ in tiles], axis=3)
            scores[..., ~mask[:, : scores.shape[3]]] = -np.inf
            rows.append(reference.softmax(scores) @ np.concatenate([v for _, _, v in tiles], axis=2))
    found = np.concatenate(rows, axis=2)
    out = np.zeros((*found.shape[:2], q_len, found.shape[3]))
    out[:, :, q_len - found.shape[2] :] = found
    return out


def _put_together_first(tile, q_len, k_len, block_q, block_k):
    queries, keys, values = {}, {}, {}
    for query in range(q_len):
        for key in range(k_len):
            i, j = query // block_q, key // block_k
            if q_len - query <= k_len - key and not (i in queries and j in queries[i]):
                q, keys[j], values[j] = tile(i, j)
                queries.setdefault(i, {})[j] = q
    k, v = (np.concatenate([blocks[j] for j in sorted(blocks)], axis=2) for blocks in (keys, values))
    out = np.zeros((*v.shape[:2], q_len, v.shape[3]))
    for query in range(q_len):
        if q_len - query <= k_len:
            seen = k_len - q_len + query + 1
            q = queries[query // block_q][0][:, :, [query % block_q]]
            weights = reference.softmax((q * k[:, :, :seen]).sum(axis=3) * k.shape[3] ** -0.5)
            out[:, :, query] = (weights[..., None] * v[:, :, :seen]).sum(axis=2)
    return out


def _from_the_diagonal_back(tile, q_len, k_len, block_q, block_k):
    blocks = []
    for i in range((q_len + block_q - 1) // block_q):
        rows = np.arange(q_len)[i * block_q : (i + 1) * block_q]
        seen = rows.max() + 1 + k_len - q_len  # keys that the last query of the block sees
        state = None
        for j in reversed(range((seen + block_k - 1) // block_k)):
            q, k, v = tile(i, j)
            scores = np.einsum("bhid,bhjd->bhij", q, k) / k.shape[3] ** 0.5
            keys = np.arange(k_len)[j * block_k : (j + 1) * block_k]
            scores[..., np.subtract.outer(rows - q_len, keys - k_len) < 0] = -np.inf
            m = scores.max(axis=3, keepdims=True)
            powers = np.exp(scores - np.nan_to_num(m))
            part = m, powers.sum(axis=3, keepdims=True), powers @ v
            if state is not None:
                largest = np.fmax(m, state[0])
                old, new = np.exp(state[0] - np.nan_to_num(largest)), np.exp(m - np.nan_to_num(largest))
                part = largest, state[1] * old + part[1] * new, state[2] * old + part[2] * new
            state = part
        if state is not None:
            blocks.append(state[2] / np.maximum(state[1], 1))
    found = np.concatenate(blocks, axis=2)
    return np.pad(found, ((0, 0), (0, 0), (q_len - found.shape[2], 0), (0, 0)))


ALTERNATIVES = {
    "divided at every tile": _divided_at_every_tile,
    "a row of tiles together": _a_row_of_tiles_together,
    "put together first": _put_together_first,
    "from the diagonal back": _from_the_diagonal_back,
}
