"""What attention costs: weights, cache, pairs and products, counted in Python integers, which cannot overflow.

Counts are exact and say nothing about time. What is counted is one attention layer: no MLP, no embedding.
"""

from manyheads.costs.memory import kv_cache_bytes, kv_cache_elements, score_bytes
from manyheads.costs.pairs import attended_pairs, used_fraction
from manyheads.costs.products import multiply_accumulates
from manyheads.costs.weights import parameters, parameters_by_part

__all__ = [
    "attended_pairs",
    "kv_cache_bytes",
    "kv_cache_elements",
    "multiply_accumulates",
    "parameters",
    "parameters_by_part",
    "score_bytes",
    "used_fraction",
]
