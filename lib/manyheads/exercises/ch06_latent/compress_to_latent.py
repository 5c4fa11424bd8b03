"""compress-to-latent: one small vector for each token, and a rotary key beside it."""

import numpy as np

from manyheads import reference
from manyheads.exercises import sizes
from manyheads.exercises.ch06_latent import inputs
from manyheads.exercises.ch06_latent.compress_to_latent_mistakes import MISTAKES
from manyheads.exercises.definition import Aspect, Case, Exercise, Output, Parameter


def _reference(x, w_down, norm, rope_head_dim):
    down = x @ w_down
    return reference.rms_norm(down[..., : len(norm)], norm), down[..., len(norm) :]


def _inputs(rng, dtype="float64", size=1.0, **ranges):
    """Sizes all different, and the rotary key of an even width."""
    usual = {"batch": (2, 4), "seq": (3, 6), "d_model": (9, 14), "latent_rank": (5, 8)}
    s = inputs.with_rope(rng, ["latent_rank"], **{**usual, **ranges})
    rope = s["rope"]
    w_down = sizes.normal(rng, s["d_model"], s["latent_rank"] + rope) / s["d_model"] ** 0.5
    return {
        "x": (size * sizes.normal(rng, s["batch"], s["seq"], s["d_model"])).astype(dtype),
        "w_down": w_down.astype(dtype),
        "norm": (0.5 + rng.random(s["latent_rank"])).astype(dtype),
        "rope_head_dim": rope,
    }


def _values(rng):
    # Latents so large that the 1e-6 of the norm does not show, whatever was done with it.
    return [
        Case("a latent and a rotary key", _inputs(rng, size=1e4)),
        Case("one sequence", _inputs(rng, size=1e4, batch=(1, 1))),
        Case("one token of each sequence, as in decoding", _inputs(rng, size=1e4, seq=(1, 1))),
    ]


def _small_latents(rng):
    return [Case("latents so small that the 1e-6 shows", _inputs(rng, size=3e-3))]


def _float32(rng):
    return [Case("float32 tokens and weights", _inputs(rng, "float32", size=40.0))]


# -- right answers by other techniques -----------------------------------------------------------------


def _two_products(x, w_down, norm, rope_head_dim):
    latent_rank = w_down.shape[1] - rope_head_dim
    to_latent, to_key = np.split(w_down, [latent_rank], axis=1)
    return reference.rms_norm(x @ to_latent, norm), x @ to_key


def _einsum(x, w_down, norm, rope_head_dim):
    down = np.einsum("bsd,dr->bsr", x, w_down)
    latent = down[:, :, : norm.size]
    square = np.einsum("bsr,bsr->bs", latent, latent)[..., None] / norm.size
    return latent * norm / (square + 1e-6) ** 0.5, down[:, :, norm.size :]


def _token_by_token(x, w_down, norm, rope_head_dim):
    latents, keys = [], []
    for token in x.reshape(-1, x.shape[2]):
        down = w_down.T @ token
        latent = down[: len(norm)]
        latents.append(latent / float(latent @ latent / len(norm) + 1e-6) ** 0.5 * norm)
        keys.append(down[len(norm) :])
    return np.array(latents).reshape(*x.shape[:2], -1), np.array(keys).reshape(*x.shape[:2], -1)


def _weight_in_the_product(x, w_down, norm, rope_head_dim):
    down = np.tensordot(x, w_down, axes=1)
    latent, key = np.array_split(down, [len(norm)], axis=-1)
    length = np.sqrt((latent**2).mean(axis=-1) + 1e-6)
    return np.einsum("bsr,r,bs->bsr", latent, norm, 1 / length), key


EXERCISE = Exercise(
    name="compress-to-latent",
    title="One latent, one rotary key",
    chapter="06-latent",
    version=1,
    parameters=(
        Parameter("x", "float array (batch, seq, d_model)"),
        Parameter("w_down", "float array (d_model, latent_rank + rope_head_dim): to the latent first, then to the key"),
        Parameter("norm", "float array (latent_rank,): the weight of the latent's RMSNorm"),
        Parameter("rope_head_dim", "whole number: the width of the rotary key"),
    ),
    returns=(
        Output("latent", ("batch", "seq", "latent_rank")),
        Output("rotary_key", ("batch", "seq", "rope_head_dim")),
    ),
    reference=_reference,
    given=("rms_norm",),
    # One product, and a norm over a few numbers; 1e-6 beside a root of some thousands is for "small latents" to see.
    tolerance={"float64": 2e-9, "float32": 1e-5},
    example="""
>>> x = np.array([[[1.0, 2.0]]])
>>> w_down = np.array([[1.0, 7.0, 3.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
>>> latent, rotary_key = compress_to_latent(x, w_down, np.array([1.0, 10.0]), 2)
>>> latent.round(4), rotary_key
(array([[[ 0.2, 14. ]]]), array([[[3., 4.]]]))
""",
    hints=(
        "One product makes both parts. Which columns of the result belong to the latent?",
        "Split first, norm afterwards: the norm must see the latent's numbers only.",
        "len(norm) is latent_rank, and tells where to split. The given rms_norm does the norm, with the eps that is "
        "asked for.",
    ),
    aspects=(
        Aspect("values", 2, "the normed latent, and the key as it comes out of the product", _values),
        Aspect("small latents", 1, "latents so small that the 1e-6 of the norm shows", _small_latents),
        Aspect("float32", 1, "float32 in, float32 out, with the right numbers", _float32),
    ),
    alternatives={
        "two products": _two_products,
        "einsum": _einsum,
        "token by token": _token_by_token,
        "weight in the product": _weight_in_the_product,
    },
    mistakes=MISTAKES,
)
