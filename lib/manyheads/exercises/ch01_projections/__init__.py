"""Chapter 01, projections: the exercises in the order of the notebook."""

from manyheads.exercises.ch01_projections import (
    attention_parameters,
    fused_projection,
    pack_heads,
    per_head_projections,
    split_qkv,
)

EXERCISES = (
    per_head_projections.EXERCISE,
    fused_projection.EXERCISE,
    pack_heads.EXERCISE,
    split_qkv.EXERCISE,
    attention_parameters.EXERCISE,
)
