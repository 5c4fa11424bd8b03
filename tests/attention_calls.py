"""Attention calls drawn at random: pairwise different sizes, odd strides, every combination of what may be given."""

from typing import NamedTuple

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

DTYPES = {
    "float16": np.dtype("float16"),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype("float32"),
    "float64": np.dtype("float64"),
}
#: Unit of rounding: what a result may be off by, beside what a wider computation leaves.
EPS = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-20, "float64": 2**-45}


class AttentionCall(NamedTuple):
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    options: dict
    dtype: str


@st.composite
def attention_calls(draw, dtypes=tuple(DTYPES)):
    """Sizes are pairwise different, so that no swapped axis can pass."""
    kv_heads, group = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2, 3]))
    others = [n for n in range(1, 10) if n not in (kv_heads, group, kv_heads * group)]
    batch, q_len, k_len, head_dim, v_dim = draw(st.permutations(others))[:5]
    dtype = draw(st.sampled_from(dtypes))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    heads = kv_heads * group

    def array(*shape):
        return strided(draw(st.sampled_from(STRIDES)), rng, shape).astype(DTYPES[dtype], copy=False)

    q, k, v = array(batch, heads, q_len, head_dim), array(batch, kv_heads, k_len, head_dim), None
    v = array(batch, kv_heads, k_len, v_dim)
    options: dict = {}
    full = (batch, heads, q_len, k_len)
    if (shape := draw(shapes(full))) is not None:
        options["mask"] = rng.random(shape) < draw(st.sampled_from([0.2, 0.7]))
    if (shape := draw(shapes(full))) is not None:
        bias = rng.standard_normal(shape)
        bias[rng.random(shape) < draw(st.sampled_from([0, 0.3]))] = -np.inf
        options["bias"] = bias.astype(DTYPES[dtype])
    options["causal"] = draw(st.booleans())
    sides = st.tuples(*[st.none() | st.integers(0, 4)] * 2)
    window = draw(st.none() | sides | (st.integers(1, 6) if options["causal"] else st.none()))
    options["window"] = window
    options["scale"] = draw(st.none() | st.sampled_from([0.3, 1.7, -0.5]))
    options["softcap"] = draw(st.none() | st.sampled_from([0.7, 5.0]))
    return AttentionCall(q, k, v, options, dtype)


STRIDES = ("contiguous", "reversed", "every second", "heads last")


def strided(kind: str, rng, shape) -> np.ndarray:
    """Normal numbers in memory that lies otherwise than the shape says."""
    if kind == "contiguous":
        return rng.standard_normal(shape)
    if kind == "reversed":
        return rng.standard_normal(shape)[:, :, ::-1]
    if kind == "every second":
        return rng.standard_normal((*shape[:-1], 2 * shape[-1]))[..., ::2]
    batch, heads, length, dim = shape
    return rng.standard_normal((batch, length, heads, dim)).swapaxes(1, 2)


def shapes(full):
    """No mask, a (q_len, k_len) one, or four axes of which any may be 1."""
    four = st.tuples(*(st.sampled_from(sorted({1, size})) for size in full))
    return st.none() | st.just(full[2:]) | four


def close(got, expected, dtype: str, factor: float = 1) -> None:
    """Shape and finiteness, then numbers to the dtype's rounding."""
    assert got.shape == expected.shape
    got = np.asarray(got).astype(np.float64)
    assert np.array_equal(np.isfinite(got), np.isfinite(expected))
    np.testing.assert_allclose(got, expected, rtol=factor * EPS[dtype], atol=factor * EPS[dtype])
