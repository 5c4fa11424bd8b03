"""The KV cache: keys and values of the tokens so far, so that none is computed twice."""

from typing import Any, NamedTuple

import numpy as np

from manyheads import _arrays, _require, _slots
from manyheads._shapes import AnyArray, Float, Int
from manyheads.config import AttentionConfig


class Cached(NamedTuple):
    """What a chunk's queries attend to. Where the cache was large enough, views of it and no copy.

    Parameters
    ----------
    keys : array (batch, kv_heads, k_len, head_dim)
    values : array (batch, kv_heads, k_len, v_head_dim)
    mask : bool array (batch or 1, 1, q_len, k_len)
        Causal, within the window, real tokens only: for `attention`'s ``mask=``.
    key_positions : int array (batch or 1, k_len)
        The position of the token in each slot; -1 is an empty slot.
    query_positions : int array (batch or 1, q_len)
        The positions of the chunk's tokens; -1 is padding.

    Examples
    --------
    >>> import numpy as np
    >>> cache = KVCache(1, 1, 2, window=3)
    >>> four = np.ones((1, 1, 4, 2), "float32")
    >>> seen = cache.append(four, four)
    >>> cache.append(four[:, :, :1], four[:, :, :1]).key_positions      # a ring: slot = position % 3
    array([[3, 4, 2]])
    """

    keys: AnyArray
    values: AnyArray
    mask: AnyArray
    key_positions: AnyArray
    query_positions: AnyArray


