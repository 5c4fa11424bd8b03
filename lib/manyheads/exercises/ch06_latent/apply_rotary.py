"""apply-rotary: positions as angles, in both ways of pairing the numbers."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch06_latent.apply_rotary_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(x, positions, pairing):
    return reference.apply_rotary(x, positions, pairing=pairing)


def _inputs(rng, pairing, dtype="float64", pairs=(2, 5), before=0, **ranges):
    """Positions that rise, with gaps, from another start in each sequence, `before` tokens and more from 0.

    Half of the width is no other size.
    """
    while True:
        s = sizes.draw(rng, **{"batch": (2, 5), "heads": (2, 5), "seq": (3, 7), "pairs": pairs, **ranges})
        dim = 2 * s["pairs"]
        if dim not in (s["batch"], s["heads"], s["seq"]):
            break
    steps = rng.integers(1, 4, (s["batch"], s["seq"]))
    steps[:, 0] = before + 1 + rng.permutation(8)[: s["batch"]]
    steps[:, 1:2] += 1  # a gap in every sequence
    x = sizes.normal(rng, s["batch"], s["heads"], s["seq"], dim, dtype=dtype)
    return {"x": x, "positions": np.cumsum(steps, axis=1), "pairing": pairing}


def _of_pairing(pairing, other):
    def cases(rng):
        return [
            Case(f"{pairing}: each sequence starts at a position of its own", _inputs(rng, pairing)),
            Case(f"{pairing}: one token far on, as in decoding", _inputs(rng, pairing, seq=(1, 1), before=300)),
            Case(f"{pairing}: one sequence, one head", _one(rng, pairing)),
            Case(f"{other}, to tell a swap from a pairing that is ignored", _inputs(rng, other), probe=True),
        ]

    return cases


def _one(rng, pairing):
    inputs = _inputs(rng, pairing)
    return {"x": inputs["x"][:1, :1], "positions": inputs["positions"][:1], "pairing": pairing}


def _float32(rng):
    return [
        Case("float32, interleaved", _inputs(rng, "interleaved", "float32")),
        Case("float32, halves", _inputs(rng, "halves", "float32"), probe=True),
    ]


# -- right answers by other techniques -----------------------------------------------------------------


def _complex_numbers(x, positions, pairing):
    batch, heads, seq, dim = x.shape
    angles = positions[:, None, :, None] / 10_000 ** (np.arange(0, dim, 2) / dim)
    if pairing == "interleaved":
        pairs = np.moveaxis(x.reshape(batch, heads, seq, -1, 2), 4, 0)
    else:
        pairs = np.moveaxis(x.reshape(batch, heads, seq, 2, -1), 3, 0)
    turned = (pairs[0] + 1j * pairs[1]) * np.exp(1j * angles)
    both = np.stack([turned.real, turned.imag], axis=4 if pairing == "interleaved" else 3)
    return both.reshape(x.shape).astype(x.dtype)


def _pair_by_pair(x, positions, pairing):
    dim, out = x.shape[3], np.empty_like(x)
    for i in range(dim // 2):
        one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else range(i, dim, dim // 2)
        angle = positions[:, None] * 10_000 ** (-2 * i / dim)
        out[..., one] = x[..., one] * np.cos(angle) - x[..., other] * np.sin(angle)
        out[..., other] = x[..., one] * np.sin(angle) + x[..., other] * np.cos(angle)
    return out


def _matrices(x, positions, pairing):
    dim = x.shape[3]
    half = dim // 2
    i = np.arange(half)
    one, other = (2 * i, 2 * i + 1) if pairing == "interleaved" else np.arange(dim).reshape(2, -1)
    angle = positions[..., None] * np.exp(i / half * -np.log(10_000.0))
    turn = np.zeros((*positions.shape, dim, dim))
    turn[..., one, one] = turn[..., other, other] = np.cos(angle)
    turn[..., one, other] = np.sin(angle)
    turn[..., other, one] = -np.sin(angle)
    return np.einsum("bhsd,bsde->bhse", x, turn).astype(x.dtype)


def _partner_with_sign(x, positions, pairing):
    half = x.shape[3] // 2
    angles = positions[:, None, :, None] * 100.0 ** (np.arange(half) * -2 / half)
    if pairing == "interleaved":
        angles = np.repeat(angles, 2, axis=3)
        partner = np.stack([-x[..., 1::2], x[..., ::2]], axis=4).reshape(x.shape)
    else:
        angles = np.concatenate([angles, angles], axis=3)
        partner = np.concatenate([-x[..., half:], x[..., :half]], axis=3)
    return (x * np.cos(angles) + partner * np.sin(angles)).astype(x.dtype)


EXERCISE = Exercise(
    name="apply-rotary",
    title="Turning by a position",
    chapter="06-latent",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, heads, seq, dim), queries or keys; dim is even"),
        Parameter("positions", "integer array (batch, seq): the position of each token in its sequence"),
        Parameter("pairing", 'a text, "interleaved" or "halves"'),
    ),
    returns=(Output("result", ("batch", "heads", "seq", "dim")),),
    reference=_reference,
    # A turn is one product. An angle of some hundred radians has the rounding of its frequency some hundred times.
    tolerance={"float64": 2e-13, "float32": 1e-5},
    example="""
>>> x = np.array([1.0, 0.0, 1.0, 0.0]).reshape(1, 1, 1, 4)
>>> apply_rotary(x, np.array([[1]]), "interleaved").round(4)[0, 0, 0]
array([0.5403, 0.8415, 1.    , 0.01  ])
>>> apply_rotary(x, np.array([[1]]), "halves").round(4)[0, 0, 0]
array([-0.3012,  0.    ,  1.3818,  0.    ])
""",
    hints=(
        "Make the angles first: one for each token and pair. Written so that they line up with half of x, their shape "
        "is (batch, 1, seq, dim / 2).",
        "Take the two numbers of every pair apart, as two arrays of width dim / 2. x[..., 0::2] is one of the four "
        "slices that you need.",
        "Compute both new numbers of a pair before you write either of them: each needs both old ones.",
        "The result has every number where it came from. np.empty_like(x) and the slices with which you took x apart "
        "do it; the two old slices laid side by side are right for one pairing only. And they keep the dtype.",
    ),
    aspects=(
        Aspect("interleaved", 2, 'pairing "interleaved", at positions that differ from sequence to sequence',
               _of_pairing("interleaved", "halves")),
        Aspect("halves", 2, 'pairing "halves", at such positions too', _of_pairing("halves", "interleaved")),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers (interleaved)", _float32),
    ),
    alternatives={
        "complex numbers": _complex_numbers,
        "pair by pair": _pair_by_pair,
        "matrices": _matrices,
        "partner with a sign": _partner_with_sign,
    },
    mistakes=MISTAKES,
)  # fmt: skip
