"""Chapter 04, the KV cache: the exercises in the order of the notebook."""

from manyheads.exercises.ch04_kv_cache import (
    append_to_cache,
    attend_in_chunks,
    decode_step,
    kv_cache_bytes,
    ring_append,
    ring_decode,
)

EXERCISES = (
    append_to_cache.EXERCISE,
    decode_step.EXERCISE,
    attend_in_chunks.EXERCISE,
    kv_cache_bytes.EXERCISE,
    ring_append.EXERCISE,
    ring_decode.EXERCISE,
)
