"""Mutants of chapter 03's right answers that do the same, and why."""

EQUIVALENT = {
    "padded-batch": {
        "What stands in for the values of the padding is multiplied by weights of 0: any finite number does.": [
            "solution: return weights @ np.where(real_query, v, 0)  =>  return weights @ np.where(real_query, v, 1)",
            "solution: return weights @ np.where(real_query, v, 0)  =>  return weights @ np.where(real_query, v, -1)",
        ],
    },
}
