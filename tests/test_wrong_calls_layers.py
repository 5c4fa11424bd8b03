"""Wrong weights, contexts and caches of whole layers, on both paths: refused by a check before anything is computed."""

import traceback
from pathlib import Path

import numpy as np
import pytest

from .layers import VARIANTS, layer
from .paths import PATHS, TORCH
from .wrong_calls import Wrong

pytestmark = [pytest.mark.wrong_call, pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)]
CHECKS = {"_require.py", "_arguments.py", "_layer_arguments.py", "_latent_sizes.py"}
BEGIN = "w_up must have n_heads * (head_dim + v_head_dim) = 3 * "
END = "is head_dim, a head of w_o v_head_dim"


def kv(w, *sizes, **options):
    """gqa with a cache of these sizes."""
    given = {"v_head_dim": 7, "capacity": 4, "dtype": w.x.dtype} | options
    return w.gqa(options={"cache": w.f.KVCache(*(sizes or (2, 2, 4)), **given)})


def cached(w, **options):
    """gqa with a cache that fits, and something else that does not."""
    return w.gqa(options={"cache": w.f.KVCache(2, 2, 4, 4, v_head_dim=7, dtype=w.x.dtype)} | options)


def latent(w, *sizes):
    return w.mla(options={"cache": w.f.LatentCache(*sizes, 4)})


def by_name(w, name, *w_k_and_v, **options):
    weights = [w.zeros(12, 12), *(w.zeros(*shape) for shape in w_k_and_v), w.zeros(12, 12)]
    return getattr(w.f, name)(w.x, *weights, **options)


