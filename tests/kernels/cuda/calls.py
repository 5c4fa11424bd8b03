"""Calls of the CUDA kernels, what must come out of them, and how near."""

import itertools
from typing import NamedTuple

import numpy as np
from manyheads import reference
from manyheads.kernels.cuda import emulated_attention

ORDERS = ("up", "down", "shuffled")
#: Units of float32's rounding, beside twice what NumPy itself is off by: for rows so short that NumPy is nearly exact.
FLOOR = 4


class Sizes(NamedTuple):
    batch: int
    heads: int
    kv_heads: int
    q_len: int
    k_len: int
    head_dim: int
    v_head_dim: int


class Call(NamedTuple):
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    lengths: np.ndarray | None
    options: dict


def call(seed: int, sizes: Sizes, lengths=None, **options) -> Call:
    """A drawn call. Slots of K and V that nobody may attend hold NaN, which must not come out."""
    rng = np.random.default_rng(seed)
    batch, heads, kv_heads, q_len, k_len, head_dim, v_head_dim = sizes
    shapes = [(batch, heads, q_len, head_dim), (batch, kv_heads, k_len, head_dim), (batch, kv_heads, k_len, v_head_dim)]
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    lengths = None if lengths is None else np.array(lengths, np.int32)
    unseen = ~allowed(Call(q, k, v, lengths, options)).any(axis=1)
    for x in (k, v):
        x[np.broadcast_to(unseen[:, None], x.shape[:3])] = np.nan
    return Call(q, k, v, lengths, options)


def allowed(given: Call) -> np.ndarray:
    """Which query may attend which key, (batch, q_len, k_len), key by key as the conventions say it."""
    (batch, _, k_len, _), q_len = given.k.shape, given.q.shape[2]
    causal, window = given.options.get("causal", False), given.options.get("window")
    pairs = np.zeros((batch, q_len, k_len), bool)
    for b, i, j in np.ndindex(pairs.shape):
        ahead = j - (i + k_len - q_len)  # of the query's own position
        pairs[b, i, j] = given.lengths is None or j < given.lengths[b]
        if causal:
            pairs[b, i, j] &= ahead <= 0
        if isinstance(window, int):
            pairs[b, i, j] &= ahead > -window
        elif window is not None:
            left, right = window
            pairs[b, i, j] &= (left is None or ahead >= -left) and (right is None or ahead <= right)
    return pairs


def run(given: Call, kernel: str, **how):
    """What a kernel makes of a call, emulated."""
    options = given.options | ({} if given.lengths is None else {"lengths": given.lengths})
    return emulated_attention(given.q, given.k, given.v, kernel=kernel, **options, **how)


def expected(given: Call, dtype: str) -> np.ndarray:
    """The reference's answer, computed in this dtype."""
    q, k, v = (x.astype(dtype) for x in (given.q, given.k, given.v))
    options = {name: value for name, value in given.options.items() if name in ("scale", "softcap")}
    return reference.attention(q, k, v, mask=allowed(given)[:, None], **options)


def expected_lse(given: Call, dtype: str) -> np.ndarray:
    """Logarithm of each row's sum of exponentials; minus infinity where it is empty."""
    q, k = given.q.astype(dtype), np.nan_to_num(given.k).astype(dtype)
    k = np.repeat(k, q.shape[1] // k.shape[1], axis=1)
    scale = given.options.get("scale") or q.shape[3] ** -0.5
    scores = (q @ k.swapaxes(2, 3)) * np.dtype(dtype).type(scale)
    if softcap := given.options.get("softcap"):
        scores = softcap * np.tanh(scores / softcap)
    scores = np.where(allowed(given)[:, None], scores, -np.inf)
    with np.errstate(divide="ignore"):
        return np.logaddexp.reduce(scores, axis=3, initial=-np.inf)


def assert_near(got: np.ndarray, exact: np.ndarray, in_float32: np.ndarray) -> None:
    """At most twice as far from the exact answer as NumPy in float32 is."""
    assert isinstance(got, np.ndarray) and got.dtype == np.float32
    assert got.shape == exact.shape == in_float32.shape
    finite = np.isfinite(exact)
    assert np.array_equal(np.isfinite(got), finite)
    assert np.array_equal(got[~finite], exact[~finite])  # -inf is -inf, and no NaN
    if not finite.any():
        return
    theirs = np.abs(in_float32[finite] - exact[finite]).max()
    floor = FLOOR * np.finfo(np.float32).eps * max(1.0, np.abs(exact[finite]).max())
    worst = np.abs(got[finite] - exact[finite]).max()
    assert worst <= 2 * theirs + floor, f"off by {worst:.3g}, NumPy in float32 by {theirs:.3g}"


def assert_right(given: Call, kernel: str, **how) -> None:
    """Output and, where the kernel gives it, lse."""
    if kernel == "lesson":
        out = run(given, kernel, **how)
    else:
        out, lse = run(given, kernel, return_lse=True, **how)
        assert_near(lse, expected_lse(given, "float64"), expected_lse(given, "float32"))
    assert_near(out, expected(given, "float64"), expected(given, "float32"))


def pairwise(*axes) -> list[tuple]:
    """Few rows in which every value of an axis meets every value of every other axis."""
    columns = list(itertools.combinations(range(len(axes)), 2))
    open_pairs = {(a, b, x, y) for a, b in columns for x in range(len(axes[a])) for y in range(len(axes[b]))}
    rows = []
    while open_pairs:
        a, b, x, y = min(open_pairs)
        row = {a: x, b: y}
        for axis in range(len(axes)):
            if axis not in row:
                gains = [
                    sum(_pair(axis, i, *other) in open_pairs for other in row.items()) for i in range(len(axes[axis]))
                ]
                row[axis] = int(np.argmax(gains))
        open_pairs -= {(a, b, row[a], row[b]) for a, b in columns}
        rows.append(tuple(axes[axis][row[axis]] for axis in range(len(axes))))
    return rows


def _pair(a: int, x: int, b: int, y: int) -> tuple[int, int, int, int]:
    return (a, b, x, y) if a < b else (b, a, y, x)
