"""Attention layers as modules, with their parameters, caches, and the weights of other libraries' layers."""

from manyheads.torch_path.modules.grouped_query import GroupedQueryAttention
from manyheads.torch_path.modules.latent import LatentAttention
from manyheads.torch_path.modules.multi_head import MultiHeadAttention

__all__ = ["GroupedQueryAttention", "LatentAttention", "MultiHeadAttention"]
