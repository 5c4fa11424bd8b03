"""Calls that must be refused, on both paths: what is called, and what it is told."""

import numpy as np

F = "float32"


class Wrong:
    """Right arguments on a path, to make one of them wrong: (batch 2, 6 heads, 2 K/V heads, 3 queries, 5 keys)."""

    def __init__(self, path):
        self.path, self.f = path, path.functions
        self.q, self.k, self.v = self.zeros(2, 6, 3, 4), self.zeros(2, 2, 5, 4), self.zeros(2, 2, 5, 7)
        self.x = self.zeros(2, 3, 12)
        self.w = {"w_q": (12, 24), "w_k": (12, 8), "w_v": (12, 14), "w_o": (42, 12)}
        self.latent = {"w_q": (12, 18), "w_down": (12, 7), "norm": (5,), "w_up": (5, 27), "w_o": (15, 12)}

    def zeros(self, *shape, dtype=F):
        return self.path.array(np.zeros(shape, dtype))

    def attend(self, q=None, k=None, v=None, **options):
        given = (mine if other is None else other for mine, other in ((self.q, q), (self.k, k), (self.v, v)))
        return self.f.attention(*given, **options)

    def mask(self, *shape):
        return self.attend(mask=self.zeros(*shape, dtype=bool))

    def bias(self, *shape):
        return self.attend(bias=self.zeros(*shape))

    def gqa(self, n_heads=6, n_kv_heads=2, x=None, options=None, **shapes):
        weights = [self.zeros(*shape) for shape in (self.w | shapes).values()]
        x = self.x if x is None else x
        return self.f.gqa(x, *weights, n_heads=n_heads, n_kv_heads=n_kv_heads, **(options or {}))

    def mla(self, n_heads=3, options=None, **shapes):
        weights = [self.zeros(*shape) for shape in (self.latent | shapes).values()]
        return self.f.mla(self.x, *weights, n_heads=n_heads, **(options or {}))

    def cache(self, *sizes, **options):
        return self.f.KVCache(*(sizes or (2, 2, 4)), **(options or {"capacity": 4}))

    def append(self, shape, v_shape=None, lengths=None, dtype=F):
        k = self.zeros(*shape, dtype=dtype)
        return self.cache().append(k, k if v_shape is None else self.zeros(*v_shape), lengths)


