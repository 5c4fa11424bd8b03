"""The caches as tensors. For inference: gradients do not go through what was stored."""

import torch

from manyheads import _require, reference
from manyheads.reference.cache import Cached

__all__ = ["Cached", "KVCache", "LatentCache"]


class _OnDevice:
    """What tensors need done differently."""

    _kind = _require.TORCH
    _default_dtype = torch.float32
    _places = ("device",)

    def _zeros(self, shape, dtype, device=None):
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"dtype must be a torch dtype, got {dtype!r}")
        return torch.zeros(shape, dtype=dtype, device=device)

    def _check(self, name: str, new, held) -> None:
        super()._check(name, new, held)  # type: ignore[misc]
        if held.is_inference() and not torch.is_inference_mode_enabled():
            raise ValueError(
                "this cache was made under torch.inference_mode(); use it there, or make it under torch.no_grad()"
            )
        if new.requires_grad and torch.is_grad_enabled():
            raise ValueError(
                f"{name} asks for gradients, and a cache keeps none; use it under torch.no_grad()"
            )

    def _seen(self, place):
        mask, keys, queries = super()._seen(place)  # type: ignore[misc]
        device = self._keys.device  # type: ignore[attr-defined]
        return tuple(
            torch.from_numpy(x).to(device) for x in (mask, keys, queries)
        )


class KVCache(_OnDevice, reference.KVCache):
    """Keys and values of one layer as tensors, for a batch of sequences of the same or of different lengths.

    Parameters
    ----------
    batch, kv_heads, head_dim, capacity, v_head_dim, window
        As in `manyheads.reference.KVCache`.
    dtype : torch dtype, optional
        Default float32.
    device : torch device, optional

    Raises
    ------
    TypeError, ValueError
        As in `manyheads.reference.KVCache`; and if what is appended asks for gradients.

    Notes
    -----
    As `manyheads.reference.KVCache`, with its source. Lengths and positions are kept on the host.

    Examples
    --------
    >>> import torch
    >>> cache = KVCache(1, 2, 4, capacity=8)
    >>> seen = cache.append(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    >>> seen.keys.shape, seen.mask[0, 0].int().tolist()
    (torch.Size([1, 2, 3, 4]), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    """


class LatentCache(_OnDevice, reference.LatentCache):
    """The cache of latent attention (MLA) as tensors: one latent and one rotary key a token.

    Parameters
    ----------
    batch, latent_rank, rope_head_dim, capacity, window
        As in `manyheads.reference.LatentCache`.
    dtype : torch dtype, optional
        Default float32.
    device : torch device, optional

    Raises
    ------
    TypeError, ValueError
        As in `manyheads.reference.LatentCache`; and if what is appended asks for gradients.

    Notes
    -----
    As `manyheads.reference.LatentCache`, with its source.

    Examples
    --------
    >>> import torch
    >>> cache = LatentCache(1, latent_rank=4, rope_head_dim=2, capacity=8)
    >>> cache.append(torch.ones(1, 3, 4), torch.ones(1, 3, 2)).keys.shape
    torch.Size([1, 1, 3, 6])
    """
