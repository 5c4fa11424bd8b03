"""Chapter 03, masks: the exercises in the order of the notebook."""

from manyheads.exercises.ch03_masks import (
    block_sparse_mask,
    causal_mask,
    convert_mask,
    masked_attention,
    padded_batch,
    padding_mask,
    sliding_window_mask,
    used_fraction,
)

EXERCISES = (
    causal_mask.EXERCISE,
    padding_mask.EXERCISE,
    sliding_window_mask.EXERCISE,
    block_sparse_mask.EXERCISE,
    convert_mask.EXERCISE,
    masked_attention.EXERCISE,
    padded_batch.EXERCISE,
    used_fraction.EXERCISE,
)
