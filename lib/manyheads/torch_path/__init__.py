"""The torch path: the same names and signatures as `manyheads.reference`, on tensors of any device, and modules.

What only moves numbers about (splitting, packing, laying out) is one code for both paths.
"""

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "manyheads.torch_path needs torch: pip install torch (README.md says which build is small)"
    ) from missing

from manyheads.reference import (
    FUSED_LAYOUTS,
    PAIRINGS,
    STAGES,
    AttentionGradients,
    alibi_slopes,
    combine_heads,
    convert_rotary_pairing,
    flip_mask,
    fused_projection,
    group_heads,
    head_contributions,
    merge_qkv,
    merge_qkv_weights,
    mix_heads,
    pack_heads,
    per_head_projections,
    pool_kv_heads,
    split_heads,
    split_qkv,
    split_qkv_weights,
    tile_heads,
    transpose_linear,
    unpack_heads,
    window_from_neighbours,
    window_to_neighbours,
)
from manyheads.torch_path.alibi import alibi_bias
from manyheads.torch_path.attention import BACKENDS, Choice, attention
from manyheads.torch_path.backward import (
    attention_backward,
    softmax_backward,
)
from manyheads.torch_path.blocked import blocked_attention
from manyheads.torch_path.cache import Cached, KVCache, LatentCache
from manyheads.torch_path.latent import mla
from manyheads.torch_path.mask_conversions import (
    bias_to_mask,
    mask_to_bias,
    top_left_causal_mask,
)
from manyheads.torch_path.masks import (
    block_sparse_mask,
    causal_mask,
    combine_masks,
    padding_mask,
    sliding_window_mask,
)
from manyheads.torch_path.merging import merge_attention
from manyheads.torch_path.modules import (
    GroupedQueryAttention,
    LatentAttention,
    MultiHeadAttention,
)
from manyheads.torch_path.multi_head import gqa, mha, mqa
from manyheads.torch_path.rms_norm import rms_norm
from manyheads.torch_path.rotary import apply_rotary
from manyheads.torch_path.scores import attention_scores
from manyheads.torch_path.softmax import softmax

__all__ = [
    "BACKENDS",
    "FUSED_LAYOUTS",
    "PAIRINGS",
    "STAGES",
    "AttentionGradients",
    "Cached",
    "Choice",
    "GroupedQueryAttention",
    "KVCache",
    "LatentAttention",
    "LatentCache",
    "MultiHeadAttention",
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
