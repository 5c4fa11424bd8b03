"""Latent attention (MLA) as a module."""

import torch
from torch import Tensor

from manyheads.config import AttentionConfig
from manyheads.reference.rotary import check_pairing
from manyheads.torch_path.cache import LatentCache
from manyheads.torch_path.latent import mla
from manyheads.torch_path.modules.base import AttentionLayer


class LatentAttention(AttentionLayer):
    """Multi-head latent attention (MLA).

    Parameters
    ----------
    config : AttentionConfig
        With a `latent_rank`. Its window holds where the call is causal.
    rotary : {"interleaved", "halves"}
        The pairing of the rotary part, where the config has one.
    rotary_base, eps : float
    d_context : int, optional
        As in `GroupedQueryAttention`; for a config without rotary part.
    device, dtype : optional
        Of the parameters.

    Raises
    ------
    ValueError
        If the config has no latent rank.

    Notes
    -----
    The parameters are those of `mla`: ``w_q``, ``w_down``, ``norm``, ``w_up``, ``w_o``.

    Examples
    --------
    >>> import torch
    >>> from manyheads import AttentionConfig
    >>> layer = LatentAttention(AttentionConfig(12, 3, latent_rank=6, rope_head_dim=2))
    >>> layer(torch.zeros(2, 5, 12), causal=True, absorbed=True).shape
    torch.Size([2, 5, 12])
    """

    def __init__(
        self,
        config: AttentionConfig,
        *,
        rotary: str = "interleaved",
        rotary_base: float = 10_000.0,
        eps: float = 1e-6,
        d_context: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__(config, ("MLA",))
        check_pairing(
            "rotary", rotary, "rope_head_dim", config.rope_head_dim
        )
        self.rotary, self.rotary_base, self.eps = rotary, rotary_base, eps
        c, where = config, {"device": device, "dtype": dtype}
        rank: int = c.latent_rank  # type: ignore[assignment]  # the variant says so
        source = c.d_model if d_context is None else d_context
        h, rope, v_dim = c.n_heads, c.rope_head_dim, c.v_head_dim
        self.w_q = self._new(c.d_model, h * (c.head_dim + rope), **where)
        self.w_down = self._new(source, rank + rope, **where)
        self.norm = self._new(rank, **where)
        self.w_up = self._new(rank, h * (c.head_dim + v_dim), **where)
        self.w_o = self._new(h * v_dim, c.d_model, **where)
        self.reset_parameters()

    def forward(self, x: Tensor, **options):
        """`mla` with this layer's weights.

        Parameters
        ----------
        x : float tensor (batch, q_len, d_model)
        **options
            ``absorbed``, ``context``, ``cache``, ``lengths``, and everything that `attention` takes by name.

        Returns
        -------
        float tensor (batch, q_len, d_model); with ``return_weights`` a pair
        """
        options = self._windowed(options.get("cache"), options)
        return mla(
            x,
            self.w_q,
            self.w_down,
            self.norm,
            self.w_up,
            self.w_o,
            n_heads=self.config.n_heads,
            rotary=self.rotary,
            rotary_base=self.rotary_base,
            eps=self.eps,
            **options,
        )

    def new_cache(
        self, batch: int, capacity: int | None = None, dtype=None
    ) -> LatentCache:
        """An empty cache for this layer, on its device; `dtype` is the parameters' unless given (autocast's, say)."""
        w = self.w_down
        dtype = w.dtype if dtype is None else dtype
        return LatentCache.for_config(
            self.config, batch, capacity, dtype=dtype, device=w.device
        )
