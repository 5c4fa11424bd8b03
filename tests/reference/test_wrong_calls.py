"""Wrong calls: each refused with a message that names the argument, what was got and what was expected."""

import numpy as np
import pytest
from manyheads import reference

pytestmark = pytest.mark.wrong_call

X = np.zeros((2, 5, 12))
W = np.zeros((3, 12, 4))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: reference.split_heads(X, 5), ValueError, "width=12 is not divisible by n_heads=5"),
        (lambda: reference.split_heads(X, 0), ValueError, "n_heads must be at least 1, got 0"),
        (lambda: reference.split_heads(X, 3.0), TypeError, "n_heads must be a whole number, got 3.0"),
        (lambda: reference.split_heads(X, True), TypeError, "n_heads must be a whole number, got True"),
        (
            lambda: reference.split_heads(X[0], 3),
            ValueError,
            "x must be (batch, seq, n_heads * head_dim), got shape (5, 12)",
        ),
        (lambda: reference.split_heads([[1, 2]], 1), TypeError, "x must be a NumPy array or a torch tensor, got list"),
        (
            lambda: reference.combine_heads(X),
            ValueError,
            "x must be (batch, n_heads, seq, head_dim), got shape (2, 5, 12)",
        ),
        (lambda: reference.pack_heads(W[0]), ValueError, "w must be (n_heads, d_model, head_dim), got shape (12, 4)"),
        (
            lambda: reference.unpack_heads(W, 3),
            ValueError,
            "w must be (d_model, n_heads * head_dim), got shape (3, 12, 4)",
        ),
        (lambda: reference.unpack_heads(W[0], 3), ValueError, "width=4 is not divisible by n_heads=3"),
        (
            lambda: reference.per_head_projections(X, np.zeros((3, 11, 4))),
            ValueError,
            "d_model of x is 12, but d_model of w is 11; they must be equal",
        ),
        (
            lambda: reference.per_head_projections(X, W[0]),
            ValueError,
            "w must be (n_heads, d_model, head_dim), got shape (12, 4)",
        ),
        (
            lambda: reference.fused_projection(X, np.zeros((12, 10)), 3),
            ValueError,
            "width=10 is not divisible by n_heads=3",
        ),
        (
            lambda: reference.fused_projection(X, np.zeros((11, 9)), 3),
            ValueError,
            "d_model of x is 12, but d_model of w is 11; they must be equal",
        ),
        (lambda: reference.split_qkv(X, 5), ValueError, "width=12 is not divisible by n_heads + 2 * n_kv_heads=15"),
        (lambda: reference.split_qkv(X, 4, 3), ValueError, "n_heads=4 is not divisible by n_kv_heads=3"),
        (
            lambda: reference.split_qkv(X, 2, layout="per-head"),
            ValueError,
            "layout must be one of 'concatenated', 'per_head', 'per_group', got 'per-head'; did you mean 'per_head'?",
        ),
        (
            lambda: reference.split_qkv(X, 2, layout=None),
            ValueError,
            "layout must be one of 'concatenated', 'per_head', 'per_group', got None",
        ),
        (
            lambda: reference.split_qkv(X, 2, 1, "per_head"),
            ValueError,
            "layout 'per_head' has one key and one value for each query head; got n_heads=2 and n_kv_heads=1: "
            "use 'per_group'",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
