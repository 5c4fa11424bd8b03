"""Of the exercises of notebook indices: mutants that do the same, with the reason."""

EQUIVALENT_INDICES: dict[str, dict[str, list[str]]] = {}
