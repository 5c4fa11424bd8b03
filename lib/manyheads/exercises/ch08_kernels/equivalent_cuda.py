"""Of the exercises of notebook cuda: mutants that do the same, with the reason."""

_NOTHING_LEFT = "One more turn, in which nothing is left to do."
_NO_QUERY = "A thread without a query stores nothing, whatever it has computed."
_MORE_TILES = "A tile more is loaded, of which no query sees anything."
_MOVED_TOGETHER = "What is added to all scores of a query changes none of its weights."

EQUIVALENT_CUDA: dict[str, dict[str, list[str]]] = {
    "cuda-head-split": {
        _NOTHING_LEFT: [
            "the query in shared memory: 12: for (int first = 0; first < head_dim; first += 32) {  =>  "
            "for (int first = 0; first <= head_dim; first += 32) {",
        ],
    },
    "cuda-head-attention": {
        _MOVED_TOGETHER: [
            "solution: 3: float sum = 0;  =>  float sum = 1;",
        ],
    },
    "cuda-tiled-attention": {
        _NO_QUERY: [
            "solution: 9: if (query >= q_len) seen = 0;  // no query, but this thread helps to load, and waits at the "
            "barriers  =>  if (query >= q_len) seen = 1;  // no query, but this thread helps to load, and waits at the "
            "barriers",
        ],
        _NOTHING_LEFT: [
            "solution: 13: for (int first = 0; first < k_len; first += BLOCK_K) {  =>  "
            "for (int first = 0; first <= k_len; first += BLOCK_K) {",
        ],
        _MORE_TILES: [
            "two passes over the tiles: 10: const int end = causal ? min(k_len, int(blockIdx.x + 1) * BLOCK_Q + k_len "
            f"- q_len) : k_len;  =>  const int end = causal ? min(k_len, int(blockIdx.x + {end}) : k_len;"
            for end in ("1) * BLOCK_Q + k_len + q_len", "2) * BLOCK_Q + k_len - q_len")
        ],
        _MOVED_TOGETHER: [
            "two passes over the tiles: 26: float score = 0;  =>  float score = 1;",
        ],
    },
}
