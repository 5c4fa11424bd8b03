"""Chapter 05, sharing heads: the exercises in the order of the notebook."""

from manyheads.exercises.ch05_sharing_heads import (
    grouped_attention,
    multi_query_attention,
    pool_kv_weights,
    repeat_kv_heads,
    sharing_cache,
    sharing_parameters,
)

EXERCISES = (
    repeat_kv_heads.EXERCISE,
    multi_query_attention.EXERCISE,
    grouped_attention.EXERCISE,
    sharing_parameters.EXERCISE,
    sharing_cache.EXERCISE,
    pool_kv_weights.EXERCISE,
)
