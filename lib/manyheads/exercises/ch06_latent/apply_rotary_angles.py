"""The known mistakes of apply-rotary that are made in positions and angles."""

import numpy as np

from manyheads.exercises.definition import Mistake


def _half_the_exponent(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _exponent_of_half_the_width(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-4 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _no_minus_in_the_exponent(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _counted_from_1(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * (i + 1) / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _last_pair_first(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i[::-1] / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _same_angle(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] + 0.0 * i
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _base_1000(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 1000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _in_turns(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim) * 2 * np.pi
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _in_degrees(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = np.radians(positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim))
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _positions_ignored(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = np.arange(x.shape[2])[None, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _counted_from_the_first(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = (positions - positions[:, :1])[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _gaps_ignored(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    without_gaps = positions[:, :1] + np.arange(x.shape[2])
    angles = without_gaps[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _one_position_on(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = (positions + 1)[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _positions_of_the_first_sequence(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:1, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _float64_angles(x, positions, pairing):
    dim, out = x.shape[3], np.empty(x.shape)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


_SECTION = "Turning by a position"

ANGLES = (
    Mistake(
        "half-the-exponent",
        _half_the_exponent,
        "Your frequencies fall too slowly: pair i has base^(-i / dim). It is -2i / dim, so that the pairs, dim / 2 of"
        " them, span the range from 1 to 1 / base.",
        _SECTION,
    ),
    Mistake(
        "exponent-of-half-the-width",
        _exponent_of_half_the_width,
        "Your frequencies fall too fast: the exponent is divided by dim / 2 where dim belongs, or has a factor 2 too "
        "much. It is -2i / dim.",
        _SECTION,
    ),
    Mistake(
        "no-minus-in-the-exponent",
        _no_minus_in_the_exponent,
        "Your frequencies grow from pair to pair: the exponent has no minus. The first pair is the fastest, with 1 "
        "radian for each position, and the others turn more slowly.",
        _SECTION,
    ),
    Mistake(
        "counted-from-1",
        _counted_from_1,
        "You counted the pairs from 1. The first pair is number 0, and turns by 1 radian for each position.",
        _SECTION,
    ),
    Mistake(
        "last-pair-first",
        _last_pair_first,
        "Your frequencies are in the other order. The first pair is the fastest, with 1 radian for each position, and"
        " the last the slowest.",
        _SECTION,
    ),
    Mistake(
        "same-angle",
        _same_angle,
        "All of your pairs turn by the same angle. Pair i turns by the position times base^(-2i / dim).",
        _SECTION,
    ),
    Mistake(
        "base-1000",
        _base_1000,
        "Your base is 1,000. It is 10,000 here.",
        _SECTION,
    ),
    Mistake(
        "in-turns",
        _in_turns,
        "Your angles have a factor 2 pi, as if a frequency counted whole turns. The angle in radians is the position "
        "times base^(-2i / dim), and no more.",
        _SECTION,
    ),
    Mistake(
        "in-degrees",
        _in_degrees,
        "You took the angles for degrees. They are in radians, and so is what np.cos and np.sin take.",
        _SECTION,
    ),
    Mistake(
        "positions-ignored",
        _positions_ignored,
        "You numbered the tokens from 0. The array positions says where each stands: in decoding, for example, the "
        "one new token is not at position 0.",
        _SECTION,
    ),
    Mistake(
        "counted-from-the-first",
        _counted_from_the_first,
        "You measured positions from each sequence's first token here. Take them as they are: a first token may stand"
        " anywhere.",
        _SECTION,
    ),
    Mistake(
        "gaps-ignored",
        _gaps_ignored,
        "You took each sequence's first position and counted on from there. Positions may have gaps: use each "
        "token's own.",
        _SECTION,
    ),
    Mistake(
        "one-position-on",
        _one_position_on,
        "Your angles are one position too far. Position 0 is not turned at all.",
        _SECTION,
    ),
    Mistake(
        "positions-of-the-first-sequence",
        _positions_of_the_first_sequence,
        "You used the positions of sequence 0 for the whole batch. Each sequence has its own.",
        _SECTION,
    ),
    Mistake(
        "float64-angles",
        _float64_angles,
        "Your result is float64 where float32 came in. Angles are float64, since positions are whole numbers, and "
        "they make a product float64 too. Bring the result back with astype(x.dtype), or write it into an array of "
        "that dtype.",
        "What goes wrong and does not crash",
        loses=("float32",),
    ),
)
