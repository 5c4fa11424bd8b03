"""Which scores count, and which K/V slots are read at all."""

import numpy as np

from manyheads._arguments import Band, Sizes
from manyheads.reference.masks import band_mask, combine_masks


def allowed_pairs(
    sizes: Sizes, mask, bias, band: Band
) -> np.ndarray | None:
    """All that forbids, in one boolean mask; None where nothing does. A bias of minus infinity forbids too."""
    masks = [mask]
    if band.limits:
        masks.append(band_mask(sizes.q_len, sizes.k_len, band))
    if bias is not None and np.isneginf(bias).any():
        masks.append(~np.isneginf(bias))
    return combine_masks(*masks)


def read_slots(sizes: Sizes, allowed: np.ndarray | None):
    """The K/V slots that some query of their batch item may attend, (batch, kv_heads, k_len, 1) or broadcasting to it.

    None where every slot is read.
    """
    if allowed is None:
        return None
    four = allowed.reshape((1,) * (4 - allowed.ndim) + allowed.shape)
    seen = np.any(four, axis=2)
    if seen.shape[1] > 1:  # a mask for each query head: look at the group
        batch, _, k_len = seen.shape
        group = sizes.heads // sizes.kv_heads
        seen = seen.reshape(batch, sizes.kv_heads, group, k_len).any(axis=2)
    return None if seen.all() else seen[..., None]


def drop_unread(x: np.ndarray, seen: np.ndarray | None) -> np.ndarray:
    """Zeros in the slots that nobody reads, so that a NaN there (padding, unused cache) goes nowhere."""
    return x if seen is None else np.where(seen, x, 0)
