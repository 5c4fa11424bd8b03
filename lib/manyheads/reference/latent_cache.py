"""The cache of latent attention: one latent and one rotary key a token, instead of keys and values."""

from typing import Any

from manyheads import _arrays, _require, _slots
from manyheads._shapes import AnyArray, Float
from manyheads.config import AttentionConfig
from manyheads.reference.cache import Cached, KVCache, check_config


class LatentCache(KVCache):
    """The cache of latent attention (MLA): for each token one latent and one rotary key, shared by all heads.

    Parameters
    ----------
    batch, latent_rank, rope_head_dim : int
        `rope_head_dim` may be 0.
    capacity, window, dtype, **placed
        As in `KVCache`.

    Notes
    -----
    ``latent_rank + rope_head_dim`` elements a token and layer, instead of ``heads * (head_dim + v_head_dim)``
    (DeepSeek-V2, 2024, section 2.1.2 and table 1). In the absorbed form the entry is the one key of all
    heads, and its first `latent_rank` elements are their one value.

    Examples
    --------
    >>> import numpy as np
    >>> cache = LatentCache(1, latent_rank=4, rope_head_dim=2, capacity=8)
    >>> seen = cache.append(np.ones((1, 3, 4), "float32"), np.ones((1, 3, 2), "float32"))
    >>> seen.keys.shape, seen.values.shape
    ((1, 1, 3, 6), (1, 1, 3, 4))
    """

    _layer = "mla"

    def __init__(
        self,
        batch: int,
        latent_rank: int,
        rope_head_dim: int,
        capacity: int | None = None,
        *,
        window: int | None = None,
        dtype: Any = None,
        **placed,
    ):
        self._rank = _require.count("latent_rank", latent_rank)
        rope = _require.count("rope_head_dim", rope_head_dim, 0)
        slots, window = _slots.window_or_capacity(capacity, window)
        dtype = self._default_dtype if dtype is None else dtype
        batch = _require.count("batch", batch, 0)
        self._slots = _slots.Slots(batch, slots, window)
        shape = (batch, 1, slots, self._rank + rope)
        self._keys = self._empty(shape, dtype, placed)

    @classmethod
    def for_config(
        cls,
        config: AttentionConfig,
        batch: int,
        capacity: int | None = None,
        **options,
    ):
        """A cache for one layer of `config`, which must have a latent rank."""
        check_config(config)
        if config.latent_rank is None:
            raise ValueError(
                "a config without latent_rank caches keys and values: use KVCache.for_config"
            )
        return cls(
            batch,
            config.latent_rank,
            config.rope_head_dim,
            None if config.window else capacity,
            window=config.window,
            **options,
        )

    @property
    def nbytes(self) -> int:
        """Bytes that the latents and rotary keys take, whether used or not."""
        return int(self._keys.nbytes)

    def append(
        self,
        latent: Float[AnyArray, "batch new latent_rank"],
        rotary_key: Float[AnyArray, "batch new rope_head_dim"],
        lengths=None,
    ) -> Cached:
        """Store new tokens' latents and rotary keys, and give what their queries attend to.

        Parameters
        ----------
        latent : float array (batch, new, latent_rank)
            Normalised already.
        rotary_key : float array (batch, new, rope_head_dim)
            Rotated already.
        lengths : ints (batch,), optional
            As in `KVCache.append`.

        Returns
        -------
        Cached
            `keys` (batch, 1, k_len, latent_rank + rope_head_dim), and `values`, the latent part of them.

        Raises
        ------
        TypeError, ValueError
            As in `KVCache.append`.
        """
        axes, kind = ("batch", "length"), self._kind
        latent_is = _require.axes(
            "latent", latent, *axes, "latent_rank", kind=kind
        )
        key_is = _require.axes(
            "rotary_key", rotary_key, *axes, "rope_head_dim", kind=kind
        )
        for name, one, other in zip(axes, latent_is, key_is, strict=False):
            _require.same(
                f"{name} of latent", one, f"{name} of rotary_key", other
            )
        rope = self._keys.shape[-1] - self._rank
        held = "the cache's"
        _require.same("width of latent", latent_is[2], held, self._rank)
        _require.same("width of rotary_key", key_is[2], held, rope)
        _require.floats(latent=latent, rotary_key=rotary_key)
        entry = _arrays.concatenate([latent, rotary_key], axis=-1)[:, None]
        self._check("latent with rotary_key", entry, self._keys)
        place = self._slots.place(entry.shape[2], lengths)
        keys = self._update(self._keys, entry, place)
        return Cached(keys, keys[..., : self._rank], *self._seen(place))
