"""Of the exercises of notebook cuda: mutants that do the same, with the reason."""

EQUIVALENT_CUDA: dict[str, dict[str, list[str]]] = {}
