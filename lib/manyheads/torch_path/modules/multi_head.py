"""Multi-head attention as a module, and the weights of torch's own."""

import torch
from torch import nn

from manyheads.config import AttentionConfig
from manyheads.reference.weight_conversions import (
    split_qkv_weights,
    transpose_linear,
)
from manyheads.torch_path.modules.grouped_query import GroupedQueryAttention


class MultiHeadAttention(GroupedQueryAttention):
    """Multi-head attention: every query head has a key and a value head of its own.

    Parameters
    ----------
    config : AttentionConfig
        With ``n_kv_heads = n_heads``, which is the default.
    bias, rotary, rotary_base, d_context, device, dtype
        As in `GroupedQueryAttention`.

    Raises
    ------
    ValueError
        If the config is of another variant.

    Notes
    -----
    See `mha`, and `from_torch` for the weights of an `nn.MultiheadAttention`.

    Examples
    --------
    >>> import torch
    >>> theirs = torch.nn.MultiheadAttention(12, 3, batch_first=True).eval()
    >>> ours = MultiHeadAttention.from_torch(theirs)
    >>> x = torch.ones(2, 5, 12)
    >>> torch.allclose(ours(x), theirs(x, x, x, need_weights=False)[0], atol=1e-6)
    True
    """

    _variants = ("MHA",)

    @classmethod
    @torch.no_grad()
    def from_torch(
        cls, theirs: nn.MultiheadAttention
    ) -> "MultiHeadAttention":
        """A layer with the weights of torch's; its dropout is not taken over.

        Parameters
        ----------
        theirs : nn.MultiheadAttention
            With ``kdim = vdim``; without ``add_bias_kv`` and ``add_zero_attn``, which this course does not have.

        Returns
        -------
        MultiHeadAttention
            The same dtype and device. Give it batch-first tensors; torch's boolean masks go through `flip_mask`.

        Raises
        ------
        TypeError, ValueError
            If `theirs` is something else, or has what this layer cannot express.
        """
        if not isinstance(theirs, nn.MultiheadAttention):
            raise TypeError(
                f"theirs must be an nn.MultiheadAttention, got {type(theirs).__name__}"
            )
        if theirs.bias_k is not None or theirs.add_zero_attn:
            raise ValueError(
                "add_bias_kv and add_zero_attn add a key that no token has; this layer cannot express them"
            )
        if theirs.kdim != theirs.vdim:
            raise ValueError(
                f"keys and values come from one sequence here, but kdim={theirs.kdim} and vdim={theirs.vdim}"
            )
        w_o = theirs.out_proj.weight
        ours = cls(
            AttentionConfig(theirs.embed_dim, theirs.num_heads),
            bias=theirs.in_proj_bias is not None,
            d_context=theirs.kdim,
            device=w_o.device,
            dtype=w_o.dtype,
        )
        if theirs.in_proj_weight is not None:
            packed = transpose_linear(theirs.in_proj_weight)
            w_q, w_k, w_v = split_qkv_weights(packed, theirs.num_heads)
        else:
            w_q = transpose_linear(theirs.q_proj_weight)
            w_k = transpose_linear(theirs.k_proj_weight)
            w_v = transpose_linear(theirs.v_proj_weight)
        loaded = {"w_q": w_q, "w_k": w_k, "w_v": w_v}
        loaded["w_o"] = transpose_linear(w_o)
        if theirs.in_proj_bias is not None:
            b_q, b_k, b_v = theirs.in_proj_bias.chunk(3)
            loaded |= {"b_q": b_q, "b_k": b_k, "b_v": b_v}
            loaded["b_o"] = theirs.out_proj.bias
        ours._take(loaded)
        return ours
