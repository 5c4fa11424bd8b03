"""Chapter 07, tiles: the exercises in the order of the notebook."""

from manyheads.exercises.ch07_tiles import (
    attention_backward,
    blocked_causal_attention,
    central_difference,
    grouped_attention_backward,
    merge_partial_results,
    needed_tiles,
    online_softmax_step,
    softmax_backward,
)

EXERCISES = (
    online_softmax_step.EXERCISE,
    merge_partial_results.EXERCISE,
    needed_tiles.EXERCISE,
    blocked_causal_attention.EXERCISE,
    softmax_backward.EXERCISE,
    attention_backward.EXERCISE,
    grouped_attention_backward.EXERCISE,
    central_difference.EXERCISE,
)
