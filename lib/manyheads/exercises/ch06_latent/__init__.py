"""Chapter 06, latent attention: the exercises in the order of the notebook."""

from manyheads.exercises.ch06_latent import (
    absorbed_latent_attention,
    apply_rotary,
    compress_to_latent,
    latent_attention,
    latent_cache_bytes,
    latent_decode_step,
    latent_rank,
    rms_norm,
)

EXERCISES = (
    rms_norm.EXERCISE,
    apply_rotary.EXERCISE,
    compress_to_latent.EXERCISE,
    latent_attention.EXERCISE,
    absorbed_latent_attention.EXERCISE,
    latent_decode_step.EXERCISE,
    latent_cache_bytes.EXERCISE,
    latent_rank.EXERCISE,
)
