"""Layers of every variant with random weights, and the same layers written head by head for the tests."""

from typing import NamedTuple

import numpy as np

from . import oracle

EPS = 1e-6  # of RMSNorm


class Layer(NamedTuple):
    """One attention layer: the name of its function, its weights in order, and its sizes."""

    function: str
    weights: list[np.ndarray]
    sizes: dict

    def run(self, path, x, **options):
        """The layer on a path; NumPy in and out."""
        given = {name: path.array(o) if isinstance(o, np.ndarray) else o for name, o in options.items()}
        function = getattr(path.functions, self.function)
        out = function(path.array(x), *map(path.array, self.weights), **self.sizes, **given)
        return path.numpy(out)

    def cache(self, path, batch: int, capacity=None, window=None):
        """An empty float64 cache that fits."""
        functions = path.functions
        dtype = path.zeros(1).dtype
        if self.function == "mla":
            rank = len(self.weights[2])
            rope = self.weights[1].shape[1] - rank
            return functions.LatentCache(batch, rank, rope, capacity, window=window, dtype=dtype)
        heads = self.sizes.get("n_kv_heads", self.sizes["n_heads"] if self.function == "mha" else 1)
        width, v_width = (self.weights[i].shape[1] // heads for i in (1, 2))
        return functions.KVCache(batch, heads, width, capacity, v_head_dim=v_width, window=window, dtype=dtype)


D_MODEL, HEADS, HEAD_DIM, V_DIM, RANK, ROPE = 11, 6, 4, 5, 7, 8


def layer(variant: str, seed: int = 0) -> Layer:
    """ "mha", "mqa", "gqa", "mla" or "mla absorbed"; every size is another number."""
    rng = np.random.default_rng(seed)

    def matrix(*shape):
        return rng.standard_normal(shape) / np.sqrt(shape[0])

    w_o = matrix(HEADS * V_DIM, D_MODEL)
    if variant.startswith("mla"):
        w_q, w_down = matrix(D_MODEL, HEADS * (HEAD_DIM + ROPE)), matrix(D_MODEL, RANK + ROPE)
        norm, w_up = 1 + 0.3 * rng.standard_normal(RANK), matrix(RANK, HEADS * (HEAD_DIM + V_DIM))
        sizes = {"n_heads": HEADS} | ({"absorbed": True} if "absorbed" in variant else {})
        return Layer("mla", [w_q, w_down, norm, w_up, w_o], sizes)
    kv_heads = {"mha": HEADS, "gqa": 3, "mqa": 1}[variant]
    w_q, w_k, w_v = (matrix(D_MODEL, n) for n in (HEADS * HEAD_DIM, kv_heads * HEAD_DIM, kv_heads * V_DIM))
    sizes = {"n_heads": HEADS} | ({"n_kv_heads": kv_heads} if variant == "gqa" else {})
    return Layer(variant, [w_q, w_k, w_v, w_o], sizes)


VARIANTS = ("mha", "gqa", "mqa", "mla", "mla absorbed")


def by_hand(layer: Layer, x: np.ndarray, *, rotary=None, context=None, base=10_000.0, **options) -> np.ndarray:
    """The layer head by head, from the papers' formulas; attention itself by `oracle`."""
    source = x if context is None else context
    heads = _latent_heads(layer, x, base, rotary) if layer.function == "mla" else _heads(layer, x, source, rotary, base)
    w_o = layer.weights[-1].reshape(HEADS, V_DIM, D_MODEL)
    out = np.zeros((*x.shape[:2], D_MODEL))
    for h, (q, k, v) in enumerate(heads):
        own = {name: _of_head(option, h) for name, option in options.items()}
        one, _, _ = oracle.attention(q[:, None], k[:, None], v[:, None], **own)
        out += one[:, 0] @ w_o[h]
    return out


def _of_head(option, h: int):
    """A mask's or bias's part for one head, where it has one for each."""
    each = isinstance(option, np.ndarray) and option.ndim == 4 and option.shape[1] > 1
    return option[:, h : h + 1] if each else option


def _heads(layer, x, source, rotary, base):
    w_q, w_k, w_v, _ = layer.weights
    kv_heads = w_k.shape[1] // HEAD_DIM
    for h in range(HEADS):
        j = h // (HEADS // kv_heads)
        q = x @ w_q[:, h * HEAD_DIM : (h + 1) * HEAD_DIM]
        k = source @ w_k[:, j * HEAD_DIM : (j + 1) * HEAD_DIM]
        v = source @ w_v[:, j * V_DIM : (j + 1) * V_DIM]
        yield (turn(q, rotary, base), turn(k, rotary, base), v)


def _latent_heads(layer, x, base, rotary):
    w_q, w_down, norm, w_up, _ = layer.weights
    pairing = rotary or "interleaved"
    down = x @ w_down
    latent = down[..., :RANK]
    latent = latent / np.sqrt((latent**2).mean(-1, keepdims=True) + EPS) * norm
    shared = turn(down[..., RANK:], pairing, base)
    for h in range(HEADS):
        q = x @ w_q[:, h * (HEAD_DIM + ROPE) : (h + 1) * (HEAD_DIM + ROPE)]
        q = np.concatenate([q[..., :HEAD_DIM], turn(q[..., HEAD_DIM:], pairing, base)], axis=-1)
        up = latent @ w_up[:, h * (HEAD_DIM + V_DIM) : (h + 1) * (HEAD_DIM + V_DIM)]
        yield q, np.concatenate([up[..., :HEAD_DIM], shared], axis=-1), up[..., HEAD_DIM:]


def turn(x: np.ndarray, pairing: str | None, base: float, positions=None) -> np.ndarray:
    """Rotary embedding of (batch, seq, dim) as multiplication of complex numbers."""
    if pairing is None:
        return x
    dim = x.shape[-1]
    positions = np.arange(x.shape[1]) if positions is None else positions
    angles = positions[..., None] * base ** (-2 * np.arange(dim // 2) / dim)
    first, second = (slice(0, None, 2), slice(1, None, 2)) if pairing == "interleaved" else (
        slice(0, dim // 2), slice(dim // 2, None))  # fmt: skip
    z = (x[..., first] + 1j * x[..., second]) * np.exp(1j * angles)
    out = np.empty(x.shape)
    out[..., first], out[..., second] = z.real, z.imag
    return out
