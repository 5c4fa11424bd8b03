"""AttentionConfig: the numbers that describe an attention layer, checked when it is made."""

from dataclasses import dataclass

from manyheads import _require


@dataclass(frozen=True)
class AttentionConfig:
    """The shape of one attention layer, and how many such layers a model has.

    Parameters
    ----------
    d_model : int
        Width of the residual stream, in elements.
    n_heads : int
        Query heads.
    n_kv_heads : int, optional
        Key/value heads; must divide `n_heads`. Default `n_heads` (multi-head attention).
    head_dim : int, optional
        Width of one query or key head, in elements, without its rotary part where that is separate.
        Default ``d_model // n_heads``, which must then divide.
    v_head_dim : int, optional
        Width of one value head, in elements. Default `head_dim`.
    latent_rank : int, optional
        Width of the shared K/V latent, in elements; makes the layer latent attention (MLA).
    rope_head_dim : int
        Width of the separate rotary key of MLA, in elements.
    n_layers : int
        Layers of this shape.
    window : int, optional
        Keys that a causal query may see, itself included.

    Raises
    ------
    TypeError, ValueError
        Where a number is not a whole one, too small, or does not divide; the message names it.

    Examples
    --------
    >>> config = AttentionConfig(d_model=768, n_heads=12)
    >>> config.head_dim, config.variant
    (64, 'MHA')
    >>> AttentionConfig(d_model=64, n_heads=3)
    Traceback (most recent call last):
    ...
    ValueError: d_model=64 is not divisible by n_heads=3; choose heads that divide it, or give head_dim
    """

    d_model: int
    n_heads: int
    n_kv_heads: int = None  # type: ignore[assignment]  # filled in below, so readers always find an int
    head_dim: int = None  # type: ignore[assignment]
    v_head_dim: int = None  # type: ignore[assignment]
    latent_rank: int | None = None
    rope_head_dim: int = 0
    n_layers: int = 1
    window: int | None = None

    def __post_init__(self):
        for name in ("d_model", "n_heads", "n_layers"):
            self._require_count(name)
        if self.n_kv_heads is None:
            object.__setattr__(self, "n_kv_heads", self.n_heads)
        if self.head_dim is None:
            if self.d_model % self.n_heads:
                raise ValueError(
                    f"d_model={self.d_model} is not divisible by n_heads={self.n_heads}; "
                    "choose heads that divide it, or give head_dim"
                )
            object.__setattr__(self, "head_dim", self.d_model // self.n_heads)
        if self.v_head_dim is None:
            object.__setattr__(self, "v_head_dim", self.head_dim)
        for name in ("n_kv_heads", "head_dim", "v_head_dim"):
            self._require_count(name)
        for name in ("latent_rank", "window"):
            if getattr(self, name) is not None:
                self._require_count(name)
        self._require_count("rope_head_dim", least=0)
        if self.n_heads % self.n_kv_heads:
            raise ValueError(f"n_heads={self.n_heads} is not divisible by n_kv_heads={self.n_kv_heads}")
        if self.latent_rank is None and self.rope_head_dim:
            raise ValueError(
                f"rope_head_dim={self.rope_head_dim} is for latent attention; give latent_rank as well, "
                "or count the rotary part in head_dim"
            )
        if self.latent_rank is not None and self.n_kv_heads != self.n_heads:
            raise ValueError(
                f"latent attention has a key and a value for every query head: n_kv_heads={self.n_kv_heads} "
                f"must be n_heads={self.n_heads}, or be left out"
            )

    def _require_count(self, name: str, least: int = 1) -> None:
        # As a Python int: a NumPy integer would overflow in products.
        object.__setattr__(self, name, _require.count(name, getattr(self, name), least))

    @property
    def group(self) -> int:
        """Query heads that share one K/V head: query head h reads K/V head ``h // group``."""
        return self.n_heads // self.n_kv_heads

    @property
    def variant(self) -> str:
        """``"MHA"``, ``"MQA"``, ``"GQA"`` or ``"MLA"``."""
        if self.latent_rank is not None:
            return "MLA"
        if self.n_kv_heads == self.n_heads:
            return "MHA"
        return "MQA" if self.n_kv_heads == 1 else "GQA"