class KVCache:
    """Keys and values of one layer, for a batch of sequences of the same or of different lengths.

    Parameters
    ----------
    batch, kv_heads, head_dim : int
    capacity : int, optional
        Tokens that it can hold for each sequence; one more is refused.
    v_head_dim : int, optional
        Default `head_dim`.
    window : int, optional
        Instead of `capacity`: keep the last `window` tokens only, as a ring. Position p lies in slot
        ``p % window``.
    dtype : dtype, optional
        Default float32.
    **placed
        Where the memory lies, on a path that has devices: ``device``.

    Raises
    ------
    TypeError, ValueError
        If a number is not a whole one of at least 1, or neither capacity nor window is given.

    Notes
    -----
    Attention over what `append` returns, with its mask, equals attention over the whole sequence at once,
    however it is cut into chunks (Pope et al. 2022, section 2, for prefill and decode).

    Examples
    --------
    >>> import numpy as np
    >>> from manyheads.reference import attention
    >>> rng = np.random.default_rng(0)
    >>> q, k, v = (rng.standard_normal((1, 2, 5, 4)) for _ in "qkv")
    >>> cache = KVCache(1, 2, 4, capacity=8, dtype=np.float64)
    >>> prompt = cache.append(k[:, :, :4], v[:, :, :4])                # prefill: four tokens
    >>> seen = cache.append(k[:, :, 4:], v[:, :, 4:])                  # decode: one more
    >>> last = attention(q[:, :, 4:], seen.keys, seen.values, mask=seen.mask)
    >>> bool(np.allclose(last, attention(q, k, v, causal=True)[:, :, 4:]))
    True
    """

    _kind = _require.NUMPY
    _layer = "gqa"
    _places: tuple[str, ...] = ()  # options that say where it lies
    _default_dtype = np.float32

    def __init__(
        self,
        batch: int,
        kv_heads: int,
        head_dim: int,
        capacity: int | None = None,
        *,
        v_head_dim: int | None = None,
        window: int | None = None,
        dtype: Any = None,
        **placed,
    ):
        batch = _require.count("batch", batch, 0)
        kv_heads = _require.count("kv_heads", kv_heads)
        head_dim = _require.count("head_dim", head_dim)
        v_head_dim = (
            head_dim
            if v_head_dim is None
            else _require.count("v_head_dim", v_head_dim)
        )
        slots, window = _slots.window_or_capacity(capacity, window)
        dtype = self._default_dtype if dtype is None else dtype
        self._slots = _slots.Slots(batch, slots, window)
        shape = (batch, kv_heads, slots)
        self._keys = self._empty((*shape, head_dim), dtype, placed)
        self._values = self._empty((*shape, v_head_dim), dtype, placed)

    @classmethod
    def for_config(
        cls,
        config: AttentionConfig,
        batch: int,
        capacity: int | None = None,
        **options,
    ):
        """A cache for one layer of `config`, its window included."""
        check_config(config)
        if config.variant == "MLA":
            raise ValueError(
                "a config with latent_rank caches latents: use LatentCache.for_config"
            )
        return cls(
            batch,
            config.n_kv_heads,
            config.head_dim,
            None if config.window else capacity,
            v_head_dim=config.v_head_dim,
            window=config.window,
            **options,
        )

    @property
    def lengths(self) -> Int[AnyArray, "batch"]:
        """Tokens seen so far in each sequence."""
        return self._slots.lengths.copy()

    @property
    def window(self) -> int | None:
        """Keys that a query may see, itself included; None for all."""
        return self._slots.window

    @property
    def nbytes(self) -> int:
        """Bytes that keys and values take, whether used or not."""
        return int(self._keys.nbytes + self._values.nbytes)

    def append(
        self,
        k: Float[AnyArray, "batch kv_heads new head_dim"],
        v: Float[AnyArray, "batch kv_heads new v_head_dim"],
        lengths=None,
    ) -> Cached:
        """Store the keys and values of new tokens, and give what their queries attend to.

        Parameters
        ----------
        k : float array (batch, kv_heads, new, head_dim)
        v : float array (batch, kv_heads, new, v_head_dim)
        lengths : ints (batch,), optional
            Real tokens among the `new`, for each sequence; the rest is padding at the end and is not stored.
            A padding query sees no key, so attention gives it 0. Default: all.

        Returns
        -------
        Cached
            `keys`, `values`, and the `mask` to attend with. In a ring the keys are not in order; their
            positions stand in `key_positions`.

        Raises
        ------
        TypeError, ValueError
            If shapes or dtypes are not the cache's, or the tokens do not fit; then nothing has changed.
        """
        self._check("k", k, self._keys)
        self._check("v", v, self._values)
        _require.same("length of k", k.shape[2], "length of v", v.shape[2])
        place = self._slots.place(k.shape[2], lengths)
        keys = self._update(self._keys, k, place)
        values = self._update(self._values, v, place)
        return Cached(keys, values, *self._seen(place))

    def _check(self, name: str, new, held) -> None:
        width = "v_head_dim" if name == "v" else "head_dim"
        axes = ("batch", "kv_heads", "new", width)
        got = _require.axes(name, new, *axes, kind=self._kind)
        wanted = tuple(held.shape)
        for axis in (0, 1, 3):
            _require.same(
                f"{axes[axis]} of {name}",
                got[axis],
                "the cache's",
                wanted[axis],
            )
        _require.floats(**{"the cache": held, name: new})

    def _keys_after(self, batch: int, new: int, lengths) -> int:
        """The keys that `append` would give for this chunk; refused as there, and nothing changes."""
        held = len(self._slots.lengths)
        _require.same("batch of x", batch, "the cache's", held)
        return self._slots.keys_after(new, lengths)

    def _update(self, held, new, place: _slots.Placement):
        """Write, and give what is seen; the other way round where writing would destroy what is seen."""
        seen = held[:, :, : place.used]
        if not place.write_first:
            seen = _arrays.concatenate([seen, new], axis=2)
        if place.run is not None:
            held[:, :, place.run] = new
        else:
            for item, (slots, tokens) in enumerate(place.writes):
                held[item][:, slots] = new[item][:, tokens]
        return seen

    def _seen(self, place: _slots.Placement):
        mask = _slots.visible(place, self.window)
        return mask, place.key_positions.copy(), place.query_positions

    def _empty(self, shape, dtype, placed: dict):
        known = ("capacity", "v_head_dim", "window", "dtype", *self._places)
        _require.keywords(placed, known)
        made = self._zeros(shape, dtype, **placed)
        _require.floats(dtype=made)
        return made

    def _zeros(self, shape, dtype):
        try:
            dtype = np.dtype(dtype)
        except TypeError:
            raise TypeError(
                f"dtype must be a NumPy dtype, got {dtype!r}"
            ) from None
        # The operating system gives the memory page by page.
        return np.zeros(shape, dtype)


def check_config(config) -> None:
    """A config, and not a dict of its numbers."""
    if not isinstance(config, AttentionConfig):
        raise TypeError(
            f"config must be an AttentionConfig, got {type(config).__name__}"
        )
