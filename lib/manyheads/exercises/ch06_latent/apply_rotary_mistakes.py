"""The known mistakes of apply-rotary."""

import numpy as np

from manyheads.exercises.ch06_latent.apply_rotary_angles import ANGLES
from manyheads.exercises.definition import Mistake


def _pairings_swapped(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "halves" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _always_interleaved(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = 2 * i, 2 * i + 1
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _always_halves(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = i, i + dim // 2
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _ends_paired(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, dim - 1 - i)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _turned_backwards(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) + b * np.sin(angles)
    out[..., other] = b * np.cos(angles) - a * np.sin(angles)
    return out


def _no_minus(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) + b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return out


def _sine_and_cosine_swapped(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.sin(angles) - b * np.cos(angles)
    out[..., other] = a * np.cos(angles) + b * np.sin(angles)
    return out


def _second_from_the_turned_first(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    b = x[..., other]
    out[..., one] = x[..., one] * np.cos(angles) - b * np.sin(angles)
    out[..., other] = out[..., one] * np.sin(angles) + b * np.cos(angles)
    return out


def _angles_of_the_other_pairing(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    angles = np.concatenate([angles, angles], 3) if pairing == "interleaved" else angles.repeat(2, 3)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles)[..., one] - b * np.sin(angles)[..., one]
    out[..., other] = a * np.sin(angles)[..., other] + b * np.cos(angles)[..., other]
    return out


def _angles_always_twice_over(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    angles = np.concatenate([angles, angles], axis=3)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles)[..., one] - b * np.sin(angles)[..., one]
    out[..., other] = a * np.sin(angles)[..., other] + b * np.cos(angles)[..., other]
    return out


def _angles_always_repeated(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    angles = angles.repeat(2, axis=3)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles)[..., one] - b * np.sin(angles)[..., one]
    out[..., other] = a * np.sin(angles)[..., other] + b * np.cos(angles)[..., other]
    return out


def _laid_side_by_side(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return np.concatenate([out[..., one], out[..., other]], axis=3)


def _woven_together(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    i = np.arange(dim // 2)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + dim // 2)
    angles = positions[:, None, :, None] * 10_000.0 ** (-2 * i / dim)
    a, b = x[..., one], x[..., other]
    out[..., one] = a * np.cos(angles) - b * np.sin(angles)
    out[..., other] = a * np.sin(angles) + b * np.cos(angles)
    return np.stack([out[..., one], out[..., other]], axis=4).reshape(x.shape)


_SECTION = "Turning by a position"

MISTAKES = (
    Mistake(
        "pairings-swapped",
        _pairings_swapped,
        'The two pairings have changed places. "interleaved" pairs neighbours, numbers 2i and 2i + 1; "halves" pairs '
        "number i with number i + dim / 2.",
        _SECTION,
    ),
    Mistake(
        "always-interleaved",
        _always_interleaved,
        'You pair neighbours whatever pairing says. "halves" pairs number i with number i + dim / 2.',
        _SECTION,
        loses=("halves",),
    ),
    Mistake(
        "always-halves",
        _always_halves,
        'You pair number i with number i + dim / 2 whatever pairing says. "interleaved" pairs neighbours: 2i and 2i +'
        " 1.",
        _SECTION,
        loses=("interleaved", "float32"),
    ),
    Mistake(
        "ends-paired",
        _ends_paired,
        'For "halves" you paired the first number with the last, the second with the last but one. The second half is'
        " not turned round: number i goes with number i + dim / 2.",
        _SECTION,
        loses=("halves",),
    ),
    Mistake(
        "turned-backwards",
        _turned_backwards,
        "Your pairs turn the other way, by minus the angle. The first new number is a cos - b sin, the second a sin +"
        " b cos.",
        _SECTION,
    ),
    Mistake(
        "no-minus",
        _no_minus,
        "Both of your sums have a plus. A rotation has one minus: the first new number is a cos - b sin. Without it "
        "lengths change.",
        _SECTION,
    ),
    Mistake(
        "sine-and-cosine-swapped",
        _sine_and_cosine_swapped,
        "Sine and cosine have changed places. At angle 0 nothing may change, so a is multiplied by the cosine, which "
        "is 1 there.",
        _SECTION,
    ),
    Mistake(
        "second-from-the-turned-first",
        _second_from_the_turned_first,
        "Your second number of each pair is made from the first one after it was turned. Both come from the old pair:"
        " slices of an array are views, so do not write into what you still have to read.",
        _SECTION,
    ),
    Mistake(
        "angles-of-the-other-pairing",
        _angles_of_the_other_pairing,
        "You wrote the angles out for all dim numbers, in the order of the other pairing. Interleaved, each angle "
        "comes twice in a row (np.repeat); with halves, the whole row comes twice (np.concatenate).",
        _SECTION,
    ),
    Mistake(
        "angles-always-twice-over",
        _angles_always_twice_over,
        "You wrote the angles out for all dim numbers in the order of the halves, the whole row twice. Interleaved, "
        "each angle comes twice in a row, as np.repeat makes it.",
        _SECTION,
        loses=("interleaved", "float32"),
    ),
    Mistake(
        "angles-always-repeated",
        _angles_always_repeated,
        "You wrote the angles out for all dim numbers in the order of interleaved pairs, each twice in a row. With "
        "halves, the whole row comes twice, as np.concatenate makes it.",
        _SECTION,
        loses=("halves",),
    ),
    Mistake(
        "laid-side-by-side",
        _laid_side_by_side,
        "You took neighbours for pairs and laid the results side by side, all first numbers, then all second ones. "
        'That is the order of the halves; with "interleaved", each number goes back to where it came from.',
        _SECTION,
        loses=("interleaved", "float32"),
    ),
    Mistake(
        "woven-together",
        _woven_together,
        'Your pairs are right, but for "halves" you wove the results together: 2i and 2i + 1. Number i and number i +'
        " dim / 2 go back to where they came from.",
        _SECTION,
        loses=("halves",),
    ),
    *ANGLES,
)
