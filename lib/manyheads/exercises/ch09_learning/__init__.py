"""Chapter 09, what heads learn: the exercises in the order of the notebook."""

from manyheads.exercises.ch09_learning import (
    ablate_heads,
    causal_attention_maps,
    compare_head_counts,
    copying_loss,
    first_token_score,
    induction_score,
    most_needed_head,
    previous_token_score,
)

EXERCISES = (
    copying_loss.EXERCISE,
    causal_attention_maps.EXERCISE,
    previous_token_score.EXERCISE,
    first_token_score.EXERCISE,
    induction_score.EXERCISE,
    ablate_heads.EXERCISE,
    most_needed_head.EXERCISE,
    compare_head_counts.EXERCISE,
)
