"""From products of queries and keys to scores, in powers of two: exp2 is what the hardware has."""

import triton
import triton.language as tl

from manyheads.kernels.triton.tiles import corner_of
from manyheads.kernels.triton.visible import in_band

LOG2E = tl.constexpr(1.4426950408889634)
LN2 = tl.constexpr(0.6931471805599453)


@triton.jit
def tanh(x):
    """Good to the last bits near 0 too, where ``1 - exp(-2x)`` has none left in float32."""
    size = tl.abs(x)
    e = tl.exp2(size * (-2.0 * LOG2E))
    t = (1.0 - e) / (1.0 + e)
    if x.dtype == tl.float32:
        square = x * x
        series = 1.0 + square * (-1 / 3 + square * (2 / 15 + square * (-17 / 315 + square * (62 / 2835))))
        t = tl.where(size < 0.25, size * series, t)
    return tl.where(x < 0, -t, t)


@triton.jit
def scores_and_slopes(products, scale, softcap):
    """Scaled and capped scores times log2(e), and how much a score moves with its scaled product: 1 without a cap."""
    slopes = 1.0
    if softcap is None:
        scores = products * (scale * LOG2E)
    else:
        t = tanh(products * (scale / softcap))
        slopes = 1.0 - t * t
        scores = t * (softcap * LOG2E)
    return scores, slopes


@triton.jit
def masked_scores(scores, places, inside, band, added):
    """Minus infinity where a pair does not count, after the bias; and which pairs count.

    `places` are ``(queries, keys, first_query, first_key)``, of which the first two broadcast to the scores, either
    along the rows; `inside` says where a mask and a bias have an entry; `added` is ``(mask, its strides, bias, its
    strides, batch, head)``, None for what is not given.
    """
    queries, keys, first_query, first_key = places
    mask, mask_strides, bias, bias_strides, batch, head = added
    allowed = in_band(queries, keys, band)
    if bias is not None:
        corner = corner_of(bias, bias_strides, batch, head, first_query, first_key)
        offsets = (queries - first_query) * bias_strides[2] + (keys - first_key) * bias_strides[3]
        # Queries after the last see nothing either: a key that they alone saw would count as seen.
        extra = tl.load(corner + offsets, mask=inside, other=float("-inf")).to(scores.dtype)
        scores += extra * LOG2E
        allowed = allowed & (extra != float("-inf"))
    if mask is not None:
        corner = corner_of(mask, mask_strides, batch, head, first_query, first_key)
        offsets = (queries - first_query) * mask_strides[2] + (keys - first_key) * mask_strides[3]
        allowed = allowed & tl.load(corner + offsets, mask=inside, other=False)
    return tl.where(allowed, scores, float("-inf")), allowed


@triton.jit
def load_log_totals(lse, queries, wanted):
    """Log-sum-exp in powers of two. Minus infinity, of a query without keys, becomes 0: its weights come out as 0."""
    natural = tl.load(lse + queries, mask=wanted, other=0.0)
    return tl.where(natural == float("-inf"), 0.0, natural * LOG2E)
