"""Mutants of right answers that do the same, with the reason."""

EQUIVALENT = {
    "multi-query-attention": {
        "Queries, keys and values have one dtype.": [
            "float64 inside: return (weights @ v).astype(v.dtype)  =>  return (weights @ v).astype(q.dtype)"
        ],
    },
    "pool-kv-weights": {
        "The two axes in front of the group are flattened again in the order in which they were split.": [
            "solution: groups = w.reshape(d_model, n_kv_heads, group, head_dim)  =>  "
            "groups = w.reshape(n_kv_heads, d_model, group, head_dim)"
        ],
    },
}
