"""Of the exercises of notebook indices: mutants that do the same, with the reason."""

_EITHER_ORDER = "The smaller of two numbers, and a sum, is the same in either order."
_ANY_NUMBER_OF_THEM = "Strides do not depend on how many sequences there are, nor on how many tokens."
_ROOM_TO_SPARE = "The table has more entries than are looked up."
_BEYOND = "The table ends far behind what is looked up."

EQUIVALENT_INDICES: dict[str, dict[str, list[str]]] = {
    "head-view-strides": {
        _ANY_NUMBER_OF_THEM: [
            "as NumPy has them: packed = np.empty((2, 2, heads + 2 * kv_heads, head_dim), np.int8)  =>  "
            f"packed = np.empty(({sizes}, heads + 2 * kv_heads, head_dim), np.int8)"
            for sizes in ("3, 2", "1, 2", "2, 3", "2, 1")
        ],
    },
    "launch-grid": {
        _EITHER_ORDER: [
            "solution: grid.append([b, h, h // group, first, min(block_q, q_len - first)])  =>  "
            "grid.append([b, h, h // group, first, min(q_len - first, block_q)])",
            "by repeating: one_head = [(q, min(q_len, q + block_q) - q) for q in range(0, q_len, block_q)]  =>  "
            "one_head = [(q, min(q + block_q, q_len) - q) for q in range(0, q_len, block_q)]",
        ],
    },
    "thread-loads": {
        _EITHER_ORDER: [
            "tile of offsets, padded: exist = min(tile_rows, rows - first_row)  =>  "
            "exist = min(rows - first_row, tile_rows)",
        ],
    },
    "tile-budget": {
        _BEYOND: [
            "from tables: widths = np.arange(16, 4096, 16)  =>  widths = np.arange(16, 4097, 16)",
            "from tables: widths = np.arange(16, 4096, 16)  =>  widths = np.arange(16, 4095, 16)",
        ],
        _ROOM_TO_SPARE: [
            "from tables: powers = 2 ** np.arange(4, 13)  =>  powers = 2 ** np.arange(3, 13)",
            "from tables: powers = 2 ** np.arange(4, 13)  =>  powers = 2 ** np.arange(4, 14)",
            "from tables: powers = 2 ** np.arange(4, 13)  =>  powers = 2 ** np.arange(4, 12)",
        ],
        _EITHER_ORDER: [
            "logarithms: key_and_value = sum([head_dim, v_head_dim]) * bytes_per_element  =>  "
            "key_and_value = sum([v_head_dim, head_dim]) * bytes_per_element",
        ],
    },
}