ROWS = [
    (lambda w: w.gqa(w_k=(11, 8)), ValueError, "d_model of x is 12, but rows of w_k is 11; they must be equal"),
    (lambda w: w.gqa(w_v=(12, 15)), ValueError, "15 columns of w_v are not divisible by n_kv_heads=2"),
    (lambda w: w.gqa(w_k=(12, 9)), ValueError, "9 columns of w_k are not divisible by n_kv_heads=2"),
    (lambda w: w.gqa(w_q=(12, 0)), ValueError, "head_dim must be at least 1, got 0"),
    (lambda w: w.gqa(w_o=(42,)), ValueError, "w_o must be (d_in, d_out), got shape (42,)"),
    (lambda w: w.gqa(n_heads=6.0), TypeError, "n_heads must be a whole number, got 6.0"),
    (lambda w: w.gqa(n_heads=True), TypeError, "n_heads must be a whole number, got True"),
    (lambda w: w.gqa(n_kv_heads=0), ValueError, "n_kv_heads must be at least 1, got 0"),
    (
        lambda w: by_name(w, "mha", (12, 12), (12, 12), n_heads=5),
        ValueError,
        "12 columns of w_q are not divisible by n_heads=5",
    ),
    (
        lambda w: by_name(w, "mha", (12, 12), (12, 12), n_heads=3, contxt=None),
        TypeError,
        "unknown option 'contxt'; did you mean 'context'?",
    ),
    (
        lambda w: by_name(w, "mqa", (12, 12), (12, 12), n_heads=3),
        ValueError,
        "head_dim of w_q is 4, but head_dim of w_k is 12; they must be equal",
    ),
    *(
        (
            lambda w, letter=letter, width=width: w.gqa(options={f"b_{letter}": w.zeros(width + 1)}),
            ValueError,
            f"columns of w_{letter} is {width}, but width of b_{letter} is {width + 1}; they must be equal",
        )
        for letter, width in (("k", 8), ("v", 14), ("o", 12))
    ),
    (
        lambda w: w.gqa(options={"b_q": w.zeros(1, 24)}),
        ValueError,
        "b_q must be (d_out,), got shape (1, 24)",
    ),
    (
        lambda w: w.gqa(options={"context": w.zeros(2, 5, 11)}),
        ValueError,
        "d_context of context is 11, but rows of w_k is 12; they must be equal",
    ),
    (
        lambda w: cached(w, context=w.zeros(2, 5, 12)),
        ValueError,
        "a cache grows with its own sequence: with context there is nothing to append, leave cache out",
    ),
    (
        lambda w: w.gqa(options={"rotary": "half"}),
        ValueError,
        "rotary must be one of 'interleaved', 'halves', got 'half'; did you mean 'halves'?",
    ),
    (
        lambda w: w.gqa(w_q=(12, 18), w_k=(12, 6), options={"rotary": "halves"}),
        ValueError,
        "head_dim must be even, for rotary turns pairs of elements; got 3",
    ),
    (
        lambda w: w.gqa(options={"rotary": "halves", "rotary_base": 0}),
        ValueError,
        "rotary_base must be greater than 0, got 0",
    ),
    (lambda w: kv(w, 3, 2, 4), ValueError, "batch of x is 2, but the cache's is 3; they must be equal"),
    (lambda w: kv(w, 2, 3, 4), ValueError, "kv_heads of k is 2, but the cache's is 3; they must be equal"),
    (lambda w: kv(w, 2, 2, 5), ValueError, "head_dim of k is 4, but the cache's is 5; they must be equal"),
    (lambda w: kv(w, v_head_dim=6), ValueError, "v_head_dim of v is 7, but the cache's is 6; they must be equal"),
    (
        lambda w: kv(w, dtype=w.path.zeros(1).dtype),
        TypeError,
        "the cache is float64, but k is float32; give both the same dtype",
    ),
    (
        lambda w: kv(w, capacity=2),
        ValueError,
        "the cache holds 2 tokens a sequence; sequence 0 has 0, and 3 more do not fit: make the cache with "
        "capacity=3 or more",
    ),
    (lambda w: cached(w, causal=1), TypeError, "causal must be True or False, got 1"),
    (
        lambda w: cached(w, lengths=[[1], [1, 2]]),
        ValueError,
        "lengths must be 2 whole numbers, one for each sequence, got [[1], [1, 2]]",
    ),
    (lambda w: cached(w, lengths=[-1, 1]), ValueError, "lengths must be from 0 to the 3 tokens given, got [-1, 1]"),
    (
        lambda w: w.mla(w_down=(12, 8)),
        ValueError,
        f"{BEGIN}(3 + 5) = 24 columns, got 27; a head of w_q less w_down's 3 rotary columns {END}",
    ),
    (
        lambda w: w.mla(w_o=(18, 12)),
        ValueError,
        f"{BEGIN}(4 + 6) = 30 columns, got 27; a head of w_q less w_down's 2 rotary columns {END}",
    ),
    (lambda w: w.mla(w_o=(14, 12)), ValueError, "14 rows of w_o are not divisible by n_heads=3"),
    (
        lambda w: w.mla(w_q=(12, 6)),
        ValueError,
        "a head of w_q is 2 wide, and w_down's rotary part takes 2 of it; at least 1 must be left",
    ),
    (lambda w: w.mla(norm=(5, 1)), ValueError, "norm must be (latent_rank,), got shape (5, 1)"),
    (
        lambda w: w.mla(w_q=(12, 15), w_down=(12, 6), w_up=(5, 27)),
        ValueError,
        "rope_head_dim must be even, for rotary turns pairs of elements; got 1",
    ),
    (
        lambda w: w.mla(options={"rotary": None}),
        ValueError,
        "rotary must be one of 'interleaved', 'halves', got None",
    ),
    (lambda w: latent(w, 3, 5, 2), ValueError, "batch of x is 2, but the cache's is 3; they must be equal"),
    (lambda w: latent(w, 2, 6, 2), ValueError, "width of latent is 5, but the cache's is 6; they must be equal"),
    (lambda w: latent(w, 2, 5, 3), ValueError, "width of rotary_key is 2, but the cache's is 3; they must be equal"),
    (
        lambda w: w.f.LatentCache(2, 5, 2, 4).append(w.zeros(2, 1, 5), w.zeros(1, 1, 2)),
        ValueError,
        "batch of latent is 2, but batch of rotary_key is 1; they must be equal",
    ),
    (
        lambda w: w.f.LatentCache(2, 5, 2, 4).append(w.zeros(2, 1, 5), w.zeros(2, 2, 2)),
        ValueError,
        "length of latent is 1, but length of rotary_key is 2; they must be equal",
    ),
    (lambda w: w.f.KVCache(2, 2, 4, 4, widnow=3), TypeError, "unknown option 'widnow'; did you mean 'window'?"),
    (lambda w: w.f.KVCache.for_config({}, 2, 4), TypeError, "config must be an AttentionConfig, got dict"),
    (
        lambda w: w.f.convert_rotary_pairing(w.zeros(12, 24), 6, "half", "halves"),
        ValueError,
        "source must be one of 'interleaved', 'halves', got 'half'; did you mean 'halves'?",
    ),
    (
        lambda w: w.f.merge_qkv_weights(w.zeros(12, 24), w.zeros(12, 9), w.zeros(12, 8), 6, 2),
        ValueError,
        "9 columns of w_k are not divisible by n_kv_heads=2",
    ),
    (lambda w: w.f.softmax(w.q, 4), ValueError, "axis=4, but scores has shape (2, 6, 3, 4)"),
    (lambda w: w.attend(q=w.zeros(2, 0, 3, 4)), ValueError, "heads must be at least 1, got 0"),
    (lambda w: w.f.padding_mask([[1], [1, 2]], 3), TypeError, "lengths must be integers, got [[1], [1, 2]]"),
    (lambda w: w.f.causal_mask(np.array(2.5), 3), TypeError, "q_len must be a whole number, got array(2.5)"),
]


