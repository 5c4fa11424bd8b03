"""The backward pass by hand, against finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from manyheads import reference

from ..attention_calls import attention_calls

STEP = 1e-5


def numerical(function, x: np.ndarray, d_out: np.ndarray) -> np.ndarray:
    """The gradient of sum(d_out * function()) with respect to x, one element at a time; x is changed in place."""
    gradient = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        kept = x[index]
        x[index] = kept + STEP
        more = (d_out * function()).sum()
        x[index] = kept - STEP
        less = (d_out * function()).sum()
        x[index] = kept
        gradient[index] = (more - less) / (2 * STEP)
    return gradient


@settings(max_examples=25, deadline=None)
@given(attention_calls(dtypes=("float64",)))
def test_gradients_are_the_slopes(call):
    q, k, v = (np.array(x[:2, :, :4]) for x in call[:3])
    options = dict(call.options)
    for name in ("mask", "bias"):  # cut as q, k and v were
        if name in options:
            options[name] = np.array(options[name][:2, :, :4, :4] if options[name].ndim == 4 else options[name][:4, :4])
    d_out = np.random.default_rng(0).standard_normal((*q.shape[:3], v.shape[-1]))
    gradients = reference.attention_backward(d_out, q, k, v, **options)

    def run():
        return reference.attention(q, k, v, **options)

    for name, x in (("q", q), ("k", k), ("v", v)):
        np.testing.assert_allclose(
            getattr(gradients, name), numerical(run, x, d_out), rtol=1e-6, atol=1e-7, err_msg=name
        )
    if "bias" in options:
        expected = numerical(run, options["bias"], d_out)
        np.testing.assert_allclose(gradients.bias, expected, rtol=1e-6, atol=1e-7, err_msg="bias")


def test_key_and_value_gradients_are_summed_over_the_group():
    """With six query heads and two K/V heads: as if each query head had had its own copy, then added up."""
    rng = np.random.default_rng(1)
    q, k, v = rng.standard_normal((3, 6, 4, 5)), rng.standard_normal((3, 2, 7, 5)), rng.standard_normal((3, 2, 7, 8))
    d_out = rng.standard_normal((3, 6, 4, 8))
    shared = reference.attention_backward(d_out, q, k, v, causal=True)
    own = reference.attention_backward(d_out, q, np.repeat(k, 3, axis=1), np.repeat(v, 3, axis=1), causal=True)
    np.testing.assert_allclose(shared.q, own.q, atol=1e-13)
    np.testing.assert_allclose(shared.k, own.k.reshape(3, 2, 3, 7, 5).sum(axis=2), atol=1e-13)
    np.testing.assert_allclose(shared.v, own.v.reshape(3, 2, 3, 7, 8).sum(axis=2), atol=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_empty_row_and_an_unread_slot_get_zero_and_the_dtype_stays(dtype):
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 3, n, 4)).astype(dtype) for n in (5, 7, 7))
    mask = np.ones((5, 7), bool)
    mask[1], mask[:, 4] = False, False
    k[:, :, 4], v[:, :, 4] = np.nan, np.inf
    bias = rng.standard_normal((1, 3, 1, 7)).astype(dtype)
    gradients = reference.attention_backward(np.ones((2, 3, 5, 4), dtype), q, k, v, mask=mask, bias=bias)
    for gradient, x in zip(gradients, (q, k, v, bias), strict=True):
        assert gradient.dtype == dtype
        assert gradient.shape == x.shape
        assert np.isfinite(gradient).all()
    assert (gradients.q[:, :, 1] == 0).all() and (gradients.q[:, :, 0] != 0).any()
    assert (gradients.k[:, :, 4] == 0).all() and (gradients.v[:, :, 4] == 0).all()
    assert (gradients.v[:, :, 3] != 0).all()


def test_softmax_backward_is_the_jacobian():
    rng = np.random.default_rng(3)
    scores, d_weights = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 4, 3))
    scores[1, :, 2] = -np.inf
    for axis in (1, 2):
        weights = reference.softmax(scores, axis)
        p, d = np.moveaxis(weights, axis, -1), np.moveaxis(d_weights, axis, -1)
        jacobian = p[..., :, None] * np.eye(p.shape[-1]) - p[..., :, None] * p[..., None, :]
        expected = np.moveaxis(np.einsum("...ij,...j->...i", jacobian, d), -1, axis)
        np.testing.assert_allclose(reference.softmax_backward(weights, d_weights, axis), expected, atol=1e-14)
