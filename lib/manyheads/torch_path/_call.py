"""One call of attention on tensors, checked and made ready."""

from typing import NamedTuple

import torch
from torch import Tensor

from manyheads import _arguments, _require
from manyheads._require import TORCH
from manyheads.torch_path.masks import band_mask, combine_masks


class Call(NamedTuple):
    """Arguments that fit together."""

    sizes: _arguments.Sizes
    band: _arguments.Band
    mask: Tensor | None
    bias: Tensor | None
    scale: float
    softcap: float | None
    device: torch.device

    def allowed(self) -> Tensor | None:
        """Every pair that counts, as four axes; None where nothing is forbidden."""
        masks = [self.mask]
        if self.band.limits:
            sizes = self.sizes
            masks.append(
                band_mask(sizes.q_len, sizes.k_len, self.band, self.device)
            )
        if self.bias is not None:  # minus infinity forbids too
            masks.append(~torch.isneginf(self.bias))
        allowed = combine_masks(*masks)
        if allowed is None or allowed.ndim == 4:
            return allowed
        return allowed[None, None]

    def read(self, allowed: Tensor | None) -> Tensor | None:
        """The K/V slots that some query of their batch item may attend, broadcasting to K and V; None for all."""
        if allowed is None:
            return None
        seen = allowed.any(dim=2)
        if (
            seen.shape[1] > 1
        ):  # a mask for each query head: look at the group
            batch, _, k_len = seen.shape
            group = self.sizes.heads // self.sizes.kv_heads
            seen = seen.reshape(batch, self.sizes.kv_heads, group, k_len)
            seen = seen.any(dim=2)
        return seen[..., None]


def drop_unread(x: Tensor, seen: Tensor | None) -> Tensor:
    """Zeros in the slots that nobody reads: a NaN there goes nowhere, neither forward nor backward."""
    return x if seen is None else torch.where(seen, x, 0.0)


def checked(
    q, k, v=None, *, mask, bias, causal, window, scale, softcap
) -> Call:
    """Refuse what does not fit, before anything is computed."""
    sizes = _arguments.queries_and_keys(q, k, TORCH)
    if v is not None:
        _arguments.keys_and_values(k, v, TORCH)
    _arguments.mask(mask, sizes, TORCH)
    _arguments.bias(bias, sizes, TORCH)
    given = {"q": q, "mask": mask, "bias": bias}
    _require.devices(**{n: x for n, x in given.items() if x is not None})
    return Call(
        sizes,
        _arguments.band(causal, window),
        mask,
        bias,
        _arguments.scale(scale, sizes.head_dim),
        _arguments.softcap(softcap),
        q.device,
    )
