"""Mutants that compute the same for every input that the contract allows, each with the reason."""

EQUIVALENT = {
    "single-head-attention": {
        "q, k and v have one dtype.": [
            "float64 inside: return (reference.softmax(scores) @ v).astype(v.dtype)  =>  "
            "return (reference.softmax(scores) @ v).astype(q.dtype)",
        ],
    },
}
