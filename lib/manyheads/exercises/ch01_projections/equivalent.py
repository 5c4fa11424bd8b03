"""Mutants of right answers that do the same as what they were made from, by exercise and reason."""

EQUIVALENT: dict[str, dict[str, list[str]]] = {
    "per-head-projections": {
        "x and w have the same dtype.": [
            "loops: out = np.empty((batch, n_heads, seq, head_dim), x.dtype)  =>  "
            "out = np.empty((batch, n_heads, seq, head_dim), w.dtype)",
        ],
    },
    "attention-parameters": {
        "A sum does not depend on the order of its terms.": [
            "columns of each matrix: columns = np.array([n_heads, n_kv_heads, n_kv_heads, n_heads], dtype=np.int64) * "
            "head_dim  =>  columns = np.array([n_kv_heads, n_heads, n_kv_heads, n_heads], dtype=np.int64) * head_dim",
            "columns of each matrix: columns = np.array([n_heads, n_kv_heads, n_kv_heads, n_heads], dtype=np.int64) * "
            "head_dim  =>  columns = np.array([n_heads, n_kv_heads, n_heads, n_kv_heads], dtype=np.int64) * head_dim",
        ],
    },
}
