"""One call of attention, checked and made ready: what every form of it (plain, blocked, backward) starts from."""

from typing import NamedTuple

import numpy as np

from manyheads import _arguments
from manyheads._require import NUMPY
from manyheads.reference._visibility import allowed_pairs, read_slots


class Call(NamedTuple):
    """Arguments that fit together."""

    sizes: _arguments.Sizes
    band: _arguments.Band
    mask: np.ndarray | None
    bias: np.ndarray | None
    scale: float
    softcap: float | None

    def allowed(self) -> np.ndarray | None:
        """Every pair that counts; None where nothing is forbidden."""
        return allowed_pairs(self.sizes, self.mask, self.bias, self.band)

    def read(self, allowed: np.ndarray | None) -> np.ndarray | None:
        """The K/V slots that somebody reads; None where all are."""
        return read_slots(self.sizes, allowed)

    def rows(self, start: int, stop: int) -> "Call":
        """The same call for some of the queries."""
        moved = (
            stop - self.sizes.q_len
        )  # the last of them is this far from the last of all
        left, right = self.band
        return self._replace(
            sizes=self.sizes._replace(q_len=stop - start),
            band=_arguments.Band(
                None if left is None else left - moved,
                None if right is None else right + moved,
            ),
            mask=_some_rows(self.mask, start, stop),
            bias=_some_rows(self.bias, start, stop),
        )


def _some_rows(x: np.ndarray | None, start: int, stop: int):
    if x is None or x.shape[-2] == 1:
        return x
    return x[..., start:stop, :]


def checked(
    q, k, v=None, *, mask, bias, causal, window, scale, softcap
) -> Call:
    """Refuse what does not fit, before anything is computed."""
    sizes = _arguments.queries_and_keys(q, k, NUMPY)
    if v is not None:
        _arguments.keys_and_values(k, v, NUMPY)
    _arguments.mask(mask, sizes, NUMPY)
    _arguments.bias(bias, sizes, NUMPY)
    return Call(
        sizes,
        _arguments.band(causal, window),
        mask,
        bias,
        _arguments.scale(scale, sizes.head_dim),
        _arguments.softcap(softcap),
    )
