"""Chapter 02, heads: the exercises in the order of the notebook."""

from manyheads.exercises.ch02_heads import (
    bytes_copied,
    combine_heads,
    head_contributions,
    multi_head_attention,
    regroup_output_weight,
    split_heads,
    without_head,
)

EXERCISES = (
    split_heads.EXERCISE,
    combine_heads.EXERCISE,
    regroup_output_weight.EXERCISE,
    bytes_copied.EXERCISE,
    multi_head_attention.EXERCISE,
    head_contributions.EXERCISE,
    without_head.EXERCISE,
)