def refused(call, *arguments):
    """The error; it comes from a `raise` in the library, and not out of NumPy or torch."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*arguments)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.line or "").startswith("raise ") and "manyheads" in frame.filename
    return caught.value, Path(frame.filename).name


@pytest.mark.parametrize(("call", "error", "message"), ROWS, ids=[row[2] for row in ROWS])
def test_is_refused(path, call, error, message):
    told, _ = refused(call, Wrong(path))
    assert type(told) is error
    assert str(told) == message


@pytest.mark.parametrize("change", [-1, 1, 6])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_axis_of_every_weight_is_checked_first(path, variant, change):
    """One weight wrong in one axis; only W_O's second may be anything."""
    names = ("w_q", "w_down", "norm", "w_up", "w_o") if "mla" in variant else ("w_q", "w_k", "w_v", "w_o")
    x = np.zeros((2, 3, 11))
    for i, name in enumerate(names):
        one = layer(variant)
        shape = one.weights[i].shape
        for axis in range(len(shape)):
            if (name, axis) == ("w_o", 1):
                continue
            one.weights[i] = np.zeros([size + change * (n == axis) for n, size in enumerate(shape)])
            told, file = refused(one.run, path, x)
            assert file in CHECKS
            assert name in str(told), told


def contents(path, cache):
    held = [cache._keys] + ([cache._values] if hasattr(cache, "_values") else [])
    return [path.numpy(x).tolist() for x in held] + [cache.lengths.tolist(), cache._slots.positions.tolist()]


WRONG_OPTIONS = [
    {"softcap": 0},
    {"scale": "x"},
    {"mask": np.ones((2, 2), bool)},
    {"mask": np.ones((2, 4))},
    {"mask": np.ones((2, 3, 2, 4), bool)},
    {"bias": np.zeros((2, 2))},
    {"bias": np.ones((2, 4), bool)},
    {"lengths": [3, 0]},
    {"lengths": [0.5, 1]},
    {"dropout": 0.1},
    {"causal": 1},
    {"rotary": "third"},
    {"rotary": "halves", "rotary_base": -1.0},
    {"context": np.zeros((2, 5, 11))},
]


@pytest.mark.parametrize("room", [{"capacity": 6}, {"window": 3}], ids=["all", "ring"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_refused_call_leaves_the_cache_as_it_was(path, variant, room):
    """Keys, values, lengths and positions; and the next call goes on as if nothing had been."""
    one = layer(variant)
    cache, untouched = one.cache(path, 2, **room), one.cache(path, 2, **room)
    x = np.random.default_rng(5).standard_normal((2, 5, 11))
    for each in (cache, untouched):
        one.run(path, x[:, :3], cache=each, lengths=[3, 2])
    before = contents(path, cache)
    backends = (
        [{"backend": "triton", "return_weights": True}, {"backend": "sdpa", "softcap": 2.0}]
        if path is TORCH
        else [{"backend": "math"}]
    )
    for options in WRONG_OPTIONS + backends:
        refused(lambda given=options: one.run(path, x[:, 3:], cache=cache, **given))
        assert contents(path, cache) == before, options
    refused(lambda: one.run(path, np.zeros((3, 2, 11)), cache=cache))
    if "capacity" in room:
        refused(lambda: one.run(path, np.zeros((2, 4, 11)), cache=cache))
    assert contents(path, cache) == before
    after = one.run(path, x[:, 3:], cache=cache)
    assert np.array_equal(after, one.run(path, x[:, 3:], cache=untouched))
