"""Of the exercises of notebook triton: mutants that do the same, with the reason."""

EQUIVALENT_TRITON: dict[str, dict[str, list[str]]] = {}
