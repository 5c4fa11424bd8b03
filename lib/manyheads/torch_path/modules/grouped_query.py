"""Grouped-query attention as a module; multi-head and multi-query attention are its ends."""

import torch
from torch import Tensor

from manyheads import _require
from manyheads.config import AttentionConfig
from manyheads.reference.rotary import check_pairing
from manyheads.reference.weight_conversions import split_qkv_weights
from manyheads.torch_path.cache import KVCache
from manyheads.torch_path.modules.base import AttentionLayer
from manyheads.torch_path.multi_head import gqa


class GroupedQueryAttention(AttentionLayer):
    """Self- or cross-attention whose query heads share K/V heads in groups; MHA and MQA are its ends.

    Parameters
    ----------
    config : AttentionConfig
        Any variant but MLA. Its window holds where the call is causal.
    bias : bool
        Give the four projections a bias.
    rotary : {"interleaved", "halves"}, optional
        Rotary positions, with this pairing.
    rotary_base : float
    d_context : int, optional
        Width of the sequence that keys and values come from in cross-attention. Default d_model.
    device, dtype : optional
        Of the parameters.

    Raises
    ------
    ValueError
        If the config is of another variant.

    Notes
    -----
    The parameters are those of `gqa`: ``w_q``, ``w_k``, ``w_v``, ``w_o``, each (d_in, d_out), and ``b_q`` to ``b_o``
    or None.

    Examples
    --------
    >>> import torch
    >>> from manyheads import AttentionConfig
    >>> layer = GroupedQueryAttention(AttentionConfig(d_model=12, n_heads=6, n_kv_heads=2))
    >>> layer(torch.zeros(2, 5, 12), causal=True).shape
    torch.Size([2, 5, 12])
    """

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor
    b_q: Tensor | None
    b_k: Tensor | None
    b_v: Tensor | None
    b_o: Tensor | None
    _variants: tuple[str, ...] = ("MHA", "GQA", "MQA")

    def __init__(
        self,
        config: AttentionConfig,
        *,
        bias: bool = False,
        rotary: str | None = None,
        rotary_base: float = 10_000.0,
        d_context: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(config, self._variants)
        if rotary is not None:
            check_pairing("rotary", rotary, "head_dim", config.head_dim)
        self.rotary, self.rotary_base = rotary, rotary_base
        c, where = config, {"device": device, "dtype": dtype}
        source = c.d_model if d_context is None else d_context
        widths = {
            "q": (c.d_model, c.n_heads * c.head_dim),
            "k": (source, c.n_kv_heads * c.head_dim),
            "v": (source, c.n_kv_heads * c.v_head_dim),
            "o": (c.n_heads * c.v_head_dim, c.d_model),
        }
        for letter, (rows, columns) in widths.items():
            setattr(self, f"w_{letter}", self._new(rows, columns, **where))
            b = self._new(columns, **where) if bias else None
            self.register_parameter(f"b_{letter}", b)
        self.reset_parameters()

    def forward(self, x: Tensor, **options):
        """`gqa` with this layer's weights.

        Parameters
        ----------
        x : float tensor (batch, q_len, d_model)
        **options
            ``context``, ``cache``, ``lengths``, and everything that `attention` takes by name.

        Returns
        -------
        float tensor (batch, q_len, d_model); with ``return_weights`` a pair
        """
        options = self._windowed(options.get("cache"), options)
        return gqa(
            x,
            self.w_q,
            self.w_k,
            self.w_v,
            self.w_o,
            n_heads=self.config.n_heads,
            n_kv_heads=self.config.n_kv_heads,
            b_q=self.b_q,
            b_k=self.b_k,
            b_v=self.b_v,
            b_o=self.b_o,
            rotary=self.rotary,
            rotary_base=self.rotary_base,
            **options,
        )

    def new_cache(
        self, batch: int, capacity: int | None = None, dtype=None
    ) -> KVCache:
        """An empty cache for this layer, on its device; `dtype` is the parameters' unless given (autocast's, say)."""
        w = self.w_k
        dtype = w.dtype if dtype is None else dtype
        return KVCache.for_config(
            self.config, batch, capacity, dtype=dtype, device=w.device
        )

    @torch.no_grad()
    def load_fused(
        self,
        w_qkv: Tensor,
        w_o: Tensor,
        *,
        layout: str = "concatenated",
        b_qkv: Tensor | None = None,
        b_o: Tensor | None = None,
    ) -> "GroupedQueryAttention":
        """Take over the weights of a layer that projects queries, keys and values in one product.

        Parameters
        ----------
        w_qkv : float tensor (d_model, (n_heads + 2 * n_kv_heads) * head_dim)
            As GPT-2's Conv1D stores it; of an `nn.Linear` give ``transpose_linear(linear.weight)``.
        w_o : float tensor (n_heads * head_dim, d_model)
        layout : {"concatenated", "per_head", "per_group"}
            As in `split_qkv`.
        b_qkv, b_o : float tensors, optional
            Needed where this layer has biases.

        Returns
        -------
        the layer itself

        Raises
        ------
        TypeError, ValueError
            If a shape does not fit the layer, or biases are missing or too many; then nothing has changed.
        """
        c = self.config
        for name, given, own in (
            ("b_qkv", b_qkv, self.b_q),
            ("b_o", b_o, self.b_o),
        ):
            if given is None and own is not None:
                raise ValueError(
                    f"{name} is missing: this layer has biases"
                )
            if given is not None and own is None:
                raise ValueError(
                    f"{name} is given, but this layer has no biases; make it with bias=True"
                )
        if c.v_head_dim != c.head_dim:
            raise ValueError(
                "fused weights have heads of one width, but this layer has "
                f"head_dim={c.head_dim} and v_head_dim={c.v_head_dim}"
            )
        width = (c.n_heads + 2 * c.n_kv_heads) * c.head_dim
        self._fits("w_qkv", w_qkv, (len(self.w_q), width))
        split = (c.n_heads, c.n_kv_heads, layout)
        w_q, w_k, w_v = split_qkv_weights(w_qkv, *split)
        loaded: dict[str, Tensor] = {"w_q": w_q, "w_k": w_k, "w_v": w_v}
        loaded["w_o"] = w_o
        if b_qkv is not None:
            self._fits("b_qkv", b_qkv, (width,))
            parts = split_qkv_weights(b_qkv[None], *split)
            b_q, b_k, b_v = (part[0] for part in parts)
            loaded |= {"b_q": b_q, "b_k": b_k, "b_v": b_v}
        if b_o is not None:
            loaded["b_o"] = b_o
        return self._take(loaded)

    def _take(self, loaded: dict[str, Tensor]) -> "GroupedQueryAttention":
        own = dict(self.named_parameters())
        for name, value in loaded.items():
            self._fits(name, value, own[name].shape)
        for name, value in loaded.items():
            own[name].copy_(value)
        return self

    @staticmethod
    def _fits(name: str, value, shape) -> None:
        _require.array(name, value, _require.TORCH)
        if value.shape != tuple(shape):
            raise ValueError(
                f"{name} must be {tuple(shape)}, got shape {tuple(value.shape)}"
            )