#: What is wrong, and the call that has it.
CALLS = {
    "k longer than v": lambda w: w.attend(v=w.zeros(2, 2, 4, 7)),
    "another batch": lambda w: w.attend(q=w.zeros(3, 6, 3, 4)),
    "another batch of v": lambda w: w.attend(v=w.zeros(3, 2, 5, 7)),
    "another head_dim": lambda w: w.attend(k=w.zeros(2, 2, 5, 3)),
    "other heads of v": lambda w: w.attend(v=w.zeros(2, 3, 5, 7)),
    "heads that do not divide": lambda w: w.attend(q=w.zeros(2, 5, 3, 4)),
    "no K/V head": lambda w: w.attend(k=w.zeros(2, 0, 5, 4), v=w.zeros(2, 0, 5, 7)),
    "heads not split": lambda w: w.attend(q=w.zeros(2, 3, 24)),
    "k of three axes": lambda w: w.attend(k=w.zeros(2, 5, 4)),
    "a list": lambda w: w.attend(q=[[1.0]]),
    "integers": lambda w: w.attend(q=w.zeros(2, 6, 3, 4, dtype="int64")),
    "another dtype of k": lambda w: w.attend(k=w.zeros(2, 2, 5, 4, dtype="float64")),
    "another dtype of v": lambda w: w.attend(v=w.zeros(2, 2, 5, 7, dtype="float64")),
    "head_dim 0": lambda w: w.attend(q=w.zeros(2, 6, 3, 0), k=w.zeros(2, 2, 5, 0)),
    "an integer mask": lambda w: w.attend(mask=w.zeros(3, 5, dtype="int64")),
    "a float mask": lambda w: w.attend(mask=w.zeros(3, 5)),
    "a list as mask": lambda w: w.attend(mask=[[True]]),
    "a boolean bias": lambda w: w.attend(bias=w.zeros(3, 5, dtype=bool)),
    "an integer bias": lambda w: w.attend(bias=w.zeros(3, 5, dtype="int64")),
    "a mask of one axis": lambda w: w.mask(5),
    "a mask of three axes": lambda w: w.mask(2, 3, 5),
    "a mask of another length": lambda w: w.mask(3, 4),
    "padding as (batch, k_len)": lambda w: w.mask(2, 5),
    "a mask for K/V heads": lambda w: w.mask(2, 2, 3, 5),
    "a bias of three axes": lambda w: w.bias(6, 3, 5),
    "a bias of another length": lambda w: w.bias(1, 6, 3, 6),
    "causal as a number": lambda w: w.attend(causal=1),
    "a window without causal": lambda w: w.attend(window=4),
    "a window of 0": lambda w: w.attend(causal=True, window=0),
    "half a window": lambda w: w.attend(causal=True, window=2.5),
    "a window that is True": lambda w: w.attend(causal=True, window=True),
    "a window of three sides": lambda w: w.attend(window=(1, 2, 3)),
    "a negative side": lambda w: w.attend(window=(-1, 0)),
    "scale nan": lambda w: w.attend(scale=float("nan")),
    "scale as text": lambda w: w.attend(scale="x"),
    "softcap 0": lambda w: w.attend(softcap=0),
    "softcap infinite": lambda w: w.attend(softcap=float("inf")),
    "an unknown stage": lambda w: w.f.attention_scores(w.q, w.k, stage="weight"),
    "block of one number": lambda w: w.f.blocked_attention(w.q, w.k, w.v, block=5),
    "block of no queries": lambda w: w.f.blocked_attention(w.q, w.k, w.v, block=(0, 4)),
    "a gradient of another shape": lambda w: w.f.attention_backward(w.q, w.q, w.k, w.v),
    "a gradient of another dtype": lambda w: w.f.attention_backward(
        w.zeros(2, 6, 3, 7, dtype="float64"), w.q, w.k, w.v
    ),
    "softmax of integers": lambda w: w.f.softmax(w.zeros(3, dtype="int64")),
    "softmax_backward of two shapes": lambda w: w.f.softmax_backward(w.zeros(3), w.zeros(4)),
    "nothing to merge": lambda w: w.f.merge_attention([]),
    "parts that do not fit": lambda w: w.f.merge_attention([(w.q, w.zeros(2, 6, 3)), (w.q, w.zeros(2, 6, 4))]),
    "a negative length": lambda w: w.f.causal_mask(-1, 3),
    "padding without k_len": lambda w: w.f.padding_mask([1, 2]),
    "padding of floats": lambda w: w.f.padding_mask(w.zeros(2), 4),
    "padding longer than the row": lambda w: w.f.padding_mask([1, 5], 4),
    "a layout of integers": lambda w: w.f.block_sparse_mask(w.zeros(2, 2, dtype="int64"), 2),
    "blocks of 0": lambda w: w.f.block_sparse_mask(w.zeros(2, 2, dtype=bool), 0),
    "masks that do not fit": lambda w: w.f.combine_masks(w.zeros(2, 3, dtype=bool), w.zeros(2, 4, dtype=bool)),
    "a float among masks": lambda w: w.f.combine_masks(w.zeros(2, 3)),
    "polarity of numbers": lambda w: w.f.flip_mask(w.zeros(2, 3)),
    "ALiBi as a mask": lambda w: w.f.bias_to_mask(w.f.alibi_bias(2, 2, 2)),
    "a neighbour less than none": lambda w: w.f.window_from_neighbours(-2, 0),
    "heads that do not tile": lambda w: w.f.group_heads(w.q, 4),
    "rotary of an odd width": lambda w: w.f.apply_rotary(w.v),
    "rotary at other positions": lambda w: w.f.apply_rotary(w.q, [1, 2]),
    "rotary between tokens": lambda w: w.f.apply_rotary(w.q, [0.5, 1.0, 2.0]),
    "an unknown pairing": lambda w: w.f.apply_rotary(w.q, pairing="half"),
    "another width of the norm": lambda w: w.f.rms_norm(w.x, w.zeros(11)),
    "heads that do not pool": lambda w: w.f.pool_kv_heads(w.zeros(12, 24), 6, 4),
    "q and k of two widths": lambda w: w.f.merge_qkv(w.q, w.zeros(2, 2, 3, 5), w.zeros(2, 2, 3, 5)),
    "w_o for other heads": lambda w: w.f.mix_heads(w.q, w.zeros(20, 12)),
    "d_model of w_q": lambda w: w.gqa(w_q=(11, 24)),
    "d_model of w_v": lambda w: w.gqa(w_v=(11, 14)),
    "columns of w_q": lambda w: w.gqa(w_q=(12, 25)),
    "columns of w_k": lambda w: w.gqa(w_k=(12, 10)),
    "rows of w_o": lambda w: w.gqa(w_o=(40, 12)),
    "heads of gqa": lambda w: w.gqa(n_kv_heads=4),
    "x of two axes": lambda w: w.gqa(x=w.zeros(3, 12)),
    "x of another dtype": lambda w: w.gqa(x=w.zeros(2, 3, 12, dtype="float64")),
    "an unknown option": lambda w: w.gqa(options={"masks": None}),
    "a bias too wide": lambda w: w.gqa(options={"b_q": w.zeros(25)}),
    "context of another batch": lambda w: w.gqa(options={"context": w.zeros(3, 5, 12)}),
    "rotary across sequences": lambda w: w.gqa(options={"context": w.zeros(2, 5, 12), "rotary": "halves"}),
    "lengths without a cache": lambda w: w.gqa(options={"lengths": [1, 2]}),
    "a latent cache for gqa": lambda w: w.gqa(options={"cache": w.f.LatentCache(2, 5, 2, capacity=4)}),
    "a window that the cache has not": lambda w: w.gqa(
        options={"cache": w.cache(2, 2, 4, capacity=4, v_head_dim=7), "window": 3, "causal": True}
    ),
    "a cache that is not causal": lambda w: w.gqa(
        options={"cache": w.cache(2, 2, 4, capacity=4, v_head_dim=7), "causal": False}
    ),
    "rows of w_up": lambda w: w.mla(w_up=(6, 27)),
    "columns of w_up": lambda w: w.mla(w_up=(5, 30)),
    "w_down narrower than its latent": lambda w: w.mla(w_down=(12, 4)),
    "columns of MLA's w_q": lambda w: w.mla(w_q=(12, 20)),
    "a rotary part with context": lambda w: w.mla(options={"context": w.zeros(2, 5, 12)}),
    "no capacity": lambda w: w.f.KVCache(2, 2, 4),
    "a capacity of 0": lambda w: w.cache(2, 2, 4, capacity=0),
    "capacity and window": lambda w: w.cache(2, 2, 4, capacity=5, window=3),
    "a cache overrun": lambda w: w.append((2, 2, 5, 4)),
    "a cache of another batch": lambda w: w.append((3, 2, 1, 4)),
    "a cache of other heads": lambda w: w.append((2, 3, 1, 4)),
    "a cache of another dtype": lambda w: w.append((2, 2, 1, 4), dtype="float64"),
    "fewer values than keys": lambda w: w.append((2, 2, 2, 4), (2, 2, 1, 4)),
    "lengths for another batch": lambda w: w.append((2, 2, 2, 4), lengths=[1]),
    "lengths over the chunk": lambda w: w.append((2, 2, 2, 4), lengths=[1, 3]),
}
