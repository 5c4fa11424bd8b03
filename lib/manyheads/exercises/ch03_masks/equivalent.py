"""Mutants of chapter 03's right answers that do the same, and why."""

EQUIVALENT = {
    "padded-batch": {
        "What stands in for the padding is masked, and its values get weights of 0: any finite number does.": [
            "solution: q, k, v = (np.where(real_row, x, 0) for x in (q, k, v))  =>  "
            "q, k, v = (np.where(real_row, x, 1) for x in (q, k, v))",
            "solution: q, k, v = (np.where(real_row, x, 0) for x in (q, k, v))  =>  "
            "q, k, v = (np.where(real_row, x, -1) for x in (q, k, v))",
            "exponentials of its own: q, k, v = (np.where(rows, x, 0) for x in (q, k, v))  =>  "
            "q, k, v = (np.where(rows, x, 1) for x in (q, k, v))",
            "exponentials of its own: q, k, v = (np.where(rows, x, 0) for x in (q, k, v))  =>  "
            "q, k, v = (np.where(rows, x, -1) for x in (q, k, v))",
            "only the values cleaned: return reference.softmax(scores) @ np.where(real.swapaxes(2, 3), v, 0)  =>  "
            "return reference.softmax(scores) @ np.where(real.swapaxes(2, 3), v, 1)",
            "only the values cleaned: return reference.softmax(scores) @ np.where(real.swapaxes(2, 3), v, 0)  =>  "
            "return reference.softmax(scores) @ np.where(real.swapaxes(2, 3), v, -1)",
        ],
    },
}
