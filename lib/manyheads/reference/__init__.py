"""The NumPy path: every concept of the course, one a file, written to be read. The oracle for the rest."""

from manyheads.reference.alibi import alibi_bias, alibi_slopes
from manyheads.reference.attention import attention
from manyheads.reference.backward import (
    AttentionGradients,
    attention_backward,
    softmax_backward,
)
from manyheads.reference.blocked import blocked_attention
from manyheads.reference.cache import Cached, KVCache
from manyheads.reference.fused_layouts import (
    FUSED_LAYOUTS,
    merge_qkv,
    split_qkv,
)
from manyheads.reference.heads import combine_heads, split_heads
from manyheads.reference.latent import mla
from manyheads.reference.latent_cache import LatentCache
from manyheads.reference.mask_conversions import (
    bias_to_mask,
    flip_mask,
    mask_to_bias,
    top_left_causal_mask,
    window_from_neighbours,
    window_to_neighbours,
)
from manyheads.reference.masks import (
    block_sparse_mask,
    causal_mask,
    combine_masks,
    padding_mask,
    sliding_window_mask,
)
from manyheads.reference.merging import merge_attention
from manyheads.reference.multi_head import gqa, mha, mqa
from manyheads.reference.output_projection import (
    head_contributions,
    mix_heads,
)
from manyheads.reference.packing import pack_heads, unpack_heads
from manyheads.reference.pooling import pool_kv_heads
from manyheads.reference.projections import (
    fused_projection,
    per_head_projections,
)
from manyheads.reference.rms_norm import rms_norm
from manyheads.reference.rotary import (
    PAIRINGS,
    apply_rotary,
    convert_rotary_pairing,
)
from manyheads.reference.scores import STAGES, attention_scores
from manyheads.reference.softmax import softmax
from manyheads.reference.weight_conversions import (
    group_heads,
    merge_qkv_weights,
    split_qkv_weights,
    tile_heads,
    transpose_linear,
)

__all__ = [
    "FUSED_LAYOUTS",
    "PAIRINGS",
    "STAGES",
    "AttentionGradients",
    "Cached",
    "KVCache",
    "LatentCache",
    "alibi_bias",
    "alibi_slopes",
    "apply_rotary",
    "attention",
    "attention_backward",
    "attention_scores",
    "bias_to_mask",
    "block_sparse_mask",
    "blocked_attention",
    "causal_mask",
    "combine_heads",
    "combine_masks",
    "convert_rotary_pairing",
    "flip_mask",
    "fused_projection",
    "gqa",
    "group_heads",
    "head_contributions",
    "mask_to_bias",
    "merge_attention",
    "merge_qkv",
    "merge_qkv_weights",
    "mha",
    "mix_heads",
    "mla",
    "mqa",
    "pack_heads",
    "padding_mask",
    "per_head_projections",
    "pool_kv_heads",
    "rms_norm",
    "sliding_window_mask",
    "softmax",
    "softmax_backward",
    "split_heads",
    "split_qkv",
    "split_qkv_weights",
    "tile_heads",
    "top_left_causal_mask",
    "transpose_linear",
    "unpack_heads",
    "window_from_neighbours",
    "window_to_neighbours",
]
