"""Chapter 00, one head: the exercises in the order of the notebook."""

from manyheads.exercises.ch00_one_head import (
    gradient_scale,
    row_entropy,
    single_head_attention,
    softmax,
    softmax_with_temperature,
)

EXERCISES = (
    softmax.EXERCISE,
    single_head_attention.EXERCISE,
    row_entropy.EXERCISE,
    softmax_with_temperature.EXERCISE,
    gradient_scale.EXERCISE,
)
