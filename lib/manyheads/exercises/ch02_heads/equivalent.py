"""Mutants of right answers that do the same as what they were made from, by exercise and reason."""

EQUIVALENT: dict[str, dict[str, list[str]]] = {
    "multi-head-attention": {
        "Computing in float32 is as right as computing in float64 inside.": [
            "float64 inside: wide = [a.astype(np.float64) for a in (x, context, w_q, w_k, w_v, w_o)]  =>  "
            "wide = [a for a in (x, context, w_q, w_k, w_v, w_o)]",
        ],
        "x and context have the same dtype.": [
            "float64 inside: return (reference.combine_heads(weights @ v) @ wide[5]).astype(x.dtype)  =>  "
            "return (reference.combine_heads(weights @ v) @ wide[5]).astype(context.dtype)",
        ],
    },
    "bytes-copied": {
        "Whether a step copies depends on the number of tokens and of heads in the same way.": [
            "tried on a small array: small = [1 + (size > 1) for size in (batch, seq, n_heads, head_dim)]  =>  "
            "small = [1 + (size > 1) for size in (batch, n_heads, seq, head_dim)]",
        ],
    },
    "without-head": {
        "It changes its argument in place, of which the check tells; what it returns is the same.": [
            "solution: kept = heads.copy()  =>  kept = heads",
        ],
    },
}
